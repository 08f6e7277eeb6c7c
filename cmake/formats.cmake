# The tables of data/formats and data/unicode, the manuals of commands in man/commands, and other long texts, as C. They are compiled in,
# so that no file is needed at run time; wrong rows end the build with their file and line. `tables` and `manuals` are
# the programs made of tools/make_keys.c and tools/make_help.c; sets format_rows.
function(reckon_formats source tables manuals)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/formats)
  file(MAKE_DIRECTORY ${folder}/tables ${folder}/help ${folder}/texts)
  file(GLOB files CONFIGURE_DEPENDS ${source}/data/formats/*.csv ${source}/data/unicode/*.csv
    ${source}/published/calculon/*.csv ${source}/man/commands/*.txt
    ${source}/executor/cli/*.txt ${source}/core/study/*.sql)
  foreach(file ${files})
    cmake_path(GET file STEM name)
    set(generator ${tables})
    set(row ${folder}/tables/${name}.h)
    if(NOT file MATCHES "[.]csv$")
      set(generator ${manuals})
      set(row ${folder}/texts/${name}.h)
    endif()
    if(file MATCHES "/man/commands/")
      set(row ${folder}/help/${name}.h)
    endif()
    add_custom_command(OUTPUT ${row} COMMAND ${generator} ${file} ${row} DEPENDS ${generator} ${file} VERBATIM)
    list(APPEND rows ${row})
  endforeach()
  set(format_rows ${rows} PARENT_SCOPE)
endfunction()
set(format_generator_sources tools/make_keys.c core/text/csv.c core/base/text.c core/base/status.c)
set(manual_generator_sources tools/make_help.c)
