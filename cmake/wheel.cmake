# What the wheel carries: library and executable that need nothing but glibc 2.28 or later, in BUILD/wheel. The
# objects are those of every build; Debian's static libraries and python/portable are linked with them. Left out where a
# static library is missing, with clang (whose OpenMP calls other functions) and on processors that
# python/portable/glibc.c does not know. python/backend.py packs it, `./dev wheel` asks for it.
if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR RECKON_SANITIZE OR RECKON_COVERAGE OR NOT TARGET reckon
   OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
  return()
endif()
set(wheel_names jansson z zstd yaml expat sqlite3)
if(URING_FOUND)
  list(APPEND wheel_names uring)
endif()
foreach(name ${wheel_names})
  find_library(WHEEL_${name} NAMES lib${name}.a)
  if(NOT WHEEL_${name})
    return()
  endif()
  list(APPEND wheel_libraries ${WHEEL_${name}})
endforeach()

# Those that python/portable/glibc.c defines as __wrap_NAME.
foreach(name exp exp2 log log2 pow pthread_create pthread_join pthread_once pthread_mutexattr_settype
    pthread_mutexattr_init pthread_mutexattr_destroy pthread_mutex_trylock pthread_attr_setstacksize
    pthread_setattr_default_np pthread_sigmask dlopen dlsym dlclose dlerror dladdr
    stat lstat fstat stat64 lstat64 fstat64 arc4random_buf stdin stderr)
  list(APPEND wheel_wrapped -Wl,--wrap=${name})
endforeach()

add_library(wheel_parts OBJECT python/portable/glibc.c python/portable/threads.c)
target_link_libraries(wheel_parts PRIVATE reckon_flags)
set_target_properties(wheel_parts PROPERTIES POSITION_INDEPENDENT_CODE ON)

add_library(wheel_library SHARED $<TARGET_OBJECTS:reckon_objects> $<TARGET_OBJECTS:wheel_parts>)
add_executable(wheel_program ${main_source} python/portable/start.c $<TARGET_OBJECTS:reckon_objects> $<TARGET_OBJECTS:wheel_parts>)
target_include_directories(wheel_program PRIVATE ${include_folders} ${CMAKE_CURRENT_SOURCE_DIR} cli)
target_compile_definitions(wheel_program PRIVATE RECKON_VERSION="${PROJECT_VERSION}")
target_link_options(wheel_program PRIVATE -Wl,--wrap=__libc_start_main)
target_link_options(wheel_library PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/exports.map)
foreach(target wheel_library wheel_program)
  target_link_libraries(${target} PRIVATE reckon_flags ${wheel_libraries}
    # up to glibc 2.33 threads and dlopen() are in libraries of their own
    -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--as-needed m)
  target_link_options(${target} PRIVATE ${wheel_wrapped} -s -Wl,--gc-sections -Wl,--no-undefined)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME reckon LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/wheel RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/wheel)
endforeach()
add_dependencies(reckon_python wheel_library wheel_program)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/wheel)
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/data ${CMAKE_CURRENT_BINARY_DIR}/wheel/data SYMBOLIC)
