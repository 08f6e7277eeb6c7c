// charts.js - draws the charts that the library describes in JSON (chart.h): bars, spans, points and
// lines, cells. The only script that draws: reports, notebooks and the page in the browser have it.
//
//   reckonCharts.open(plot, chart)   draws into an element, with legend and keys; returns the view
//   reckonCharts.valueText(1.5, 's') "1.5 s", as people read it
const reckonCharts = (function () {
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
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'number') return value;
  const family = families[unit] || [[1, unit]];
  let scale = family[0];
  for (const other of family) if (Math.abs(value) >= other[0]) scale = other;
  return digits(value / scale[0]) + (scale[1] ? ' ' + scale[1] : '');
}

const escapes = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};
const escape = text => String(text).replace(/[&<>"]/g, c => escapes[c]);

// ---- the label beside the pointer ----

let tip;

function labelOf(chart, row) {
  return chart.columns.map(([, title, unit], i) => [title, valueText(chart.rows[row][i], unit)]);
}

function showTip(chart, row, x, y) {
  if (!tip) {
    tip = document.body.appendChild(document.createElement('div'));
    tip.id = 'tip';
    tip.setAttribute('aria-hidden', 'true'); // told by tell()
  }
  tip.innerHTML = labelOf(chart, row)
    .map(([title, value]) => `<div><span>${escape(title)}</span><b>${escape(value)}</b></div>`).join('');
  tip.hidden = false;
  const below = y + 16;
  tip.style.left = Math.max(6, Math.min(x + 14, innerWidth - tip.offsetWidth - 6)) + 'px';
  tip.style.top = (below + tip.offsetHeight > innerHeight ? Math.max(4, y - tip.offsetHeight - 10) : below) + 'px';
}

function hideTip() { if (tip) tip.hidden = true; }

// What a screen reader says of a mark: it hears of changes in a place that was there before them.
let teller;
function tell(text) {
  if (!teller) {
    teller = document.body.appendChild(document.createElement('div'));
    teller.setAttribute('role', 'status');
    teller.style.cssText = 'position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)';
  }
  teller.textContent = text;
}

// ---- scales and axes ----

function linear(from, to, start, end) {
  const slope = (end - start) / (to - from || 1);
  return Object.assign(v => start + (v - from) * slope, {invert: p => from + (p - start) / slope});
}

function logarithmic(from, to, start, end) {
  const inner = linear(Math.log(from), Math.log(to === from ? from * 1.01 : to), start, end);
  return v => inner(Math.log(v));
}

// Round numbers that cover a range, about `count` of them.
function roundTicks(from, to, count) {
  const rough = (to - from) / Math.max(1, count) || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find(f => f * power >= rough * 0.75) || 10), ticks = [];
  for (let i = Math.floor(from / step + 1e-9); i <= Math.ceil(to / step - 1e-9); i++) ticks.push(i * step);
  return ticks;
}

// "20k", "2.5M", where nothing is lost: "131,072".
const powerOf = size => [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e3, 'k']].find(([least]) => size >= least) || [1, ''];

// Three digits, as in a cell.
function shortText(value) {
  const plain = +value.toPrecision(3), [factor, letter] = powerOf(Math.abs(plain) < 1e4 ? 0 : Math.abs(plain));
  return +(plain / factor).toPrecision(3) + letter;
}

function tickText(value) {
  const plain = +value.toPrecision(Number.isInteger(value) ? 6 : 4), size = Math.abs(plain);
  const [factor, letter] = powerOf(size);
  if (size >= 1e4 && Number.isInteger(10 * plain / factor)) return plain / factor + letter;
  return size >= 1e4 ? plain.toLocaleString('en') : String(plain);
}

const font = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
const widths = new Map(); // labels come again and again
let ruler;
function textWidth(text) {
  if (!ruler) {
    ruler = document.createElement('canvas').getContext('2d');
    ruler.font = font;
  }
  if (!widths.has(text)) widths.set(text, ruler.measureText(text).width);
  return widths.get(text);
}

// As much as fits; `head` of it, in characters, from the start, the rest from the end.
function shortened(text, width, head = 1) {
  if (textWidth(text) <= width) return text;
  for (let left = text.length - 1; left > 1; left--) {
    const start = Math.ceil(left * head), cut = text.slice(0, start) + '…' + text.slice(text.length - (left - start));
    if (textWidth(cut) <= width) return cut;
  }
  return text.slice(0, 1) + '…';
}

// In lines no wider than that.
function wrapped(text, width) {
  const lines = [''];
  for (const word of text.split(' '))
    if (!lines[lines.length - 1] || textWidth(`${lines[lines.length - 1]} ${word}`) <= width)
      lines[lines.length - 1] = `${lines[lines.length - 1]} ${word}`.trim();
    else lines.push(word);
  return text ? lines : [];
}

