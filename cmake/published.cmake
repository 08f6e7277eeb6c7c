# What other tools published: framework calculon, the commands of calculon and galvatron, Galvatron's strategy files.
# Without it src/unpublished and cli/unpublished stand there, which refuse them. Of src/published the headers that
# src/search includes are then all that is needed, plans.h and predict.h.
option(RECKON_PUBLISHED "Build the models of published tools: framework calculon, reckon calculon and galvatron" ON)

# Takes what needs them out of a list of sources, where they are not built.
function(reckon_published_only variable)
  if(RECKON_PUBLISHED)
    return()
  endif()
  foreach(source ${${variable}})
    file(STRINGS ${source} needed REGEX "^#include \"(published/|galvatron/|cli/galvatron\\.h|(golden/)?golden\\.h)")
    if(needed)
      list(REMOVE_ITEM ${variable} ${source})
    endif()
  endforeach()
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()
