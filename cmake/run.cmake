# The executor's library, reckon_run. The sources of executor/run/real are compiled for float, for double, and once
# more with kernels that do nothing (executor/run/count), where memory is counted.
file(GLOB run_sources CONFIGURE_DEPENDS executor/run/*.c)
file(GLOB run_real_sources CONFIGURE_DEPENDS executor/run/real/*.c)
file(GLOB run_count_sources CONFIGURE_DEPENDS executor/run/count/*.c)
set(run_count_files ${run_real_sources} ${run_count_sources})
list(FILTER run_count_files EXCLUDE REGEX "real/(attention|attention_whole|kernels|orthogonal)\\.c$")

foreach(type f32 f64 count)
  if(type STREQUAL "count")
    add_library(run_${type} OBJECT ${run_count_files})
  else()
    add_library(run_${type} OBJECT ${run_real_sources})
  endif()
  target_include_directories(run_${type} PUBLIC ${include_folders})
  target_link_libraries(run_${type} PUBLIC reckon_flags PkgConfig::OPENBLAS)
  # As in the rooms of CMakeLists.txt; loops over elements are worth the vectoriser.
  target_compile_options(run_${type} PRIVATE ${OpenMP_C_FLAGS} -O3 -Wno-unknown-pragmas)
  set_target_properties(run_${type} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endforeach()
target_compile_definitions(run_f64 PRIVATE RUN_F64)
target_compile_definitions(run_count PRIVATE RUN_COUNTS)

add_library(reckon_run STATIC ${run_sources} $<TARGET_OBJECTS:run_f32> $<TARGET_OBJECTS:run_f64>
                              $<TARGET_OBJECTS:run_count>)
set_property(SOURCE executor/run/philox.c APPEND PROPERTY COMPILE_OPTIONS -O3)
target_include_directories(reckon_run PUBLIC ${include_folders})
target_link_libraries(reckon_run PUBLIC reckon_static PkgConfig::OPENBLAS)
target_compile_definitions(reckon_run PRIVATE $<$<BOOL:${URING_FOUND}>:RECKON_URING>)

# Products of bf16, where there is oneDNN 2 (libdnnl-dev); without it they are emulated in 32 bits.
# GCC alone: oneDNN is compiled with its OpenMP.
option(RECKON_DNNL "Multiply bf16 with oneDNN when it is found" ON)
if(RECKON_DNNL AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT RECKON_SANITIZE)
  find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl_version.h) # its own package file asks for OpenCL
  find_library(DNNL_LIBRARY dnnl)
  if(DNNL_INCLUDE_DIR AND DNNL_LIBRARY)
    file(STRINGS ${DNNL_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h DNNL_VERSION REGEX "DNNL_VERSION_MAJOR 2$")
  endif()
  if(DNNL_VERSION)
    set_property(SOURCE executor/run/bf16.c APPEND PROPERTY COMPILE_OPTIONS "${OpenMP_C_FLAGS}")
    target_compile_definitions(reckon_run PRIVATE RECKON_DNNL)
    target_include_directories(reckon_run PRIVATE ${DNNL_INCLUDE_DIR})
    target_link_libraries(reckon_run PUBLIC ${DNNL_LIBRARY})
    set(RECKON_RUN_LIBS -ldnnl)
  endif()
endif()

add_executable(reckon-run run/main.c)
target_link_libraries(reckon-run PRIVATE reckon_cli reckon_run)

# Tasks of one's own, a page each; built with the tests, which run them.
if(RECKON_TESTS)
  foreach(task language classify distill)
    add_executable(${task} examples/tasks/${task}.c)
    target_link_libraries(${task} PRIVATE reckon_run)
    set_target_properties(${task} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
  endforeach()
endif()