// Names cut where that leaves all of them different: at the end, in the middle, at the start.
function shortenedAll(names, width) {
  const cuts = [1, 0.4, 0.1].map(head => names.map(name => shortened(name, width, head)));
  return cuts.find(cut => new Set(cut).size === new Set(names).size) || cuts[1];
}

// Black or white, what reads better on a colour.
function inkOn(colour) {
  const part = /^#/.test(colour) ? [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16)) : colour.match(/\d+/g).map(Number);
  const [r, g, b] = part.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? '#000' : '#fff';
}

const round = v => Math.round(v * 100) / 100;
const line = (x1, y1, x2, y2, name) =>
  `<line class="${name}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
const word = (x, y, anchor, text, more = '') =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" ${more}>${escape(text)}</text>`;
const box = (x, y, width, height) =>
  `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
const mark = (point, path, more = '') =>
  `<path data-row="${point.row}" fill="${point.colour}" d="${path}" ${more}/>`;

// A range: a line with caps; `upright` along y.
function whisker(from, to, at, upright) {
  const [a, b, c] = [from, to, at].map(round);
  return `<path class="range" d="${upright ? `M${c} ${a}V${b}M${c - 3} ${a}h6M${c - 3} ${b}h6` : `M${a} ${c}H${b}M${a} ${c - 3}v6M${b} ${c - 3}v6`}"/>`;
}

// A frame inside the drawing, with an axis of numbers across and what stands along the side.
function across(frame, scale, ticks, title) {
  let text = '', last = -Infinity;
  for (const tick of ticks) {
    const x = scale(tick), label = tickText(tick), half = textWidth(label) / 2;
    if (x < frame.left - 1 || x > frame.right + 1) continue;
    text += line(x, frame.top, x, frame.bottom, 'grid');
    if (x - half < last + 6) continue;
    text += word(Math.min(x, frame.width - half), frame.bottom + 16, 'middle', label);
    last = x + half;
  }
  return text + (title ? word((frame.left + frame.right) / 2, frame.bottom + 33, 'middle', title, 'class="soft"') : '');
}

function upward(frame, scale, ticks, title) {
  let text = title ? word(2, frame.top - 10, 'start', title, 'class="soft"') : '', last = Infinity;
  for (const tick of ticks) {
    const y = scale(tick);
    if (y < frame.top - 1 || y > frame.bottom + 1) continue;
    text += line(frame.left, y, frame.right, y, 'grid');
    if (last - y < 12) continue;
    text += word(frame.left - 6, y + 4, 'end', tickText(tick));
    last = y;
  }
  return text;
}

function alongSide(frame, names, placeOf, step) {
  const every = Math.ceil(12 / step), short = shortenedAll(names, frame.left - 9);
  return names.map((name, i) => i % every ? '' :
    `<g>${name.length > 0 ? `<title>${escape(name)}</title>` : ''}` +
    word(frame.left - 7, placeOf(name) + 4, 'end', short[i]) + '</g>').join('');
}

// Names below a frame: side by side, else in two lines, else tilted. Their text and its depth.
function alongBottom(frame, names, placeOf) {
  const room = (frame.right - frame.left) / names.length - 6, top = frame.bottom + 15;
  const parts = names.map(name => {
    const spaces = [...name.matchAll(/ /g)].map(m => m.index), middle = name.length / 2;
    const cut = spaces.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
    return textWidth(name) <= room || cut === undefined ? [name] : [name.slice(0, cut), name.slice(cut + 1)];
  });
  if (parts.every(lines => lines.every(l => textWidth(l) <= room)))
    return {depth: 24 + 13 * (Math.max(...parts.map(p => p.length)) - 1),
      text: names.map((name, i) => parts[i].map((l, row) => word(placeOf(name), top + 13 * row, 'middle', l)).join('')).join('')};
  const most = Math.min(150, Math.max(...names.map(textWidth)), (frame.left + room / 2) / 0.77), short = shortenedAll(names, most);
  return {depth: most * 0.65 + 24, text: names.map((name, i) =>
    `<g><title>${escape(name)}</title>` + word(placeOf(name), top, 'end', short[i], `transform="rotate(-40 ${round(placeOf(name))} ${top})"`) + '</g>').join('')};
}

// Few names that do not fit beside a frame stand above what they name, whole.
function aboveEach(frame, names, topOf) {
  return names.map(name => `<g><title>${escape(name)}</title>` +
    word(frame.left, topOf(name) + 12, 'start', shortened(name, frame.right - frame.left, 0.4)) + '</g>').join('');
}

const sideOf = (names, width) => Math.min(Math.max(0, ...names.map(textWidth)) + 12, Math.max(width / 3, 130));
const unique = list => [...new Set(list)];

// A mark's label in it, smaller where it is narrow, where there is room at all.
function inside(point, colour, left, right, middle) {
  const room = right - left - 3, width = textWidth(point.label || '');
  if (!width || width * 0.79 > room) return '';
  return word((left + right) / 2, middle + 4, 'middle', point.label,
    `class="inside" style="fill:${inkOn(colour)}${width * 0.92 > room ? ';font-size:9px' : ''}"`);
}

// ---- the five kinds: each gives {height, text}, the content of the drawing ----

function stacked(chart, points) {
  const sums = new Map();
  return points.map(p => {
    const key = (chart.beside ? p.y + '\n' + p.series : p.y) + (p.value < 0 ? '-' : '+');
    const from = sums.get(key) || 0;
    sums.set(key, from + p.value);
    return {p, from, to: from + p.value};
  });
}

function bars(chart, points, width) {
  const names = unique(chart.points.map(p => p.y)), pieces = stacked(chart, points);
  const lanes = chart.beside ? Math.max(1, chart.shown.length) : 1, limits = new Map();
  const laneOf = p => chart.beside ? Math.max(0, chart.shown.indexOf(p.series)) : 0; // -1: no series
  for (const p of chart.points) if (p.limit !== null) limits.set(p.y, p.limit);
  const ends = pieces.flatMap(s => [s.from, s.to, Number.isFinite(s.p.high) ? s.from + s.p.high : s.to]).concat([...limits.values()], [0]);
  const low = Math.min(...ends), high = Math.max(...ends) || 1;
  const thick = lanes > 1 ? Math.max(18, 11 * lanes + 8) : names.length > 40 ? 19 : names.length > 8 ? 26 : 32;
  const lie = !chart.upright, frame = {width, top: lie ? 4 : 26}, side = sideOf(names, width);
  const above = lie && names.length <= 24 && names.some(name => textWidth(name) + 12 > side) ? 15 : 0;
  if (lie) Object.assign(frame, {left: above ? 8 : side, right: width - 14, bottom: 4 + names.length * (thick + above)});
  else Object.assign(frame, {left: 54, right: width - 8, bottom: 296});
  const step = (lie ? frame.bottom - frame.top : frame.right - frame.left) / names.length;
  const ticks = roundTicks(low, high, lie ? Math.max(3, width / 110) : 6);
  const [start, end] = lie ? [frame.left, frame.right] : [frame.bottom, frame.top];
  const scale = linear(Math.min(low, ticks[0]), Math.max(high, ticks[ticks.length - 1]), start, end);
  const first = (lie ? frame.top : frame.left) + above, gap = (step - above) * 0.12, lane = (step - above - 2 * gap) / lanes;
  const placeOf = name => first + names.indexOf(name) * step + (step - above) / 2;
  const rect = (from, to, at, size) => lie ? box(Math.min(scale(from), scale(to)), at, Math.abs(scale(to) - scale(from)), size)
    : box(at, Math.min(scale(from), scale(to)), size, Math.abs(scale(to) - scale(from)));
  const drawn = pieces.map(({p, from, to}) => mark(p, rect(from, to, first + names.indexOf(p.y) * step + gap +
    laneOf(p) * lane, lane))).join('');
  const ranges = pieces.filter(({p}) => Number.isFinite(p.low) && Number.isFinite(p.high)).map(({p, from}) => {
    const at = first + names.indexOf(p.y) * step + gap + laneOf(p) * lane + lane / 2;
    return whisker(scale(from + p.low), scale(from + p.high), at, !lie);
  }).join('');
  const capacities = [...limits].map(([name, limit]) => {
    const size = step - above - 2, at = placeOf(name) - size / 2;
    return `<path class="limit" d="${lie ? box(scale(limit) - 1.25, at, 2.5, size) : box(at, scale(limit) - 1.25, size, 2.5)}"/>`;
  }).join('');
  const below = lie ? {depth: 40, text: across(frame, scale, ticks, chart.across.title)} : alongBottom(frame, names, placeOf);
  return {
    height: frame.bottom + below.depth,
    text: below.text + (above ? aboveEach(frame, names, name => frame.top + names.indexOf(name) * step)
      : lie ? alongSide(frame, names, placeOf, step) : upward(frame, scale, ticks, chart.across.title)) +
      `<g class="drawn">${drawn}</g>${ranges}${capacities}`,
  };
}

function spans(chart, points, width) {
  const names = unique(chart.points.map(p => p.y));
  const step = names.length > 64 ? 6 : names.length > 24 ? 15 : 26;
  const frame = {width, top: 4, left: sideOf(names, width), right: width - 10, bottom: 4 + names.length * step};
  const end = (chart.across.end || 0) / chart.across.factor;
  const least = Math.min(...chart.points.map(p => p.x), ...end ? [0] : []), most = Math.max(...chart.points.map(p => p.x_end), end);
  const [from, to] = chart.zoom || [least, most];
  const scale = linear(from, to, frame.left, frame.right);
  Object.assign(chart, {scale, frame, whole: [least, most]});
  const pad = step > 10 ? 1 : 0, top = new Map(names.map((name, i) => [name, frame.top + i * step]));
  let drawn = '', labels = '';
  // What is short is a pixel wide where the next one of its row leaves room for that.
  const next = new Map(), room = new Map();
  for (const p of [...points].reverse()) {
    room.set(p, next.has(p.y) ? Math.max(0, scale(next.get(p.y)) - scale(p.x)) : 1);
    next.set(p.y, p.x);
  }
  for (const p of points) {
    const x = Math.max(scale(p.x), frame.left), end = Math.min(scale(p.x_end), frame.right), y = top.get(p.y);
    if (chart.zoom && (scale(p.x_end) < frame.left || scale(p.x) > frame.right)) continue;
    drawn += mark(p, box(x, y + pad, Math.max(end - x, Math.min(1, room.get(p)), 0.2), step - 2 * pad), end - x > 4 && step > 10 ? 'class="edged"' : '');
    if (step > 10) labels += inside(p, p.colour, x, end, y + step / 2);
  }
  return {
    height: frame.bottom + 40,
    text: across(frame, scale, roundTicks(from, to, Math.max(3, width / 110)), chart.across.title) +
      alongSide(frame, names, name => top.get(name) + step / 2, step) +
      `<g class="drawn">${drawn}</g>${labels}<path class="choice" d=""/>`,
  };
}

function numberScale(points, name, about, start, end, count) {
  const numbers = points.flatMap(p => name === 'y' && Number.isFinite(p.low) ? [p.y, p.low, p.high] : [p[name]]);
  if (about.log) {
    const ticks = about.ticks.map(t => t / about.factor);
    return [logarithmic(Math.min(...numbers, ...ticks), Math.max(...numbers, ...ticks), start, end), ticks];
  }
  const most = Math.max(...numbers), least = Math.min(...numbers);
  const ticks = roundTicks(name === 'y' && least > 0 && least < most / 2 ? 0 : least, most, count); // 0 where it costs little room
  return [linear(ticks[0], ticks[ticks.length - 1], start, end), ticks];
}

function path(points, x, y, how) {
  return points.map((p, i) => !i ? `M${round(x(p.x))} ${round(y(p.y))}` : how === 'step-after'
    ? `H${round(x(p.x))}V${round(y(p.y))}` : `L${round(x(p.x))} ${round(y(p.y))}`).join('');
}

function xy(chart, points, width) {
  const height = Math.min(320, Math.max(200, width * 0.55));
  const frame = {width, top: 26, left: 58, right: width - 14, bottom: 26 + height};
  const [x, xTicks] = numberScale(chart.points, 'x', chart.across, frame.left, frame.right, Math.max(3, width / 110));
  const [y, yTicks] = numberScale(chart.points, 'y', chart.up, frame.bottom, frame.top, 6);
  const lines = unique(points.filter(p => p.line).map(p => p.series)).map(name => {
    const own = points.filter(p => p.series === name);
    return `<path class="line" stroke="${own[0].colour}" d="${path(own, x, y, own[0].line)}"/>`;
  }).join('');
  const lonely = unique(chart.points.filter(p => !p.line).map(p => p.series)); // where they meet, each shows around the next
  const many = points.length > 150;
  const circle = p => {
    const r = p.line === 'step-after' || (p.line && many) ? 2 : p.line ? 3 : lonely.length > 6 ? (many ? 2.2 : 3) : Math.max(3, 3.5 + 1.2 * (lonely.length - 1 - lonely.indexOf(p.series)));
    return `M${round(x(p.x) - r)} ${round(y(p.y))}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  };
  const ranges = points.filter(p => Number.isFinite(p.low) && Number.isFinite(p.high)).map(p => whisker(y(p.low), y(p.high), x(p.x), true)).join('');
  // A label is on the right of its mark, on the left or above, where it meets no other label and, of few, no mark.
  const named = points.filter(p => p.label), taken = [];
  const topOf = p => Number.isFinite(p.high) ? Math.min(y(p.high), y(p.y) - 4) : y(p.y) - 4;
  const blocks = named.length > 24 || named.some(p => p.line) ? [] : named.map(p => ({
    p, x: x(p.x) - 4, w: 8, top: topOf(p), bottom: Number.isFinite(p.low) ? Math.max(y(p.low), y(p.y) + 4) : y(p.y) + 4}));
  const labels = width <= 480 ? '' : named.map(p => {
    const w = textWidth(p.label), right = x(p.x) + 7, low = y(p.y) + (p.line ? -6 : 4);
    const at = [[right, low], [x(p.x) - 7 - w, low], [x(p.x) - w / 2, topOf(p) - 5]]
      .map(([from, base]) => ({p, x: from, w, top: base - 9, bottom: base + 2})).find(box => box.x >= 0 && box.x + w <= width &&
        ![...taken, ...blocks].some(o => o.p !== p && box.top < o.bottom && o.top < box.bottom && box.x < o.x + o.w && o.x < box.x + w));
    if (!at) return '';
    taken.push(at);
    return word(at.x, at.bottom - 2, 'start', p.label, 'class="near"');
  }).join('');
  return {
    height: frame.bottom + 40,
    text: across(frame, x, xTicks, chart.across.title) + upward(frame, y, yTicks, chart.up.title) + lines + ranges +
      `<g class="drawn">${points.map(p => mark(p, circle(p))).join('')}</g>${labels}`,
  };
}

