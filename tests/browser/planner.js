// planner.js - the planner in Chromium, used by pointer and by keyboard, at three widths, light and
// dark: it answers, what is changed changes the answer, the link brings it back, nothing leaves the
// page and nothing is said on the console. Screenshots stay in BUILD/tests/browser.
'use strict';
const fs = require('fs'), path = require('path');
const {openChromium, openPage} = require('./chromium.js'), {askExecutable, compare} = require('./questions.js');
const source = process.env.RECKON_SOURCE || path.join(__dirname, '../..');
const build = process.env.RECKON_BUILD || path.join(source, 'build'), shots = path.join(build, 'tests/browser');
const file = path.join(source, 'build-page/reckon.html');
const audit = fs.readFileSync(path.join(__dirname, 'audit.js'), 'utf8').replace(/^\/\/.*\n/gm, '');
let failed = 0;

function check(right, what) {
  if (right) return;
  failed++;
  console.log('failed: ' + what);
}

const answered = page => page.until(`document.documentElement.dataset.answered && !document.querySelector('.stale')`, 'an answer', 60000);
const settled = async page => {
  await page.until('document.documentElement.dataset.settled === document.documentElement.dataset.answered', 'all of the answer', 60000);
};
const headline = page => page.evaluate(`document.querySelector('#headline h2').textContent`);

// Does something and waits for the next answer.
async function after(page, what, act) {
  const before = await page.evaluate('document.documentElement.dataset.answered');
  await act();
  await page.until(`document.documentElement.dataset.answered > ${before} && (!document.querySelector('.stale') || !document.getElementById('wrong').hidden)`, 'an answer after ' + what, 60000);
}

async function open(browser, view, hash = '') {
  const page = await openPage(browser, view);
  await page.go('file://' + file + hash);
  await answered(page);
  return page;
}

async function looks(browser) {
  for (const [width, dark] of [[1440, false], [1440, true], [800, false], [390, false], [390, true]]) {
    const name = `planner-${width}${dark ? '-dark' : ''}`, page = await open(browser, {width, dark, height: 900}, '#m=llama3.1-8b&g=32&b=256');
    await settled(page);
    const wide = await page.evaluate(`Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('.plot svg')].map(s => s.getBoundingClientRect().right))`);
    check(wide <= width + 1, `${name}: ${wide} px wide`);
    const small = await page.evaluate(`[...document.querySelectorAll('form label, form select, form input:not(.hidden), form button')]
      .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1).length`);
    check(small === 0, `${name}: ${small} fields beyond the edge`);
    for (const what of await page.evaluate(audit)) check(false, `${name}: ${what}`);
    await page.shoot(path.join(shots, name + '.png'));
    check(page.said.length === 0, `${name} says: ${page.said.join('; ')}`);
    await page.close();
  }
}

