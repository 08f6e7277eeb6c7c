// check.js - looks at a page of `reckon report` from inside: what pages.sh adds to a copy of it.
// The result is the text of an element of its own: a line per failure, then what was seen.
(function () {
'use strict';
const failures = [];
let charts = 0, marks = 0, hovers = 0, toggles = 0;
const check = (right, what) => { if (!right) failures.push(what); };
const wait = time => new Promise(done => setTimeout(done, time));

function marksOf(figure) { return [...figure.querySelectorAll('.plot .drawn path')]; }

// A mark that the pointer can reach, with the place to reach it at.
function reachable(figure) {
  for (const mark of marksOf(figure)) {
    mark.scrollIntoView({block: 'center'});
    const box = mark.getBoundingClientRect();
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    if (box.width >= 1 && document.elementFromPoint(x, y) === mark) return {mark, x, y};
  }
  return null;
}

function checkHover(figure) {
  const found = reachable(figure);
  check(found, figure.id + ': no mark under the pointer');
  if (!found) return;
  found.mark.dispatchEvent(new MouseEvent('mousemove', {bubbles: true, clientX: found.x, clientY: found.y}));
  const tip = document.getElementById('tip') || found.mark;
  // At once: the event of the scrolling above, which hides the label, is still to come.
  check(!tip.hidden && tip.textContent.trim().length > 3, figure.id + ': hovering shows nothing');
  const box = tip.getBoundingClientRect();
  check(box.left >= 0 && box.right <= innerWidth + 1, figure.id + ': the label leaves the window');
  hovers++;
}

async function checkLegend(figure) {
  const chip = figure.querySelector('.chips button');
  if (!chip) return;
  const before = marksOf(figure).length;
  chip.click();
  await wait(60);
  check(marksOf(figure).length < before, figure.id + ': the legend hides nothing');
  chip.click();
  await wait(60);
  check(marksOf(figure).length === before, figure.id + ': the legend does not bring marks back');
  toggles++;
}

// The keys: arrows walk through the marks and say each, Escape ends.
function checkKeys(figure) {
  const plot = figure.querySelector('.plot'), press = key => plot.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
  press('ArrowRight');
  const tip = document.getElementById('tip');
  check(tip && !tip.hidden && figure.querySelector('.lit'), figure.id + ': an arrow key shows nothing');
  press('Escape');
  check(!tip || tip.hidden, figure.id + ': Escape does not end');
  if (!figure.querySelector('.zoom')) return;
  const all = marksOf(figure).length, wide = () => figure.querySelector('.drawn path').getBoundingClientRect().width;
  const before = wide();
  press('+');
  check(wide() > before * 1.5 || marksOf(figure).length < all, figure.id + ': + does not enlarge');
  const zoomed = figure.querySelector('.drawn').innerHTML;
  press('a');
  press('d');
  press('d');
  press('d');
  check(figure.querySelector('.drawn').innerHTML !== zoomed, figure.id + ': d does not move');
  press('s');
  check(marksOf(figure).length === all, figure.id + ': - does not show all');
}

async function checkFigure(figure) {
  const expected = Number(figure.dataset.rows), seen = marksOf(figure).length;
  check(expected > 0 && seen === expected, `${figure.id}: ${seen} marks for ${expected} rows`);
  check(figure.querySelector('.plot svg').getBoundingClientRect().right <= innerWidth,
    figure.id + ': wider than the window');
  for (const path of marksOf(figure))
    if (/NaN|undefined|Infinity/.test(path.getAttribute('d') + path.getAttribute('transform'))) {
      check(false, figure.id + ': a mark without a place');
      break;
    }
  charts++;
  marks += seen;
  checkHover(figure);
  checkKeys(figure);
  await checkLegend(figure);
}

function checkTable(table) {
  const headers = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const column = headers.findIndex(h => h.classList.contains('n'));
  if (column >= 0 && body.rows.length > 1) {
    const values = () => [...body.rows].map(r => Number(r.cells[column].dataset.v)).filter(Number.isFinite);
    headers[column].querySelector('button').click();
    headers[column].querySelector('button').click();
    const sorted = values();
    check(sorted.every((v, i) => i === 0 || sorted[i - 1] >= v), 'a table does not sort');
  }
  const filter = table.closest('.data').querySelector('.filter');
  if (!filter) return;
  const type = text => { filter.value = text; filter.dispatchEvent(new Event('input')); };
  type('no row has this text');
  check([...body.rows].every(r => r.hidden), 'a table does not filter');
  type('');
  check([...body.rows].every(r => !r.hidden), 'a table does not come back');
}

async function run() {
  for (let i = 0; i < 200 && !document.documentElement.dataset.drawn; i++) await wait(50);
  check(document.documentElement.dataset.drawn, 'the charts are not ready');
  for (const figure of document.querySelectorAll('figure')) if (figure.querySelector('.plot')) await checkFigure(figure);
  const tables = [...document.querySelectorAll('.data table')];
  tables.forEach(checkTable);
  check(document.documentElement.scrollWidth <= innerWidth + 1, 'the page is wider than the window');
  check(performance.getEntriesByType('resource').length === 0, 'the page loads something');
  failures.push(...window.pageErrors);
  return failures.concat(`done: ${charts} charts, ${marks} marks, ${hovers} hovers, ` +
    `${toggles} legends, ${tables.length} tables`);
}

function say(lines) {
  const result = document.createElement('pre');
  result.id = ['page', 'check'].join('-');
  result.textContent = lines.join('\n');
  document.body.append(result);
}

run().then(say, error => say(['check.js failed: ' + error]));
})();