function shade(share) {
  const low = [230, 238, 245], high = [31, 78, 121];
  return `rgb(${low.map((c, i) => Math.round(c + (high[i] - c) * share)).join(',')})`;
}

function heat(chart, points, width) {
  const columns = unique(chart.points.map(p => p.x)), names = unique(chart.points.map(p => p.y));
  const frame = {width, top: 4, left: sideOf(names, width), right: width - 4, bottom: 4 + names.length * 28};
  const step = (frame.right - frame.left) / columns.length, there = p => Number.isFinite(p.value);
  const largest = new Map(names.map(name => [name, Math.max(...points.filter(p => p.y === name && there(p)).map(p => p.value))]));
  const valueOf = p => chart.normal ? 100 * p.value / (largest.get(p.y) || 1) : p.value;
  const values = points.filter(there).map(valueOf), least = Math.min(...values), most = Math.max(...values);
  const none = `hatch-${escape(chart.id)}`;
  const placeOf = name => frame.left + (columns.indexOf(name) + 0.5) * step;
  const rowOf = name => frame.top + (names.indexOf(name) + 0.5) * 28;
  const cells = points.map(p => {
    const x = placeOf(p.x), at = box(x - step / 2, rowOf(p.y) - 14, step, 28);
    if (!there(p)) return [mark({row: p.row, colour: `url(#${none})`}, at), ''];
    const colour = shade(most > least ? (valueOf(p) - least) / (most - least) : 0.5);
    return [mark({row: p.row, colour}, at),
      inside({label: shortText(valueOf(p))}, colour, x - step / 2, x + step / 2, rowOf(p.y))];
  });
  const below = alongBottom(frame, columns, placeOf);
  const key = values.length ? `light to dark: ${shortText(least)} to ${shortText(most)}` +
    (chart.normal ? ' % of the largest of its row' : ` ${chart.heat.title}`) : '';
  const title = [chart.across.title, key, values.length < points.length ? 'hatched: cannot run' : ''].filter(Boolean).join('; ');
  const keyed = wrapped(title, frame.right - 4), foot = frame.bottom + below.depth;
  return {
    height: foot + 4 + 15 * keyed.length,
    text: `<defs><pattern id="${none}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
      `<rect width="6" height="6" class="void"/><line y2="6" class="hatch"/></pattern></defs>` + below.text + alongSide(frame, names, rowOf, 28) +
      `<g class="drawn">${cells.map(c => c[0]).join('')}</g>${cells.map(c => c[1]).join('')}` +
      keyed.map((text, i) => word(4, foot + 10 + 15 * i, 'start', text, 'class="soft"')).join(''),
  };
}

// What rectangles of these corners look like: filled, as a frame, or as the line between the corners.
// A plan of places keeps its proportions, what has axes fills the width.
function boxes(chart, points, width) {
  const all = chart.points, ends = name => [Math.min(...all.map(p => p[name])), Math.max(...all.map(p => p[name + '_end']))];
  const [left, right] = ends('x'), [low, high] = ends('y'), plain = chart.plain;
  const size = plain ? Math.max(Math.min(1.25, (width - 2) / (right - left)), 0.4) : 0;
  const frame = plain ? {width, left: 1, right: 1 + size * (right - left), top: 1, bottom: 1 + size * (high - low)}
    : {width, left: 58, right: width - 10, top: 26, bottom: 26 + Math.min(420, Math.max(260, width * 0.6))};
  const ticks = plain ? [] : roundTicks(Math.min(0, low), high, 6), [from, to] = chart.zoom || [left, right];
  const x = linear(from, to, frame.left, frame.right);
  const y = plain ? linear(low, high, frame.top, frame.bottom) : linear(ticks[0], ticks[ticks.length - 1], frame.bottom, frame.top);
  if (!plain) Object.assign(chart, {scale: x, frame, whole: [left, right]});
  let drawn = '', labels = '', at = null; // where a line of steps is
  for (const p of points) {
    if (chart.zoom && (p.x_end < from || p.x > to)) continue;
    const x1 = Math.max(x(p.x), frame.left), x2 = Math.min(x(p.x_end), frame.right);
    const [y1, y2] = [y(p.y), y(p.y_end)], top = Math.min(y1, y2), height = Math.abs(y2 - y1);
    if (p.line === 'linear') {
      drawn += `<path data-row="${p.row}" class="link" stroke="${p.colour}" d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}"/>`;
      labels += word((x1 + x2) / 2, (y1 + y2) / 2 - 4, 'middle', p.label || '', 'class="over"');
    } else if (p.line === 'step-after') {
      drawn += `<path data-row="${p.row}" class="link thin" d="M${round(x1)} ${round(at === null ? y1 : at)}V${round(y1)}H${round(x2)}"/>`;
      at = y1;
    } else if (p.line === 'frame') {
      drawn += `<path data-row="${p.row}" class="frame" d="${box(x1, top, x2 - x1, height)}"/>`;
      if (p.label) labels += word(x1 + 5, top + 14, 'start', shortened(p.label, x2 - x1 - 8));
    } else {
      drawn += mark(p, box(x1, top, Math.max(x2 - x1, 0.4), Math.max(height, 0.3)));
      if (height > 11) labels += inside(p, p.colour, x1, x2, top + height / 2);
    }
  }
  return {
    height: frame.bottom + (plain ? 2 : 40),
    width: plain ? frame.right + 1 : width,
    text: (plain ? '' : across(frame, x, roundTicks(from, to, Math.max(3, width / 110)), chart.across.title) +
      upward(frame, y, ticks, chart.up.title)) + `<g class="drawn">${drawn}</g>${labels}<path class="choice" d=""/>`,
  };
}

