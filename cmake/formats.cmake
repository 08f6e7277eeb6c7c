# The tables of data/formats and data/unicode as C. They are compiled in, so that no file is needed at run time; wrong
# rows end the build with their file and line. `generator` is the
# program made of tools/make_keys.c; sets format_rows.
function(reckon_formats source generator)
  file(GLOB tables CONFIGURE_DEPENDS ${source}/data/formats/*.csv ${source}/data/unicode/*.csv)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/formats/tables)
  file(MAKE_DIRECTORY ${folder})
  foreach(table ${tables})
    cmake_path(GET table STEM name)
    add_custom_command(OUTPUT ${folder}/${name}.h
      COMMAND ${generator} ${table} ${folder}/${name}.h
      DEPENDS ${generator} ${table} COMMENT "Rows of data/formats/${name}.csv" VERBATIM)
    list(APPEND rows ${folder}/${name}.h)
  endforeach()
  set(format_rows ${rows} PARENT_SCOPE)
endfunction()
set(format_generator_sources tools/make_keys.c core/text/csv.c core/base/text.c core/base/status.c)
