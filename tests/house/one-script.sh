#!/bin/sh
# One script draws charts, core/report/page/charts.js: nobody else writes an SVG or draws on a canvas.
cd "$RECKON_SOURCE" || exit 1
found=$(grep -rlE '<svg|createElementNS|matplotlib|plotly|vega|getContext\(' core formats executor published cli run web python mpi examples studies \
    --include='*.[ch]' --include='*.js' --include='*.html' --include='*.py' --include='*.ipynb' --include='*.css' --include='*.sh' |
    grep -v '^core/report/page/charts.js$')
[ -z "$found" ] && exit 0
echo "draws beside core/report/page/charts.js: $found"
exit 1