const kinds = {bars, spans, xy, heat, boxes};

// ---- one chart: its points in the drawn unit ----

function readPoints(chart) {
  const role = chart.roles, series = new Map(chart.series.map(s => [s[0], s]));
  const factor = {x: chart.across.factor, x_end: chart.across.factor, y: chart.up.factor, y_end: chart.up.factor,
                  value: chart.heat.factor, limit: chart.heat.factor};
  factor.low = factor.high = chart.kind === 'xy' ? chart.up.factor : chart.heat.factor;
  const names = {xy: [], boxes: [], heat: ['x', 'y']}[chart.kind] || ['y'];
  const needed = {bars: ['value'], spans: ['x', 'x_end'], xy: ['x', 'y'], heat: [], boxes: ['x', 'x_end', 'y', 'y_end']}[chart.kind];
  const points = [];
  chart.rows.forEach((cells, row) => {
    const point = {row, y: '', label: '', series: '', colour: '#4c78a8', line: '', limit: null};
    for (const name in role) {
      if (role[name] === undefined) continue;
      const cell = cells[role[name]];
      point[name] = cell !== null && factor[name] && !names.includes(name) ? cell / factor[name] : cell;
    }
    const known = series.get(point.series);
    if (known) { point.colour = known[1]; point.line = known[2] === 'points' ? '' : known[2]; }
    const bad = name => typeof point[name] !== 'number' ||
      (chart.kind === 'xy' && chart[name === 'x' ? 'across' : 'up'].log && point[name] <= 0);
    if (!needed.some(bad)) points.push(point);
  });
  return points;
}

