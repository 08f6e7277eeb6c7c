// page.js - charts from their data, tables that sort and filter. The charts are declarations for
// Vega, one per kind (see chart.h); the numbers come from the page.
(function () {
'use strict';

// ---- values for people; `unit` is that of the column ----

const families = {
  's': [[1e-9, 'ns'], [1e-6, 'µs'], [1e-3, 'ms'], [1, 's'], [60, 'min'], [3600, 'h'], [86400, 'days']],
  'B': [[1, 'B'], [2 ** 10, 'KiB'], [2 ** 20, 'MiB'], [2 ** 30, 'GiB'], [2 ** 40, 'TiB']],
  'B/s': [[1, 'B/s'], [1e3, 'kB/s'], [1e6, 'MB/s'], [1e9, 'GB/s'], [1e12, 'TB/s']],
  'FLOP': [[1, 'FLOP'], [1e6, 'MFLOP'], [1e9, 'GFLOP'], [1e12, 'TFLOP'], [1e15, 'PFLOP']],
  'FLOP/s': [[1, 'FLOP/s'], [1e9, 'GFLOP/s'], [1e12, 'TFLOP/s'], [1e15, 'PFLOP/s']],
  'n': [[1, ''], [1e6, 'million'], [1e9, 'billion'], [1e12, 'trillion']],
  '%': [[0.01, '%']],
};

function digits(number) {
  const size = Math.abs(number);
  if (Number.isInteger(number) || size >= 1000) return Math.round(number).toLocaleString('en');
  return String(+number.toPrecision(4));
}

function valueText(value, unit) {
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'number') return value;
  const family = families[unit] || [[1, unit]];
  let scale = family[0];
  for (const other of family) if (Math.abs(value) >= other[0]) scale = other;
  return digits(value / scale[0]) + (scale[1] ? ' ' + scale[1] : '');
}

// ---- the pointer's label ----

const tip = document.getElementById('tip');

function showTip(chart, event, datum) {
  const row = datum && chart.rows[datum.row];
  if (!row) { tip.hidden = true; return; }
  tip.replaceChildren(...chart.columns.map(([, title, unit], i) => {
    const line = document.createElement('div'), name = document.createElement('span'),
      value = document.createElement('b');
    name.textContent = title;
    value.textContent = valueText(row[i], unit);
    line.append(name, value);
    return line;
  }));
  tip.hidden = false;
  const at = event.touches && event.touches.length ? event.touches[0] : event;
  const left = Math.min(at.clientX + 14, innerWidth - tip.offsetWidth - 6);
  const below = at.clientY + 16;
  tip.style.left = Math.max(6, left) + 'px';
  tip.style.top = (below + tip.offsetHeight > innerHeight ? at.clientY - tip.offsetHeight - 10 : below) + 'px';
}

// ---- declarations ----

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
const config = {
  axis: {labelFont: font, titleFont: font, labelFontSize: 11, titleFontSize: 12, titleFontWeight: 500,
         gridColor: '#ddd', domainColor: '#bbb', tickColor: '#bbb', labelLimit: 240},
  text: {font: font},
};

const lit = {fillOpacity: {value: 0.75}}, unlit = {fillOpacity: {value: 1}};

function axis(orient, scale, title, more) {
  return Object.assign({orient, scale, title: title || undefined, domain: false, ticks: false,
                        labelPadding: 5}, more);
}

// A logarithmic axis keeps its range while series come and go; its ticks are the page's.
function numberScale(name, range, about, points) {
  if (!about.log)
    return {name, range, type: 'linear', zero: false, nice: true, domain: {data: 'shown', field: name}};
  const numbers = points.map(p => p[name]).concat(about.ticks.map(t => t / about.factor));
  return {name, range, type: 'log', base: 10, nice: false, domain: [Math.min(...numbers), Math.max(...numbers)]};
}

function numberAxis(orient, scale, about, size) {
  return axis(orient, scale, about.title, {
    grid: true, labelOverlap: true, tickCount: size,
    values: about.ticks.length ? about.ticks.map(t => t / about.factor) : undefined,
    encode: {labels: {update: {text: {signal: "format(datum.value, ',.6~r')"}}}},
  });
}

// Bars along `long` ("x": they lie, "y": they stand) by categories across it.
function bars(chart, width) {
  const lie = !chart.upright, long = lie ? 'x' : 'y', wide = lie ? 'y' : 'x';
  const categories = [...new Set(chart.points.map(p => p.y))];
  const lanes = chart.beside ? Math.max(1, chart.shown.length) : 1;
  const step = lanes > 1 ? Math.max(18, 11 * lanes + 8) : categories.length > 40 ? 19 : 30;
  const inside = chart.beside
    ? {[wide]: {scale: wide, field: 'y', offset: {scale: 'lane', field: 'series'}},
       [lie ? 'height' : 'width']: {scale: 'lane', band: 1}}
    : {[wide]: {scale: wide, field: 'y'}, [lie ? 'height' : 'width']: {scale: wide, band: 1}};
  const last = {};
  for (const p of chart.points) if (p.limit !== null) last[p.y] = p;
  return {
    height: lie ? categories.length * step : 300,
    data: [
      {name: 'limits', values: Object.values(last)},
      {name: 'shown', source: 'all', transform: [
        {type: 'filter', expr: 'indexof(hidden, datum.series) < 0'},
        {type: 'stack', groupby: chart.beside ? ['y', 'series'] : ['y'], field: 'value'},
        // Shares that add up to a little more than 100 % by rounding.
        {type: 'formula', as: 'y1', expr: 'round(datum.y1 * 1e6) / 1e6'},
      ]},
    ],
    scales: [
      {name: wide, type: 'band', domain: categories, range: lie ? 'height' : 'width', padding: 0.2},
      {name: 'lane', type: 'band', domain: {signal: 'lanes'},
       range: [0, {signal: `bandwidth('${wide}')`}], padding: 0.05},
      {name: long, type: 'linear', zero: true, nice: true, range: lie ? 'width' : 'height',
       domain: {fields: [{data: 'shown', field: 'y1'}, {data: 'limits', field: 'limit'}]}},
    ],
    axes: [
      numberAxis(lie ? 'bottom' : 'left', long, chart.across, lie ? Math.max(3, width / 90) : 6),
      axis(lie ? 'left' : 'bottom', wide, '',
        lie ? {labelLimit: Math.max(width / 3, 150)} : {labelAngle: categories.length * 60 > width ? -40 : 0,
          labelAlign: categories.length * 60 > width ? 'right' : 'center'}),
    ],
    marks: [
      {type: 'rect', from: {data: 'shown'}, name: 'drawn', encode: {
        enter: Object.assign({tooltip: {signal: 'datum'}, fill: {field: 'colour'}}, {}),
        update: Object.assign({stroke: {value: '#fff'}, strokeWidth: {value: 0.5}, [long]: {scale: long, field: 'y0'}, [long + '2']: {scale: long, field: 'y1'}},
          inside, unlit),
        hover: lit}},
      {type: 'rect', name: 'limit-mark', from: {data: 'limits'}, interactive: false, encode: {update: {
        [long + 'c']: {scale: long, field: 'limit'}, [lie ? 'width' : 'height']: {value: 2.5},
        [wide]: {scale: wide, field: 'y', offset: -3},
        [lie ? 'height' : 'width']: {scale: wide, band: 1, offset: 6}}}},
    ],
  };
}

function spans(chart) {
  const rows = [...new Set(chart.points.map(p => p.y))];
  const step = rows.length > 64 ? 6 : rows.length > 24 ? 15 : 26;
  return {
    height: rows.length * step,
    signals: [
      // Drag over a part to enlarge it; a double click shows all again.
      {name: 'from', value: null, on: [{events: 'mousedown', update: 'x()'}]},
      {name: 'to', value: null, on: [{events: 'mousedown', update: 'null'},
        {events: '[mousedown, window:mouseup] > window:mousemove', update: 'clamp(x(), 0, width)'}]},
      {name: 'done', value: null, on: [{events: 'mousedown', update: 'null'},
        {events: 'window:mouseup', update: 'to === null ? null : [min(from, to), max(from, to)]'}]},
      {name: 'zoom', value: null, on: [{events: 'dblclick', update: 'null'},
        {events: {signal: 'done'},
         update: "done && done[1] - done[0] > 6 ? [invert('x', done[0]), invert('x', done[1])] : zoom"}]},
    ],
    data: [{name: 'shown', source: 'all', transform: [
      {type: 'filter', expr: 'indexof(hidden, datum.series) < 0'}]}],
    scales: [
      {name: 'x', type: 'linear', range: 'width', zero: false,
       domain: {fields: [{data: 'all', field: 'x'}, {data: 'all', field: 'x_end'}]},
       domainRaw: {signal: 'zoom'}},
      {name: 'y', type: 'band', domain: rows, range: 'height', padding: step > 10 ? 0.08 : 0},
    ],
    axes: [
      numberAxis('bottom', 'x', chart.across, 8),
      axis('left', 'y', '', {labelOverlap: true}),
    ],
    marks: [{type: 'group', clip: true, encode: {update: {width: {signal: 'width'}, height: {signal: 'height'}}},
      marks: [
      {type: 'rect', name: 'drawn', from: {data: 'shown'}, encode: {
        enter: {fill: {field: 'colour'}, tooltip: {signal: 'datum'}},
        update: Object.assign({x: {scale: 'x', field: 'x'}, x2: {scale: 'x', field: 'x_end'},
          y: {scale: 'y', field: 'y'}, height: {scale: 'y', band: 1},
          stroke: {value: '#fff'}, strokeWidth: {signal: `${step} > 10 && abs(scale('x', datum.x_end) - scale('x', datum.x)) > 4 ? 0.5 : 0`}}, unlit),
        hover: lit}},
      {type: 'text', interactive: false, from: {data: 'shown'}, encode: {update: {
        x: {signal: "(scale('x', datum.x) + scale('x', datum.x_end)) / 2"},
        y: {scale: 'y', field: 'y', band: 0.5}, align: {value: 'center'}, baseline: {value: 'middle'},
        fontSize: {value: 10}, fill: {value: '#111'},
        limit: {signal: "max(1, abs(scale('x', datum.x_end) - scale('x', datum.x)) - 4)"},
        text: {signal: `${step} > 10 && abs(scale('x', datum.x_end) - scale('x', datum.x)) > min(34, length(datum.label) * 6 + 4) ? datum.label : ''`}}}},
      {type: 'rect', interactive: false, encode: {update: {
        x: {signal: 'from === null || to === null || done ? 0 : min(from, to)'},
        x2: {signal: 'from === null || to === null || done ? 0 : max(from, to)'},
        y: {value: 0}, height: {signal: 'height'}, fill: {value: '#888'}, fillOpacity: {value: 0.25}}}},
    ]}],
  };
}

function xy(chart, width) {
  const labels = chart.roles.label !== undefined && width > 480;
  return {
    height: Math.min(340, Math.max(220, width * 0.6)),
    data: [
      {name: 'shown', source: 'all', transform: [{type: 'filter', expr: 'indexof(hidden, datum.series) < 0'}]},
    ],
    scales: [
      numberScale('x', 'width', chart.across, chart.points),
      numberScale('y', 'height', chart.up, chart.points),
    ],
    axes: [numberAxis('bottom', 'x', chart.across, Math.max(3, width / 100)),
           numberAxis('left', 'y', chart.up, 6)],
    marks: [
      {type: 'group', from: {facet: {name: 'line', data: 'shown', groupby: 'series'}}, marks: [
        {type: 'line', interactive: false, from: {data: 'line'}, encode: {
          update: {x: {scale: 'x', field: 'x'}, y: {scale: 'y', field: 'y'}, stroke: {field: 'colour'},
                   strokeWidth: {signal: 'datum.line ? 2 : 0'}, interpolate: {signal: "datum.line || 'linear'"}}}}]},
      {type: 'symbol', name: 'drawn', from: {data: 'shown'}, encode: {
        enter: {fill: {field: 'colour'}, tooltip: {signal: 'datum'}},
        update: Object.assign({x: {scale: 'x', field: 'x'}, y: {scale: 'y', field: 'y'},
          size: {signal: "datum.line === 'step-after' ? 12 : datum.line ? 30 : 70"}, stroke: {value: '#fff'}, strokeWidth: {value: 0.5}}, unlit),
        hover: Object.assign({size: {value: 150}}, lit)}},
    ].concat(labels ? [{type: 'text', name: 'value-label', interactive: false, from: {data: 'shown'}, encode: {update: {
        x: {scale: 'x', field: 'x', offset: 7}, y: {scale: 'y', field: 'y', offset: 4},
        text: {field: 'label'}, fontSize: {value: 10.5}}}}] : []),
  };
}

function heat(chart, width) {
  const columns = [...new Set(chart.points.map(p => p.x))], rows = [...new Set(chart.points.map(p => p.y))];
  const tilt = columns.length * 60 > width;
  return {
    height: rows.length * 28,
    data: [{name: 'shown', source: 'all', transform: [
      {type: 'filter', expr: 'isValid(datum.value)'}]}],
    scales: [
      {name: 'x', type: 'band', domain: columns, range: 'width'},
      {name: 'y', type: 'band', domain: rows, range: 'height'},
      {name: 'shade', type: 'linear', zero: false, domain: {data: 'shown', field: 'value'},
       range: ['#e6eef5', '#1f4e79'], interpolate: 'rgb'},
    ],
    axes: [axis('bottom', 'x', chart.across.title, {labelAngle: tilt ? -40 : 0, labelAlign: tilt ? 'right' : 'center'}),
           axis('left', 'y', '')],
    marks: [
      {type: 'rect', name: 'drawn', from: {data: 'shown'}, encode: {
        enter: {tooltip: {signal: 'datum'}},
        update: Object.assign({x: {scale: 'x', field: 'x'}, width: {scale: 'x', band: 1},
          y: {scale: 'y', field: 'y'}, height: {scale: 'y', band: 1},
          fill: {scale: 'shade', field: 'value'}}, unlit),
        hover: lit}},
      {type: 'text', interactive: false, from: {data: 'shown'}, encode: {update: {
        x: {scale: 'x', field: 'x', band: 0.5}, y: {scale: 'y', field: 'y', band: 0.5},
        align: {value: 'center'}, baseline: {value: 'middle'}, fontSize: {value: 10},
        fill: {signal: "datum.value > (domain('shade')[0] + domain('shade')[1]) / 2 ? '#fff' : '#111'"},
        text: {signal: "bandwidth('x') > 26 ? format(datum.value, '.3~g') : ''"}}}},
    ],
  };
}

const kinds = {bars, spans, xy, heat};

// ---- one chart: its points in the drawn unit, its view, its legend and files ----

function readPoints(chart) {
  const role = chart.roles, series = new Map(chart.series.map(s => [s[0], s]));
  const factor = {x: chart.across.factor, x_end: chart.across.factor, y: chart.up.factor,
                  value: chart.heat.factor, limit: chart.heat.factor};
  const names = chart.kind === 'xy' ? [] : chart.kind === 'heat' ? ['x', 'y'] : ['y'];
  const points = [];
  chart.rows.forEach((cells, row) => {
    const point = {row, label: '', series: '', colour: '#4c78a8', line: '', limit: null};
    for (const name in role) {
      const cell = cells[role[name]];
      point[name] = cell !== null && factor[name] && !names.includes(name) ? cell / factor[name] : cell;
    }
    const known = series.get(point.series);
    if (known) { point.colour = known[1]; point.line = known[2] === 'points' ? '' : known[2]; }
    const needed = {bars: ['value'], spans: ['x', 'x_end'], xy: ['x', 'y'], heat: ['value']}[chart.kind];
    const bad = name => typeof point[name] !== 'number' ||
      (chart.kind === 'xy' && chart[name === 'x' ? 'across' : 'up'].log && point[name] <= 0);
    if (!needed.some(bad)) points.push(point);
  });
  return points;
}

function draw(chart) {
  const width = Math.max(220, chart.plot.clientWidth - 2);
  const spec = Object.assign({width, autosize: {type: 'fit-x', contains: 'padding'}, padding: 2, config},
    kinds[chart.kind](chart, width));
  spec.signals = (spec.signals || []).concat([{name: 'hidden', value: [...chart.hidden]},
    {name: 'lanes', value: chart.shown}]);
  spec.data.unshift({name: 'all', values: chart.points});
  if (chart.view) chart.view.finalize();
  chart.plot.replaceChildren();
  chart.width = chart.plot.clientWidth;
  chart.view = new vega.View(vega.parse(spec), {renderer: 'svg', container: chart.plot, hover: true});
  chart.view.tooltip((handler, event, item, value) => showTip(chart, event, value));
  return chart.view.runAsync();
}

function toggle(chart, name, button) {
  const hide = !chart.hidden.has(name);
  if (hide) chart.hidden.add(name); else chart.hidden.delete(name);
  button.setAttribute('aria-pressed', String(!hide));
  chart.shown = chart.series.map(s => s[0]).filter(s => !chart.hidden.has(s));
  // What a pointer has begun to light ends first: else Vega would draw that alone.
  chart.view.runAsync().then(view => view.signal('hidden', [...chart.hidden]).signal('lanes', chart.shown).runAsync());
}

function legend(chart) {
  const box = document.createElement('div');
  box.className = 'chips';
  if (chart.series.length > 1 && chart.series.length <= 24)
    for (const [name, colour] of chart.series) {
      const button = document.createElement('button'), patch = document.createElement('i');
      patch.style.background = colour;
      button.type = 'button';
      button.setAttribute('aria-pressed', 'true');
      button.title = 'show or hide';
      button.append(patch, name);
      button.onclick = () => toggle(chart, name, button);
      box.append(button);
    }
  if (chart.limit) {
    const key = document.createElement('span');
    key.append(document.createElement('b'), chart.limit);
    box.append(key);
  }
  if (box.children.length) chart.plot.before(box);
}

function save(name, type, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function csvOf(chart) {
  const field = value => value === null ? '' : /[",\r\n]|^ /.test(value) ? '"' + String(value).replace(/"/g, '""') + '"' : value;
  return [chart.columns.map(c => c[0])].concat(chart.rows).map(r => r.map(field).join(',') + '\n').join('');
}

function tools(chart, still) {
  const box = document.createElement('div');
  box.className = 'tools';
  const add = (text, what, action) => {
    const button = document.createElement('button');
    button.type = 'button'; button.textContent = text; button.title = what; button.onclick = action;
    box.append(button);
  };
  add('SVG', 'save the drawing', () => save(chart.id + '.svg', 'image/svg+xml', still));
  add('CSV', 'save the numbers', () => save(chart.id + '.csv', 'text/csv', csvOf(chart)));
  chart.figure.prepend(box);
}

const charts = [];

function openChart(figure) {
  const chart = JSON.parse(figure.querySelector('script').textContent);
  chart.figure = figure;
  chart.plot = figure.querySelector('.plot');
  chart.points = readPoints(chart);
  chart.hidden = new Set();
  chart.shown = chart.series.map(s => s[0]);
  tools(chart, new XMLSerializer().serializeToString(chart.plot.firstElementChild));
  legend(chart);
  charts.push(chart);
  return draw(chart);
}

// A page laid out anew (a turned phone) draws its charts anew.
let waiting = 0;
addEventListener('resize', () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => charts.forEach(c => { if (Math.abs(c.plot.clientWidth - c.width) > 8) draw(c); }), 150);
});
addEventListener('scroll', () => { tip.hidden = true; }, {passive: true});

// ---- tables ----

function sortBy(table, column, header) {
  const down = header.getAttribute('aria-sort') === 'ascending', body = table.tBodies[0];
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const key = row => { const cell = row.cells[column]; return 'v' in cell.dataset ? Number(cell.dataset.v) : cell.textContent; };
  const rows = [...body.rows].map((row, index) => ({row, index, key: key(row)}));
  rows.sort((a, b) => {
    const numbers = typeof a.key === 'number' && typeof b.key === 'number';
    const order = numbers ? a.key - b.key : String(a.key).localeCompare(String(b.key), 'en', {numeric: true});
    return (down ? -order : order) || a.index - b.index;
  });
  body.append(...rows.map(r => r.row));
}

function openTable(table) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...header.childNodes);
    button.onclick = () => sortBy(table, column, header);
    header.append(button);
  });
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 7) return;
  const filter = document.createElement('input'), count = document.createElement('small');
  filter.className = 'filter'; filter.type = 'search'; filter.placeholder = 'filter rows';
  filter.setAttribute('aria-label', 'filter rows');
  filter.oninput = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      left += !row.hidden;
    }
    count.textContent = words.length ? left + ' of ' + rows.length + ' rows' : '';
  };
  table.parentElement.before(filter, count);
}

document.querySelectorAll('.data table').forEach(openTable);
Promise.all([...document.querySelectorAll('figure')].map(openChart))
  .then(() => { document.documentElement.dataset.drawn = charts.length; });
})();