async function byPointer(browser) {
  const page = await open(browser, {width: 1440}, '#m=llama3.1-8b&g=64&b=256'), first = await headline(page);
  console.log(`first answer after ${await page.evaluate('document.documentElement.dataset.first')} ms: ${first}`);
  // Drag the number of GPUs.
  const knob = await page.placeOf('#gpus-range');
  await after(page, 'dragging', async () => {
    await page.mouse('mousePressed', knob.x, knob.y);
    for (let step = 1; step <= 6; step++) await page.mouse('mouseMoved', knob.x + step * 12, knob.y, {buttons: 1});
    await page.mouse('mouseReleased', knob.x + 72, knob.y);
  });
  const gpus = await page.evaluate(`Number(document.getElementById('gpus').value)`);
  check(gpus > 64 && await headline(page) !== first, `dragging to ${gpus} GPUs leaves ${await headline(page)}`);
  check((await page.evaluate('location.hash')).includes('g=' + gpus), 'the link does not say the number of GPUs');
  // Take another plan.
  await settled(page);
  await after(page, 'taking a plan', () => page.click('.plans tbody tr:nth-child(3)'));
  check(await page.evaluate(`document.querySelector('.plans tbody tr:nth-child(3) input').checked`), 'a plan is not taken');
  // The schedule, enlarged by a drag.
  await settled(page);
  await page.until(`document.querySelector('#figure-schedule .drawn path')`, 'the schedule');
  const plot = await page.placeOf('#figure-schedule .plot'), marks = `(marks => ({count: marks.length,
    widest: Math.max(...marks.map(mark => mark.getBoundingClientRect().width))}))([...document.querySelectorAll('#figure-schedule .drawn path')])`;
  const before = await page.evaluate(marks);
  await page.mouse('mousePressed', plot.left + 0.2 * plot.width, plot.y - 20);
  await page.mouse('mouseMoved', plot.left + 0.3 * plot.width, plot.y - 20, {buttons: 1});
  await page.mouse('mouseReleased', plot.left + 0.3 * plot.width, plot.y - 20);
  const enlarged = await page.evaluate(marks);
  check(enlarged.count < before.count || enlarged.widest > 1.5 * before.widest, `dragging does not enlarge the schedule: ${JSON.stringify([before, enlarged])}`);
  // Two plans.
  await settled(page);
  await after(page, 'keeping a plan', () => page.click('#pin'));
  await page.until(`document.querySelector('#beside-section table')`, 'the plan that is kept');
  await after(page, 'taking another', () => page.click('.plans tbody tr:nth-child(1)'));
  await page.until(`document.querySelector('#beside-section table')`, 'two plans side by side');
  check(await page.evaluate(`document.querySelectorAll('#figure-beside .drawn path').length`) > 4, 'two plans are not drawn');
  await settled(page);
  await page.shoot(path.join(shots, 'planner-beside.png'));
  // What was asked stands in the link.
  const link = await page.evaluate('location.hash'), said = await headline(page), again = await open(browser, {width: 1440}, link);
  check(await headline(again) === said, `the link gives ${await headline(again)}, not ${said}`);
  await again.close();
  check(page.said.length === 0, `the pointer's page says: ${page.said.join('; ')}`);
  await page.close();
}

// What needs no search is there at once, and the search that follows changes none of it. Times are
// told, not judged: those of the page and its workers.
async function promptly(browser) {
  const page = await open(browser, {width: 1440});
  const used_s = async () => (await browser.send('SystemInfo.getProcessInfo')).processInfo
    .filter(process => process.type === 'renderer').reduce((sum, process) => sum + process.cpuTime, 0);
  const input = (id, value) => `{ const field = document.getElementById('${id}'); field.value = ${value}; field.dispatchEvent(new Event('input')); }`;
  await settled(page);
  await page.until(`document.querySelectorAll('#figure-scale .drawn path').length > 8`, 'other numbers of GPUs', 60000);
  for (const [what, act] of [['another plan', `document.querySelector('.plans tbody tr:nth-child(3)').click()`],
    ['the best plan', `document.querySelector('.plans tbody tr:nth-child(1)').click()`], ['tokens', input('tokens', `'3T'`)],
    ['a price', input('price', `'3'`)], ['more GPUs', input('gpus-range', 'Number(field.value) + 1')]]) {
    const before = await used_s(), turn = await page.evaluate('document.documentElement.dataset.answered');
    const wall_ms = await page.evaluate(`(async () => { const shown = document.documentElement.dataset.shown, start = performance.now(); ${act};
      while (document.documentElement.dataset.shown === shown) await new Promise(done => setTimeout(done, 2));
      return Math.round(performance.now() - start); })()`);
    console.log(`${what}: ${wall_ms} ms, ${Math.round(1000 * (await used_s() - before))} ms of processor time`);
    const early = await headline(page);
    await page.until(`document.documentElement.dataset.answered > ${turn}`, 'the list of plans', 60000);
    await settled(page);
    check(await headline(page) === early, `${what}: the search makes ${await headline(page)} of ${early}`);
    const row = await page.evaluate(`document.querySelector('.plans tr.chosen').textContent`);
    check(row.includes(early.split(' and ')[0].replace(/^\w+: /, '')), `${what}: ${early}, but in the list of plans ${row}`);
  }
  check(page.said.length === 0, `the quick page says: ${page.said.join('; ')}`);
  await page.close();
}