// ---- drawing, and what pointer and keys do ----

function draw(chart) {
  chart.width = chart.plot.clientWidth; // asked once, before anything is written: it lays out the page
  const width = Math.max(220, chart.width - 2);
  const {height, text, width: wide = width} = kinds[chart.kind](chart, chart.points.filter(p => !chart.hidden.has(p.series)), width);
  chart.plot.innerHTML = `<svg viewBox="0 0 ${round(wide)} ${Math.ceil(height)}" width="${round(wide)}" height="${Math.ceil(height)}" ` +
    `role="img" aria-label="${escape(chart.title || chart.id)}">${text}</svg>`;
  chart.at = -1;
}

function toggle(chart, name, button) {
  const hide = !chart.hidden.has(name);
  if (hide) chart.hidden.add(name); else chart.hidden.delete(name);
  button.setAttribute('aria-pressed', String(!hide));
  chart.shown = chart.series.map(s => s[0]).filter(s => !chart.hidden.has(s));
  draw(chart);
}

function zoomTo(chart, from, to) {
  const [least, most] = chart.whole, size = Math.min(to - from, most - least);
  const start = Math.max(least, Math.min(from, most - size));
  chart.zoom = size >= (most - least) * 0.999 ? null : [start, start + size];
  draw(chart);
}

