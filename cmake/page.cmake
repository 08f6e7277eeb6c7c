# What a page carries inside it: the style, and the scripts that draw charts and open tables.
set(page_folder ${CMAKE_CURRENT_SOURCE_DIR}/core/report/page)
set_source_files_properties(core/report/html_assets.c PROPERTIES
  COMPILE_DEFINITIONS "PAGE_FOLDER=\"${page_folder}\""
  OBJECT_DEPENDS "${page_folder}/page.css;${page_folder}/charts.css;${page_folder}/charts.js;${page_folder}/page.js")
