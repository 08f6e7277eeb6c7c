# The module reckon for Python, in BUILD/python: its sources, what python/tables.c makes from the
# tables, the library, and the catalog. docs/python.md; python/backend.py makes the wheel of it.
add_executable(python_tables EXCLUDE_FROM_ALL python/tables.c)
target_link_libraries(python_tables PRIVATE reckon_static)
target_include_directories(python_tables PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(python_tables PRIVATE RECKON_VERSION="${PROJECT_VERSION}")

set(module ${CMAKE_CURRENT_BINARY_DIR}/python/reckon)
file(GLOB python_sources CONFIGURE_DEPENDS python/reckon/*.py python/reckon/py.typed)
list(APPEND python_sources ${CMAKE_CURRENT_SOURCE_DIR}/core/report/page/charts.js
  ${CMAKE_CURRENT_SOURCE_DIR}/core/report/page/charts.css)
add_custom_command(OUTPUT python.made
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${module}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${module}
  COMMAND ${CMAKE_COMMAND} -E copy ${python_sources} ${module}
  COMMAND python_tables > ${module}/_tables.py
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:reckon_shared> ${module}/libreckon.so
  COMMAND ${CMAKE_COMMAND} -E create_symlink ${CMAKE_CURRENT_SOURCE_DIR}/data ${module}/data
  COMMAND ${CMAKE_COMMAND} -E touch python.made
  DEPENDS python_tables reckon_shared ${python_sources} VERBATIM)
add_custom_target(reckon_python ALL DEPENDS python.made)
