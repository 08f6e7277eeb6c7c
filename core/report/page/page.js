// page.js - opens what stands on a page of `reckon report`: its charts (charts.js), and its tables,
// which sort and filter.
(function () {
'use strict';

// ---- buttons of a card ----

function addTool(card, text, what, action) {
  let box = card.querySelector(':scope > .tools');
  if (!box) {
    box = document.createElement('div');
    box.className = 'tools';
    card.prepend(box);
  }
  const button = document.createElement('button');
  Object.assign(button, {type: 'button', textContent: text, title: what, onclick: () => action(button)});
  box.append(button);
}

// Where a browser gives pages from disk no clipboard, the text is selected instead.
function copy(text, element, button) {
  const said = button.textContent, done = () => {
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = said; }, 1500);
  };
  const select = () => {
    for (let box = element.closest('details'); box; box = null) box.open = true;
    getSelection().selectAllChildren(element);
    if (document.execCommand('copy')) done();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, select); else select();
}

function openCommand(card, element) {
  addTool(card, 'Copy command', 'copy the command that gives these numbers', button => copy(element.textContent, element, button));
}

// ---- charts ----

function openChart(figure) {
  const chart = reckonCharts.open(figure.querySelector('.plot'), JSON.parse(figure.querySelector('script').textContent));
  addTool(figure, 'SVG', 'save the drawing', () => reckonCharts.save(chart.id + '.svg', 'image/svg+xml', reckonCharts.svgOf(chart)));
  addTool(figure, 'CSV', 'save the numbers', () => reckonCharts.save(chart.id + '.csv', 'text/csv', reckonCharts.csvOf(chart)));
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
const nav = document.querySelector('nav'), root = document.documentElement;
// Headings of tables stay below the navigation. What is wider than the page moves sideways; sentences
// at the end of such a row need not be narrow.
function fit() {
  root.style.setProperty('--nav', (nav ? nav.offsetHeight : 0) + 'px');
  for (const box of document.querySelectorAll('.wide')) {
    box.classList.remove('beyond', 'tall');
    if (box.scrollWidth <= box.clientWidth + 1) continue;
    box.classList.add('beyond');
    box.tabIndex = 0; // keys move it, too
    box.setAttribute('role', 'region');
    box.setAttribute('aria-label', 'table, moves sideways');
    if ([...box.querySelectorAll('td:last-child')].some(cell => cell.textContent.length > 30)) box.classList.add('tall');
  }
}
fit();
addEventListener('resize', fit);
const figures = [...document.querySelectorAll('figure')].filter(figure => figure.querySelector('.plot')); // others are drawings
figures.forEach(openChart);
for (const card of document.querySelectorAll('figure, .data, .verdict')) {
  const command = card.querySelector(':scope > .from code');
  if (command) openCommand(card, command);
}
document.querySelectorAll('pre.command').forEach(pre => {
  const card = document.createElement('div');
  card.className = 'commands';
  pre.replaceWith(card);
  card.append(pre);
  openCommand(card, pre);
});
// The section in view is marked in the navigation.
const links = nav ? [...nav.querySelectorAll('a')] : [];
function mark() {
  const above = links.filter(a => document.getElementById(a.hash.slice(1)).getBoundingClientRect().top < innerHeight / 3).pop();
  for (const link of links) if (link === above) link.setAttribute('aria-current', 'true'); else link.removeAttribute('aria-current');
}
if (links.length) { addEventListener('scroll', mark, {passive: true}); mark(); }
document.documentElement.dataset.drawn = figures.length;
})();
