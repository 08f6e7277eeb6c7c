# vega.cmake - joins Vega's modules into one script: cmake -DFOLDER= -DNOTICE= -DOUTPUT= -P
#
# Each module is a function that is called once, when another one asks for it by name. What
# pages do not draw (maps, forces, word clouds, labels, time) stays out.
set(modules util time format loader dataflow scale canvas scenegraph statistics expression selection
  functions event-selector runtime parser view transforms view-transforms encode)

file(READ ${NOTICE} notice)
set(script "/*\n${notice}*/\nvar vega = (function () {\nvar made = {}, modules = {\n")
foreach(module ${modules})
  file(READ ${FOLDER}/vega-${module}.min.js text)
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" text "${text}")
  string(REPLACE "</script" "<\\/script" text "${text}")
  set(name ${module})
  if(module STREQUAL "selection")
    set(name selections) # as the others call it
  endif()
  string(APPEND script "\"vega-${name}\": function (exports, module, require) {\n${text}\n},\n")
endforeach()
string(APPEND script "};
function require(name) {
  if (!made[name]) modules[name].call({}, made[name] = {}, {}, require);
  return made[name];
}
var transforms = require('vega-dataflow').transforms;
['vega-transforms', 'vega-view-transforms', 'vega-encode'].forEach(function (name) {
  var more = require(name);
  for (var key in more) transforms[key] = more[key];
});
return {parse: require('vega-parser').parse, View: require('vega-view').View};
})();
")
file(WRITE ${OUTPUT} "${script}")
