# Where the library's sources are: core and formats, the rooms of executor that need no BLAS, and published, what other
# tools published: framework calculon, the commands of calculon and galvatron, Galvatron's strategy files. That folder
# may be removed; core/unpublished and cli/unpublished stand in its place then, and refuse it by name.
set(rooms
  core/advise core/base core/campaign core/catalog core/clusters core/estimate core/facts core/machine core/optimize
  core/plan core/program core/report core/rules core/schedule core/search core/study core/text core/timeline core/workload
  formats/check formats/huggingface formats/keys formats/logs formats/machines formats/megatron formats/shell
  formats/trainers
  executor/corpus executor/shard executor/tokens)
set(include_folders include core formats executor)
list(TRANSFORM include_folders PREPEND ${CMAKE_CURRENT_LIST_DIR}/../)

set(published_there OFF)
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/../published)
  set(published_there ON)
endif()
option(RECKON_PUBLISHED "Build the models of published tools: framework calculon, reckon calculon and galvatron"
  ${published_there})
if(RECKON_PUBLISHED)
  list(APPEND rooms published/calculon published/galvatron)
  list(APPEND include_folders ${CMAKE_CURRENT_LIST_DIR}/../published)
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