function zoomBy(chart, factor, at) {
  const [from, to] = chart.zoom || chart.whole, centre = at === undefined ? (from + to) / 2 : at;
  zoomTo(chart, centre - (centre - from) * factor, centre + (to - centre) * factor);
}

// Drag over a part to enlarge it; a double click shows all again; Ctrl and the wheel at the pointer.
function openZoom(chart) {
  const place = event => {
    const svg = chart.plot.firstElementChild.getBoundingClientRect();
    return Math.max(chart.frame.left, Math.min(event.clientX - svg.left, chart.frame.right));
  };
  let start = null;
  chart.plot.addEventListener('pointerdown', event => { if (event.pointerType === 'mouse' && event.button === 0) start = place(event); });
  chart.plot.addEventListener('pointermove', event => {
    const choice = chart.plot.querySelector('.choice');
    if (start === null || !choice) return;
    const now = place(event);
    choice.setAttribute('d', box(Math.min(start, now), chart.frame.top, Math.abs(now - start), chart.frame.bottom - chart.frame.top));
    hideTip();
  });
  addEventListener('pointerup', event => {
    if (start === null) return;
    const now = place(event), [from, to] = [Math.min(start, now), Math.max(start, now)];
    start = null;
    if (to - from > 6) zoomTo(chart, chart.scale.invert(from), chart.scale.invert(to)); else draw(chart);
  });
  chart.plot.addEventListener('dblclick', () => { chart.zoom = null; draw(chart); });
  chart.plot.addEventListener('wheel', event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomBy(chart, event.deltaY < 0 ? 0.8 : 1.25, chart.scale.invert(place(event)));
  }, {passive: false});
  const tools = document.createElement('span');
  tools.className = 'zoom';
  for (const [text, what, act] of [['+', 'enlarge', () => zoomBy(chart, 0.5)], ['−', 'show more', () => zoomBy(chart, 2)],
    ['all', 'show all', () => { chart.zoom = null; draw(chart); }]]) {
    const button = tools.appendChild(document.createElement('button'));
    Object.assign(button, {type: 'button', textContent: text, title: what, onclick: act});
    button.setAttribute('aria-label', what);
  }
  const above = chart.plot.previousElementSibling;
  (above && above.className === 'chips' ? above : chart.plot).before(tools);
}

