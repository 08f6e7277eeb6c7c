# Where the library's sources are: each folder of core and formats, those of executor that need no BLAS, and published,
# what other tools published: framework calculon, the commands of calculon and galvatron, Galvatron's strategy files. That
# folder may be removed; core/unpublished and cli/unpublished stand in its place then, and refuse it by name. A new
# folder is a row of tools/check-includes; nothing is listed here.
set(tree ${CMAKE_CURRENT_LIST_DIR}/..)
file(GLOB rooms CONFIGURE_DEPENDS RELATIVE ${tree} ${tree}/core/* ${tree}/formats/* ${tree}/executor/*)
list(FILTER rooms EXCLUDE REGEX "/(README.md|run|unpublished|cli)$")
set(include_folders ${tree}/include ${tree}/core ${tree}/formats ${tree}/executor)

set(published_there OFF)
if(EXISTS ${tree}/published)
  set(published_there ON)
endif()
option(RECKON_PUBLISHED "Build the models of published tools: framework calculon, reckon calculon and galvatron"
  ${published_there})
if(RECKON_PUBLISHED)
  list(APPEND rooms published/calculon published/galvatron)
  list(APPEND include_folders ${tree}/published)
else()
  list(APPEND rooms core/unpublished)
endif()

# Takes what needs them out of a list of sources, where they are not built.
function(reckon_published_only variable)
  if(RECKON_PUBLISHED)
    return()
  endif()
  foreach(source ${${variable}})
    file(STRINGS ${source} needed REGEX "^#include \"(calculon/|galvatron/|commands/|(golden/)?golden\\.h)")
    if(needed)
      list(REMOVE_ITEM ${variable} ${source})
    endif()
  endforeach()
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()
