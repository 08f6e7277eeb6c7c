// looks.js - looks.sh's pages, by name, from the current folder.
'use strict';
const fs = require('fs'), path = require('path');
const {openChromium, openPage} = require('./chromium.js');
const audit = fs.readFileSync(path.join(__dirname, 'audit.js'), 'utf8').replace(/^\/\/.*\n/gm, '');
const views = [{width: 390}, {width: 820, dark: true}, {width: 1440}, {width: 390, dark: true}, {width: 688, print: true}];
let failed = 0;

function check(right, what) {
  if (right) return;
  failed++;
  console.log('failed: ' + what);
}

async function open(browser, name, view) {
  const page = await openPage(browser, view);
  if (view.print) await page.send('Emulation.setEmulatedMedia', {media: 'print'});
  await page.go('file://' + path.resolve(name + '.html'));
  await page.until('document.documentElement.dataset.drawn !== undefined', name);
  return page;
}

async function looks(browser, name) {
  for (const view of views) {
    const page = await open(browser, name, view), said = `${name} at ${view.width} px${view.dark ? ', dark' : ''}${view.print ? ', printed' : ''}`;
    if (view.print) { // tables on sheets that are turned: 297 mm less the margins
      const wide = await page.evaluate(`[...document.querySelectorAll('.turned')].map(t => { const w = t.scrollWidth; t.closest('.data').remove(); return w; })`);
      check(wide.every(w => w <= 1032), `${said}: a turned table is ${Math.max(...wide)} px wide`);
      check(name !== 'study' || wide.length > 0, `${said}: no table is on a turned sheet`);
    }
    for (const what of await page.evaluate(audit)) check(false, `${said}: ${what}`);
    check(page.said.length === 0, `${said} says ${page.said.join('; ')}`);
    await page.close();
  }
}

const tip = `(document.getElementById('tip') && !document.getElementById('tip').hidden ? document.getElementById('tip').textContent : '')`;
const marks = id => `document.querySelectorAll('#${id} .drawn path').length`;

async function byPointer(browser) {
  const page = await open(browser, 'plan', {width: 1440});
  const at = await page.placeOf('#time .drawn path');
  await page.mouse('mouseMoved', at.x, at.y, {button: 'none'});
  await page.until('new Promise(done => setTimeout(done, 100, true))', 'the end of scrolling, which hides the value');
  await page.mouse('mouseMoved', at.x + 1, at.y, {button: 'none'});
  check((await page.evaluate(tip)).includes('matrix'), 'the pointer shows no value');
  const all = await page.evaluate(marks('schedule')), place = await page.placeOf('#schedule .plot svg');
  await page.mouse('mousePressed', place.x - 40, place.y);
  await page.mouse('mouseMoved', place.x + 40, place.y, {buttons: 1});
  await page.mouse('mouseReleased', place.x + 40, place.y);
  check(await page.evaluate(marks('schedule')) < all / 2, 'dragging does not enlarge');
  await page.click('#schedule .zoom button:last-child');
  check(await page.evaluate(marks('schedule')) === all, '"all" does not show all');
  await page.click('#memory .chips button');
  check(await page.evaluate(`document.querySelector('#memory .chips button').getAttribute('aria-pressed')`) === 'false', 'the legend does not hide');
  const first = `[...document.querySelectorAll('.data table')].find(t => t.rows.length > 7).tBodies[0].rows[0].cells[0].textContent`;
  await page.evaluate(`[...document.querySelectorAll('.data table')].find(t => t.rows.length > 7).id = 'sorted'`);
  const before = await page.evaluate(first);
  await page.click('#sorted th:nth-child(2) button');
  check(await page.evaluate(first) !== before, 'a column does not sort');
  await page.evaluate(`document.querySelector('#sorted').closest('.data').querySelector('.filter').id = 'filter'`);
  await page.click('#filter');
  await page.type('attention');
  check(await page.evaluate(`[...document.querySelectorAll('#sorted tbody tr')].filter(r => !r.hidden).length`) === 1, 'a filter does not filter');
  await page.close();
}