function light(chart, element, x, y) {
  for (const lit of chart.plot.querySelectorAll('.lit')) lit.classList.remove('lit');
  if (!element) return hideTip();
  element.classList.add('lit');
  showTip(chart, Number(element.dataset.row), x, y);
}

// Arrow keys walk through the marks and say each; + and -, or w and s, enlarge, a and d move, Escape ends.
function key(chart, event) {
  const marks = [...chart.plot.querySelectorAll('.drawn [data-row]')];
  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
  const move = event.shiftKey && step || {a: -1, d: 1}[event.key];
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (chart.zoom && move) {
    const [from, to] = chart.zoom, by = move * (to - from) / 4;
    zoomTo(chart, from + by, to + by);
  } else if (step && marks.length) {
    chart.at = chart.at < 0 && step < 0 ? marks.length - 1 : (chart.at + step + marks.length) % marks.length;
    const at = marks[chart.at].getBoundingClientRect();
    light(chart, marks[chart.at], at.x + at.width / 2, at.y + at.height / 2);
    tell(labelOf(chart, Number(marks[chart.at].dataset.row)).map(([title, value]) => `${title} ${value}`).join(', '));
  } else if (chart.whole && '+-ws'.includes(event.key)) {
    zoomBy(chart, '+w'.includes(event.key) ? 0.5 : 2);
  } else if (event.key === 'Escape') {
    light(chart, null);
  } else {
    return;
  }
  event.preventDefault();
}