async function byKeyboard(browser) {
  const page = await open(browser, {width: 1000}, '#m=llama3.1-8b&g=64&b=256'), first = await headline(page);
  const focused = () => page.evaluate(`(document.activeElement.id || document.activeElement.name || document.activeElement.className)`);
  const tabTo = async id => {
    for (let i = 0; i < 60 && await focused() !== id; i++) await page.press('Tab');
    check(await focused() === id, `Tab does not reach ${id}`);
  };
  await tabTo('gpus-range');
  await after(page, 'an arrow key', () => page.press('ArrowRight'));
  check(await headline(page) !== first, 'an arrow key does not change the number of GPUs');
  await tabTo('tokens');
  await after(page, 'typing tokens', () => page.type('2T'));
  check(/2T tokens/.test(await page.evaluate(`document.querySelector('#headline p').textContent`)), 'typed tokens are not asked for');
  await settled(page);
  await tabTo('plan');
  await after(page, 'an arrow key in the plans', () => page.press('ArrowDown'));
  await page.evaluate(`document.querySelector('#time-section .plot').focus()`);
  await settled(page); // what scrolls takes the label away
  await page.press('ArrowRight');
  check(await page.evaluate(`!document.getElementById('tip').hidden`), 'arrow keys say nothing of a chart');
  const unnamed = await page.evaluate(`[...document.querySelectorAll('button, input, select, textarea, [tabindex="0"]')].filter(e => e.checkVisibility() &&
    !e.textContent.trim() && !e.getAttribute('aria-label') && !(e.labels && e.labels.length)).map(e => e.outerHTML.slice(0, 80))`);
  check(unnamed.length === 0, `without a name: ${unnamed.join(' ')}`);
  check(page.said.length === 0, `the keyboard's page says: ${page.said.join('; ')}`);
  await page.close();
}

async function ownModel(browser) {
  const page = await open(browser, {width: 1440}, '#g=8&b=64');
  const config = {model_type: 'llama', hidden_size: 2048, intermediate_size: 8192, num_hidden_layers: 16, num_attention_heads: 32,
    num_key_value_heads: 8, vocab_size: 128256, max_position_embeddings: 8192, tie_word_embeddings: true, torch_dtype: 'bfloat16'};
  // A file dropped on the page.
  await after(page, 'dropping a file', () => page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(JSON.stringify(config))}], 'config.json', {type: 'application/json'}));
    document.getElementById('drop').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
  })()`));
  check(/your model/.test(await page.evaluate(`document.querySelector('#headline p').textContent`)), 'a dropped model is not asked for');
  await after(page, 'a wrong model', () => page.evaluate(`(() => { const c = document.getElementById('config'); c.value = '{"hidden_size": 3}'; c.dispatchEvent(new Event('input')); })()`));
  check(await page.evaluate(`!document.getElementById('wrong').hidden`), 'a wrong model is not refused');
  check(await page.evaluate(`document.getElementById('headline').classList.contains('stale') && document.getElementById('sections').classList.contains('stale')`),
    'an answer under an error does not look old');
  // What does not fit says what would help.
  await after(page, 'a new link', () => page.evaluate(`location.hash = '#m=llama3.1-405b&g=8&b=64'`));
  check(await headline(page) === 'It does not fit.' && await page.evaluate(`document.querySelectorAll('#change-section tbody tr').length`) > 0,
    'what does not fit has no remedy');
  await page.shoot(path.join(shots, 'planner-nothing.png'));
  // A plan of a link that does not fit is shown with the reason; a wrong one leaves no old answer.
  for (const [what, pipeline, said] of [['a plan near the memory', 4, /unsure.*It fits with/], ['a plan too large', 2, /cannot run.*HBM3.*It fits with/]]) {
    await after(page, what, () => page.evaluate(`location.hash = '#m=llama3.1-70b&g=64&b=128&p=tp4+pp${pipeline}+gbs128+sp+zero1'`));
    const warning = await page.evaluate(`(document.querySelector('#headline .warning') || {}).textContent`);
    check(said.test(warning), `${what} has no remedy: ${warning}`);
  }
  check(page.said.length === 0, `the model's page says: ${page.said.join('; ')}`);
  await page.close();
}

