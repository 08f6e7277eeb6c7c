# What a page carries inside it: the style, the script, and Vega (Debian's libjs-vega) as one
# script. Vega comes as separate modules; cmake/vega.cmake joins those that the pages need.
find_path(VEGA_FOLDER vega-view.min.js PATHS /usr/share/javascript/vega NO_DEFAULT_PATH
  DOC "Folder of Vega's modules, *.min.js")
if(NOT VEGA_FOLDER)
  message(FATAL_ERROR "Vega is missing: install libjs-vega, or set VEGA_FOLDER")
endif()

set(page_folder ${CMAKE_CURRENT_SOURCE_DIR}/src/report/page)
set(vega_script ${CMAKE_CURRENT_BINARY_DIR}/vega.js)
add_custom_command(OUTPUT ${vega_script}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${VEGA_FOLDER} -DNOTICE=${page_folder}/vega-notice.txt
    -DOUTPUT=${vega_script} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/vega.cmake
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/vega.cmake ${page_folder}/vega-notice.txt
  VERBATIM)

set_source_files_properties(src/report/html_assets.c PROPERTIES
  COMPILE_DEFINITIONS "PAGE_FOLDER=\"${page_folder}\";VEGA_SCRIPT=\"${vega_script}\""
  OBJECT_DEPENDS "${vega_script};${page_folder}/page.css;${page_folder}/page.js")