function openLegend(chart) {
  const box = document.createElement('div');
  box.className = 'chips';
  const there = new Set(chart.points.filter(p => p.value !== 0 && p.line !== 'frame').map(p => p.series)); // a part of no size is not seen
  if (there.size > 1 && there.size <= 24)
    for (const [name, colour] of chart.series.filter(s => there.has(s[0]))) {
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

// Another column as the value, and each row of cells against its own largest.
function openMetrics(chart) {
  const heat = chart.kind === 'heat', role = chart.kind === 'xy' ? 'y' : 'value', about = {xy: 'up', bars: 'across'}[chart.kind] || 'heat';
  const box = document.createElement('div');
  box.className = 'chips';
  if ((chart.metrics || []).length > 1) {
    const label = box.appendChild(document.createElement('label')), select = document.createElement('select');
    label.append('Show ', select);
    const own = chart.roles[role];
    for (const column of chart.metrics.includes(own) ? chart.metrics : [own, ...chart.metrics]) select.append(new Option(chart.columns[column][1], column, false, column === own));
    select.onchange = () => {
      const column = Number(select.value), [, title, unit] = chart.columns[column];
      const largest = Math.max(...chart.rows.map(row => Math.abs(row[column])).filter(Number.isFinite));
      const scale = (families[unit] || [[1, unit]]).reduce((best, next) => largest >= next[0] ? next : best);
      chart.roles = {...chart.roles, [role]: column, low: undefined, high: undefined};
      chart.heat = {...chart.heat, factor: scale[0], title: scale[1] ? `${title} (${scale[1]})` : title};
      chart[about] = {...chart[about], factor: scale[0], title: chart.heat.title};
      chart.points = readPoints(chart);
      draw(chart);
    };
  }
  if (heat && unique(chart.points.map(p => p.y)).length > 1) {
    const label = box.appendChild(document.createElement('label')), check = document.createElement('input');
    check.type = 'checkbox';
    label.append(check, ' Normalize rows');
    check.onchange = () => { chart.normal = check.checked; draw(chart); };
  }
  if (box.children.length) chart.plot.before(box);
}

function open(plot, description) {
  const chart = Object.assign({}, description, {plot, hidden: new Set(), zoom: null});
  chart.points = readPoints(chart);
  chart.shown = chart.series.map(s => s[0]);
  openMetrics(chart);
  openLegend(chart);
  tell('');
  if (chart.kind === 'spans' || (chart.kind === 'boxes' && !chart.plain)) openZoom(chart);
  plot.tabIndex = 0;
  plot.setAttribute('role', 'group');
  plot.setAttribute('aria-label', `${chart.title || chart.id}: ${chart.points.length} values, arrow keys walk through them`);
  plot.addEventListener('mousemove', event => {
    if (!event.buttons) light(chart, event.target.closest('[data-row]'), event.clientX, event.clientY);
  });
  plot.addEventListener('mouseleave', () => light(chart, null));
  plot.addEventListener('click', event => light(chart, event.target.closest('[data-row]'), event.clientX, event.clientY));
  plot.addEventListener('keydown', event => key(chart, event));
  plot.addEventListener('blur', () => light(chart, null));
  draw(chart);
  views.add(chart);
  return chart;
}

// ---- files ----

const paper = `text{font:${font};fill:#222}.soft{fill:#666}.grid{stroke:#ddd}.limit{fill:#000}.line{fill:none;stroke-width:2}` +
  '.choice{display:none}.edged{stroke:#fff;stroke-width:.5}.inside{font-size:10.5px}.frame{fill:none;stroke:#888}' +
  '.range{fill:none;stroke:#222;stroke-width:1.25}.void{fill:#f0f0f0}.hatch{stroke:#999}.link{fill:none;stroke-width:3}.thin{stroke:#222;stroke-width:1}.over{font-weight:600}';

// The drawing as a file of its own.
function svgOf(chart) {
  const svg = chart.plot.querySelector('svg').outerHTML;
  return svg.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ').replace('>', `><style>${paper}</style>`) + '\n';
}

function csvOf(chart) {
  // as core/report/csv.c: a text that a spreadsheet takes for a formula stands behind an apostrophe
  const text = value => typeof value === 'string' && /^[=@\t\r]|^[+-].*[|!(]/s.test(value) ? "'" + value : value;
  const quoted = value => /[",\r\n]|^[ ']/.test(value) ? '"' + String(value).replace(/"/g, '""') + '"' : value;
  const field = value => value === null ? '' : quoted(text(value));
  return [chart.columns.map(c => c[0])].concat(chart.rows).map(r => r.map(field).join(',') + '\n').join('');
}

function save(name, type, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ---- pages laid out anew (a turned phone) draw anew ----

const views = new Set();
let waiting = 0;
if (typeof addEventListener === 'function') {
  addEventListener('resize', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      for (const chart of views)
        if (!chart.plot.isConnected) views.delete(chart);
        else if (Math.abs(chart.plot.clientWidth - chart.width) > 8) draw(chart);
    }, 150);
  });
  addEventListener('scroll', hideTip, {passive: true});
}

return {open, valueText, digits, escape, save, svgOf, csvOf};
})();