// One's own plan: parts that are locked, and words; models that are searched.
async function ownPlan(browser) {
  const page = await open(browser, {width: 1440}, '#m=llama3.1-8b&g=16&b=256');
  const fill = (id, text) => page.evaluate(`(() => { const e = document.getElementById('${id}'); e.value = ${JSON.stringify(text)};
    e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input')); })()`);
  await after(page, 'locking tensor', () => fill('lock-tp', '4'));
  await settled(page);
  const plans = await page.evaluate(`[...document.querySelectorAll('.plans td:last-child')].map(cell => cell.textContent)`);
  check(plans.length > 0 && plans.every(plan => /(^| )tp4( |$)/.test(plan)), `a lock is not kept: ${plans[0]}`);
  await after(page, 'unlocking', () => page.click('#unlock'));
  await fill('mine', 'tp8 sp zero1');
  await after(page, 'comparing', () => page.click('#compare-mine'));
  await page.until(`!document.getElementById('beside-section').hidden`, 'both plans', 60000);
  check(/tp8/.test(await page.evaluate('location.hash')), "one's own plan is not in the link");
  await fill('find', 'deepseek moe');
  const found = await page.evaluate(`[...document.getElementById('model').options].map(option => option.value)`);
  check(found.length > 0 && found.every(id => /deepseek/.test(id)), `models that are found: ${found}`);
  check(page.said.length === 0, `the page says: ${page.said.join('; ')}`);
  await page.close();
}

// The same questions as questions.js, asked in the page.
async function questions(browser) {
  const page = await open(browser, {width: 1000});
  failed += await compare(words => page.evaluate(`reckon(${JSON.stringify(words)})`), Number(process.env.RECKON_QUESTIONS || 12), 7);
  await page.close();
}

// What stands first in the page is what `reckon search` finds, by the framework that runs on the machine.
async function asProgram(browser) {
  for (const [model, system, gpus, batch] of [['llama3.1-8b', 'h100-sxm5-80g', 32, 256], ['llama3.1-8b', 'tpu-v5p', 64, 64], ['mixtral-8x7b', 'a100-sxm4-80g', 64, 128]]) {
    const page = await open(browser, {width: 1000}, `#m=${model}&s=${system}&g=${gpus}&b=${batch}`);
    await settled(page);
    const {text} = askExecutable(['search', model, system, '-g', gpus, '-b', batch, '-k', '1', '-q', '--format', 'json'].map(String));
    const best = JSON.parse(text).best[0], shown = await page.evaluate(`document.getElementById('bar').textContent`);
    const [, step, unit, mfu] = shown.match(/([\d.]+)\s(ms|s|min), MFU ([\d.]+)/) || [];
    const scale = {ms: 1e-3, s: 1, min: 60}[unit], near = (a, b) => Math.abs(a / b - 1) < 0.006; // three digits
    check(near(step * scale, best.step_s) && near(mfu / 100, best.mfu), `${model} on ${system}: the page has ${shown}, reckon search ${best.step_s} s, MFU ${best.mfu}`);
    await page.close();
  }
}

(async () => {
  if (!fs.existsSync(file)) { console.log('there is no page: ./dev page'); process.exit(77); }
  fs.mkdirSync(shots, {recursive: true});
  const browser = await openChromium();
  if (!browser) { console.log('there is no chromium'); process.exit(77); }
  try {
    for (const part of [byPointer, promptly, byKeyboard, ownModel, ownPlan, asProgram, questions, looks].filter(p => !process.argv[2] || p.name === process.argv[2]))
      await part(browser).catch(failure => check(false, `${part.name}: ${failure.message}`));
  } finally {
    browser.close();
  }
  console.log(failed ? `${failed} failed` : 'done');
  process.exitCode = failed ? 1 : 0;
})();