// Tab reaches everything, in the order of the page, and what has the focus shows it.
async function byKeyboard(browser) {
  const page = await open(browser, 'measured', {width: 1440});
  const all = await page.evaluate(`(window.stops = [...document.querySelectorAll('a[href], button, input, summary, .plot')].filter(e => e.checkVisibility())).length`);
  for (let stop = 0; stop < all; stop++) {
    await page.press('Tab');
    const {at, ring} = await page.evaluate(`({at: stops.indexOf(document.activeElement), ring: getComputedStyle(document.activeElement).outlineStyle})`);
    check(at === stop, `Tab ${stop + 1} leads to element ${at + 1}`);
    check(ring !== 'none', `element ${at + 1} does not show the focus`);
    if (at !== stop) break;
  }
  await page.evaluate(`document.querySelector('#schedule .plot').focus()`);
  await page.until('new Promise(done => setTimeout(done, 100, true))', 'the end of scrolling');
  await page.press('ArrowRight');
  check((await page.evaluate(tip)).includes('stage 0'), 'an arrow key says no value');
  await page.press('Escape');
  check(await page.evaluate(tip) === '', 'Escape does not end');
  await page.evaluate(`document.querySelector('.data th button').focus()`);
  await page.press('Enter');
  check(await page.evaluate(`document.querySelector('.data th').getAttribute('aria-sort')`) === 'ascending', 'Enter does not sort');
  await page.close();
}

// A finger: a touch shows a value, one that moves scrolls the page and enlarges nothing, the legend hides.
async function byTouch(browser) {
  const page = await open(browser, 'plan', {width: 390, touch: true});
  await page.send('Emulation.setTouchEmulationEnabled', {enabled: true});
  const touch = (type, x, y) => page.send('Input.dispatchTouchEvent', {type, touchPoints: type === 'touchEnd' ? [] : [{x, y}]});
  const still = `(from => new Promise(done => setTimeout(() => done(scrollY === from), 200)))(scrollY)`;
  const tap = async selector => {
    await page.until(still, 'the end of scrolling');
    const {x, y} = await page.placeOf(selector);
    await page.until(still, 'the end of scrolling');
    await touch('touchStart', x, y);
    await touch('touchEnd');
  };
  await tap('#time .drawn path');
  await page.until(tip + `.includes('matrix')`, 'a touch to show a value');
  const all = await page.evaluate(marks('schedule')), place = await page.placeOf('#schedule .plot svg'), from = await page.evaluate('scrollY');
  await touch('touchStart', place.x, place.y);
  for (let step = 1; step <= 8; step++) await touch('touchMove', place.x, place.y - 25 * step);
  await touch('touchEnd');
  await page.until(`scrollY > ${from} + 50`, 'a moving finger to scroll');
  check(await page.evaluate(marks('schedule')) === all, 'scrolling enlarges');
  await tap('#schedule .zoom button');
  await page.until(marks('schedule') + ` < ${all}`, 'a touch to enlarge');
  await tap('#memory .chips button');
  await page.until(`document.querySelector('#memory .chips button').getAttribute('aria-pressed') === 'false'`, 'a touch to hide');
  await page.close();
}

// What a screen reader is told: every control, figure and column has a name, headings leave out no
// level, and the value that the keys lead to is said.
async function byReader(browser) {
  const page = await open(browser, 'plan', {width: 1440});
  const {nodes} = await page.send('Accessibility.getFullAXTree');
  let level = 0, count = 0;
  for (const node of nodes.filter(n => !n.ignored)) {
    const role = node.role.value, name = node.name && node.name.value.trim();
    if (['button', 'link', 'searchbox', 'image', 'columnheader', 'heading', 'RootWebArea'].includes(role)) {
      check(name, `a ${role} has no name for a screen reader`);
      count++;
    }
    if (role !== 'heading') continue;
    const own = node.properties.find(p => p.name === 'level').value.value;
    check(own <= level + 1, `heading "${name}" leaves out a level`);
    level = own;
  }
  check(count > 100, 'the accessibility tree is empty');
  await page.evaluate(`document.querySelector('#time .plot').focus()`);
  await page.press('ArrowRight');
  const said = (await page.send('Accessibility.getFullAXTree')).nodes.filter(n => !n.ignored && n.role.value === 'status');
  const text = await page.evaluate(`document.querySelector('[role=status]').textContent`);
  check(said.length === 1 && text.includes('matrix') && /\d/.test(text), `the value is not said: "${text}"`);
  await page.close();
}

(async () => {
  const browser = await openChromium();
  if (!browser) {
    console.log('there is no chromium');
    process.exit(77);
  }
  try {
    for (const name of process.argv.slice(2)) await looks(browser, name);
    await byPointer(browser);
    await byKeyboard(browser);
    await byTouch(browser);
    await byReader(browser);
  } finally {
    browser.close();
  }
  process.exitCode = failed ? 1 : 0;
})();
