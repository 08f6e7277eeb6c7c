// page.js - opens what stands on a page of `reckon report`: its charts (charts.js), and its tables,
// which sort and filter.
(function () {
'use strict';

// ---- charts ----

function tools(figure, chart) {
  const box = document.createElement('div');
  box.className = 'tools';
  const add = (text, what, action) => {
    const button = document.createElement('button');
    Object.assign(button, {type: 'button', textContent: text, title: what, onclick: action});
    box.append(button);
  };
  add('SVG', 'save the drawing', () => reckonCharts.save(chart.id + '.svg', 'image/svg+xml', reckonCharts.svgOf(chart)));
  add('CSV', 'save the numbers', () => reckonCharts.save(chart.id + '.csv', 'text/csv', reckonCharts.csvOf(chart)));
  figure.prepend(box);
}

function openChart(figure) {
  const chart = JSON.parse(figure.querySelector('script').textContent);
  tools(figure, reckonCharts.open(figure.querySelector('.plot'), chart));
}

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

// Options of a command are not cut between their dashes.
function keepOptions(code) {
  code.innerHTML = code.innerHTML.replace(/(^|\s)(--?[a-z][\w-]*)/g, '$1<span>$2</span>');
}

document.querySelectorAll('.data table').forEach(openTable);
document.querySelectorAll('.from code, pre.command').forEach(keepOptions);
// Sentences at the end of a row that goes beyond the view need not be narrow.
for (const box of document.querySelectorAll('.wide'))
  if (box.scrollWidth > box.clientWidth + 1 && [...box.querySelectorAll('td:last-child')].some(cell => cell.textContent.length > 30))
    box.classList.add('beyond');
const figures = [...document.querySelectorAll('figure')].filter(figure => figure.querySelector('.plot')); // others are drawings
figures.forEach(openChart);
document.documentElement.dataset.drawn = figures.length;
})();
