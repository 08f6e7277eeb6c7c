# What the library links: Debian's packages, found by pkg-config, as the interface library
# reckon_dependencies. SQLite keeps studies: it is asked for once there is a study room.
find_package(OpenMP REQUIRED COMPONENTS C)

set(RECKON_REQUIRES jansson zlib libzstd yaml-0.1 expat)
file(GLOB study_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/core/study/*.c)
if(study_sources)
  list(APPEND RECKON_REQUIRES sqlite3)
endif()
# Where there is liburing, `reckon shard` moves bytes by io_uring.
pkg_check_modules(URING QUIET liburing)
if(URING_FOUND)
  list(APPEND RECKON_REQUIRES liburing)
endif()
pkg_check_modules(LIBRARIES REQUIRED IMPORTED_TARGET ${RECKON_REQUIRES})

# Linked, not compiled with: only the rooms that CMakeLists.txt names see -fopenmp.
add_library(reckon_dependencies INTERFACE)
target_link_libraries(reckon_dependencies INTERFACE PkgConfig::LIBRARIES
  ${OpenMP_C_LIBRARIES} ${CMAKE_DL_LIBS} m)
