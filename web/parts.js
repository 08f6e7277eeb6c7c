// parts.js - pieces of the page: elements, values for people, tables, figures.

const {valueText, escape} = reckonCharts;

// make('p', {className: 'soft'}, 'text', child, ...)
function make(tag, members = {}, ...children) {
  const element = document.createElement(tag), {attributes = {}, ...own} = members;
  Object.assign(element, own);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const $ = id => document.getElementById(id);

function daysText(days) {
  if (days === null || days === undefined) return '-';
  if (days < 1) return valueText(days * 86400, 's');
  if (days < 100) return `${+days.toPrecision(3)} days`;
  return days < 730 ? `${Math.round(days)} days` : `${+(days / 365.25).toPrecision(3)} years`;
}

function moneyText(usd) {
  if (usd === null || usd === undefined) return '-';
  for (const [size, name] of [[1e9, ' billion'], [1e6, ' million'], [1e4, 'k']])
    if (usd >= size) return `$${(usd / (name === 'k' ? 1e3 : size)).toPrecision(3).replace(/\.?0+$/, m => m.includes('.') ? '' : m)}${name}`;
  return `$${Math.round(usd).toLocaleString('en')}`;
}

const shareText = share => share === null || share === undefined ? '-' : `${(100 * share).toPrecision(3)} %`;
const gibText = bytes => bytes === null || bytes === undefined ? '-' : `${+(bytes / 2 ** 30).toPrecision(3)} GiB`;

function bigText(count) {
  for (const [size, name] of [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e3, 'k']])
    if (count >= size) return +(count / size).toPrecision(3) + name;
  return String(count);
}

// Cards of a few large figures: [name, value, what stands below, share of a capacity].
function cards(list) {
  return make('dl', {className: 'cards'}, ...list.map(([name, value, below, fill]) => {
    const dd = make('dd', {}, value);
    if (fill !== undefined && fill !== null)
      dd.append(make('span', {className: 'fill', attributes: {'aria-hidden': 'true'}},
        make('i', {style: `width:${Math.min(100, 100 * fill)}%` + (fill > 1 ? ';background:var(--alarm)' : '')})));
    dd.append(make('small', {}, below || ''));
    return make('div', {}, make('dt', {}, name), dd);
  }));
}

// columns: [title, cell => text or element, number?]
function table(columns, rows, more = {}) {
  const head = make('tr', {}, ...columns.map(([title, , number]) =>
    make('th', {textContent: title, className: number ? 'n' : '', attributes: {scope: 'col'}})));
  const body = make('tbody', {}, ...rows.map((row, i) => {
    const line = make('tr', {}, ...columns.map(([, cell, number]) => make('td', {className: number ? 'n' : ''}, cell(row, i))));
    if (more.row) more.row(line, row, i);
    return line;
  }));
  return make('div', {className: 'wide'}, make('table', {className: more.className || ''}, make('thead', {}, head), body));
}

// A table of a report's block: columns [name, title, unit], rows of cells.
function blockTable(block) {
  const number = i => block.rows.some(row => typeof row[i] === 'number');
  const titles = block.columns.map(([name, title]) => title === name ? name.replace(/_/g, ' ') : title);
  const text = (cell, unit) => valueText(cell, unit);
  if (block.record)
    return table([['name', r => r[0]], ['value', r => r[1], true]],
      block.columns.map(([, , unit], i) => [titles[i], text(block.rows[0][i], unit)]));
  return table(block.columns.map(([, , unit], i) => [titles[i], row => text(row[i], unit), number(i)])
    .filter((column, i) => block.columns[i][0] !== 'bar'), block.rows);
}

function card(title, text, ...children) {
  return make('div', {className: 'data'}, title ? make('h3', {textContent: title}) : null,
    text ? make('p', {textContent: text}) : null, ...children);
}

// A figure with a chart in it; drawn when `place` is in the page.
function figure(place, chart, title, caption) {
  const plot = make('div', {className: 'plot'}), tools = make('div', {className: 'tools'});
  const whole = make('figure', {id: 'figure-' + chart.id}, tools,
    make('figcaption', {}, make('h3', {textContent: title}), caption ? make('p', {textContent: caption}) : null), plot);
  place.append(whole);
  const view = reckonCharts.open(plot, chart);
  for (const [name, what, act] of [
    ['SVG', 'save the drawing', () => reckonCharts.save(chart.id + '.svg', 'image/svg+xml', reckonCharts.svgOf(view))],
    ['CSV', 'save the numbers', () => reckonCharts.save(chart.id + '.csv', 'text/csv', reckonCharts.csvOf(view))]])
    tools.append(make('button', {type: 'button', textContent: name, title: what, onclick: act}));
  return whole;
}

const blockFigure = (place, block) => figure(place, block.chart, block.title, block.text);

const axis = (title, more = {}) => ({title, factor: 1, log: false, ticks: [], ...more});

function copy(button, text) {
  const said = button.textContent;
  const done = word => { button.textContent = word; setTimeout(() => { button.textContent = said; }, 1500); };
  navigator.clipboard.writeText(text).then(() => done('Copied'), () => done('Not allowed here'));
}
