// planner.js - the page: its form, its link, and what is asked when something changes.

const question = readLink(location.hash);
const sizes = [1, 2, 4];
for (let nodes = 1; nodes <= 2048; nodes *= 2) sizes.push(8 * nodes, ...(nodes > 1 ? [12 * nodes] : []));

let lanes, names, listed, campaign, known = {}, turn = 0, latest = null;

const read = answer => { if (answer.error) throw Object.assign(new Error(answer.error.text), {of: answer.error}); return JSON.parse(answer.text); };

// ---- the form ----

function group(title, entries) {
  return make('optgroup', {label: title}, ...entries.map(entry => make('option', {value: entry.id, textContent: entry.name || entry.id})));
}

// By the first word of their names; what stands for papers comes last.
function fillModels(list) {
  const family = entry => /published with/.test(entry.name) || /^Multi-|MEMO|Fine-grained|BigMac/.test(entry.name) ? 'from papers' : entry.name.split(/[ \-0-9.]/)[0];
  const count = {}, groups = new Map();
  for (const entry of list) count[family(entry)] = (count[family(entry)] || 0) + 1;
  for (const entry of list) {
    const name = family(entry) === 'from papers' || count[family(entry)] > 1 ? family(entry) : 'others';
    groups.set(name, [...(groups.get(name) || []), entry]);
  }
  const last = ['others', 'from papers'], order = [...groups.keys()].sort((a, b) => last.indexOf(a) - last.indexOf(b));
  $('model').replaceChildren(...order.map(name => group(name, groups.get(name))));
}

// Models that have every word of the search in their name, id or kind, still by groups.
function findModels() {
  const wanted = $('find').value.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = entry => `${entry.id} ${entry.name} ${entry.active_parameters < entry.parameters ? 'moe mixture of experts' : 'dense'}`.toLowerCase();
  const some = listed.models.filter(entry => wanted.every(word => textOf(entry).includes(word)));
  fillModels(some);
  $('found').textContent = wanted.length ? `${some.length} of ${listed.models.length} models` : '';
  if (!question.config && some.some(entry => entry.id === question.model)) $('model').value = question.model;
  else $('model').selectedIndex = -1;
  return some;
}

function fillSystems(list) {
  const kind = entry => /isaev|offload memory|Selene|MEMO|HBM|on NVSwitch/.test(entry.name) || /^(h100|a100)-80g$/.test(entry.id) ? 'from papers'
    : /^(h|b|gb|gh)\d/.test(entry.id) ? 'NVIDIA Hopper and Blackwell' : /NVIDIA/.test(entry.name) ? 'NVIDIA, older' : 'others';
  $('system').append(...['NVIDIA Hopper and Blackwell', 'NVIDIA, older', 'others', 'from papers']
    .map(name => group(name, list.filter(entry => kind(entry) === name))));
}

function nearestSize(gpus) {
  return sizes.reduce((best, size, i) => Math.abs(Math.log(size / gpus)) < Math.abs(Math.log(sizes[best] / gpus)) ? i : best, 0);
}

// The form as the question says.
function showQuestion() {
  const locks = readLocks(question.locks);
  for (const key in lockFields) if (document.activeElement !== $('lock-' + key)) $('lock-' + key).value = locks.fields[key] || '';
  if (document.activeElement !== $('lock-rest')) $('lock-rest').value = locks.rest;
  for (const id of ['gpus', 'batch', 'sequence', 'tokens', 'price', 'framework', 'precision', 'tuning', 'headroom', 'where', 'memory_GiB', 'domain', 'link_GBps', 'network_GBps', 'more', 'config'])
    if (document.activeElement !== $(id)) $(id).value = question[id];
  if (question.config && !$('model').querySelector('[value=""]')) $('model').prepend(make('option', {value: '', textContent: 'your own'}));
  if (!question.config && $('model').querySelector('[value=""]')) $('model').querySelector('[value=""]').remove();
  $('model').value = question.config ? '' : question.model;
  $('system').value = question.system;
  $('gpus-range').max = sizes.length - 1;
  $('gpus-range').value = nearestSize(question.gpus);
  $('gpus-range').setAttribute('aria-valuetext', `${question.gpus} GPUs`);
  $('gpus-shown').textContent = Number(question.gpus).toLocaleString('en');
}

function showHints(model, system) {
  const sequence = Number(question.sequence) || model.sequence, tokens = question.batch * sequence;
  $('sequence').placeholder = model.sequence;
  $('batch-hint').textContent = `${bigText(tokens)} tokens per step` + (known.tokens_by ? `; ${known.tokens_by}` : '');
  const [fast, slow] = system.networks;
  $('memory_GiB').placeholder = +(system.memories[0].capacity_bytes / 2 ** 30).toPrecision(4);
  $('domain').placeholder = fast ? fast.size : '';
  $('link_GBps').placeholder = fast ? +(fast.bandwidth_Bps / 1e9).toPrecision(4) : '';
  $('network_GBps').placeholder = slow ? +(slow.bandwidth_Bps / 1e9).toPrecision(4) : '';
}

function change(values) {
  const fresh = Object.keys(values).some(name => isFresh(name) && values[name] !== question[name]);
  Object.assign(question, values);
  if (fresh && !('plan' in values)) question.plan = '';
  showQuestion();
  history.replaceState(null, '', '#' + writeLink(question));
  answer();
}

function openForm() {
  $('model').onchange = () => change({model: $('model').value, config: '', sequence: '', tokens: ''});
  $('system').onchange = () => change({system: $('system').value, memory_GiB: '', domain: '', link_GBps: '', network_GBps: '', more: '', price: ''});
  $('gpus-range').oninput = () => change({gpus: String(sizes[$('gpus-range').value])});
  for (const id of ['gpus', 'batch', 'sequence', 'tokens', 'price', 'memory_GiB', 'domain', 'link_GBps', 'network_GBps', 'more', 'framework', 'precision', 'tuning', 'headroom', 'where'])
    $(id).addEventListener($(id).tagName === 'SELECT' ? 'change' : 'input', () => {
      const value = $(id).value.trim();
      if ((id === 'gpus' || id === 'batch') && !/^[1-9]\d*$/.test(value)) return;
      change({[id]: value});
    });
  $('find').oninput = findModels;
  $('find').onkeydown = event => {
    if (event.key !== 'Enter') return;
    const some = findModels();
    if (some.length) change({model: some[0].id, config: '', sequence: '', tokens: ''});
  };
  openPlan();
  $('config').oninput = () => change({config: $('config').value.trim(), sequence: '', tokens: ''});
  $('clear-model').onclick = () => change({config: '', sequence: '', tokens: ''});
  $('show-model').onclick = async () => {
    const answer = await lanes.quick.ask(['text', question.model]);
    if (answer) change({config: answer.text, sequence: '', tokens: ''});
  };
  $('question').onsubmit = event => event.preventDefault();
  $('file').onchange = () => takeFile($('file').files[0]);
  const drop = $('drop');
  for (const target of [drop, document.body]) {
    target.addEventListener('dragover', event => { event.preventDefault(); drop.classList.add('over'); });
    target.addEventListener('dragleave', () => drop.classList.remove('over'));
  }
  document.body.addEventListener('drop', event => {
    event.preventDefault();
    drop.classList.remove('over');
    if (event.dataTransfer.files.length) takeFile(event.dataTransfer.files[0]);
  });
  // On a phone the form comes first: the answer in one line as long as it is out of sight.
  new IntersectionObserver(([seen]) => { $('bar').hidden = seen.isIntersecting || seen.boundingClientRect.top < 0; }).observe($('headline'));
  $('share').onclick = () => copy($('share'), location.href);
  $('pin').onclick = () => change({beside: writeLink({...question, plan: known.plan || question.plan, beside: ''})});
  addEventListener('hashchange', () => { Object.assign(question, readLink(location.hash)); showQuestion(); answer(); });
}

// Fields that lock a part of the plan, and a plan in one's own words.
function openPlan() {
  const locks = () => writeLocks(Object.fromEntries(Object.keys(lockFields).map(key => [key, $('lock-' + key).value.trim()])), $('lock-rest').value);
  for (const key of [...Object.keys(lockFields), 'rest']) {
    const field = $('lock-' + key);
    field.addEventListener(field.tagName === 'SELECT' ? 'change' : 'input', () => change({locks: locks()}));
  }
  const inLocks = word => Object.values(lockFields).some(pattern => pattern.test(word));
  $('lock-chosen').onclick = () => change({locks: wordsOf(known.plan || '').filter(inLocks).join(' ')});
  $('unlock').onclick = () => change({locks: ''});
  const mine = () => ownPlan(question, $('mine').value);
  $('show-mine').onclick = () => { if ($('mine').value.trim()) change({plan: mine()}); };
  $('compare-mine').onclick = () => {
    const best = latest && latest.search.best[0];
    if ($('mine').value.trim() && best) change({plan: mine(), beside: writeLink({...question, plan: best.plan, beside: ''})});
  };
  $('show-best').onclick = () => change({plan: '', beside: ''});
  $('mine').onkeydown = event => { if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); $('show-mine').click(); } };
}

async function takeFile(file) {
  const text = await file.text();
  $('own').open = true;
  $('config').value = text;
  change({config: text.trim(), sequence: '', tokens: ''});
}

// ---- asking ----

// Under an error what is shown is an older answer: it stays grey.
function fail(message) {
  $('wrong').textContent = message ? `${message.replace(/\.?$/, '.')} What is below answers an earlier question.` : '';
  $('wrong').hidden = !message;
  $('headline').classList.toggle('stale', Boolean(message));
  $('sections').classList.toggle('stale', Boolean(message));
}

function busy(text, share) {
  $('busy').hidden = text === null;
  if (text === null) return;
  $('busy-text').textContent = text;
  if (share === undefined) $('progress').removeAttribute('value'); else $('progress').value = share;
}

// What the link does not say: the model as it is read, the tokens that it is usually trained on.
async function learn(mine) {
  const key = [modelWord(question), question.config, systemWord(question)].join('\n');
  if (known.key !== key) {
    const model = await lanes.quick.ask(['models', modelWord(question), '--format', 'json'], filesOf(question));
    if (mine !== turn || !model) return false;
    const system = await lanes.quick.ask(['systems', systemWord(question), '--format', 'json']);
    if (mine !== turn || !system) return false;
    const m = read(model), s = read(system);
    known = {key, model: m.model, system: s.system, runs: s.kernels.frameworks.split(' '), names: {model: question.config ? 'your model' : (m.entry && m.entry.name) || question.model,
      system: (s.entry && s.entry.name) || names.systems.get(question.system) || question.system}};
  }
  if (known.runs[0] !== 'any' && !known.runs.includes(question.framework)) { // as the commands take it
    question.framework = known.runs[0];
    showQuestion();
  }
  if (systemWord(question) !== question.system) known.names.system = `${names.systems.get(question.system)}, changed`;
  const usual = campaign.tokens.find(entry => entry.model === question.model && !question.config);
  known.tokens = question.tokens || String(usual ? usual.tokens : 20 * known.model.parameters);
  known.tokens_by = question.tokens ? '' : usual ? `${bigText(usual.tokens)} in total, as the model was trained` : `${bigText(Number(known.tokens))} in total, 20 per parameter`;
  $('tokens').placeholder = bigText(Number(usual ? usual.tokens : 20 * known.model.parameters));
  showHints(known.model, known.system);
  return true;
}

const withTokens = of => ({...of, tokens: of.tokens || known.tokens});

async function predictAndReport(mine, of, plan) {
  const full = withTokens(of), files = filesOf(of);
  const answers = [await lanes.quick.ask(planWords('predict', full, plan, runWords(full)), files)];
  if (!answers[0] || mine !== turn) return null; // or it would take the place of a newer question
  answers.push(await lanes.quick.ask(planWords('report', of, plan), files));
  return answers[1] && {prediction: read(answers[0]), report: read(answers[1])};
}

// The best plans that searches found, by the space that was searched: no word of the run changes them.
const bests = new Map();
const spaceOf = of => JSON.stringify([searchWords(of), of.config]);

function keepBest(of, search) {
  if (search.best.length) bests.set(spaceOf(of), search.best[0].plan);
}

async function findPlans(mine) {
  const full = withTokens(question), words = searchWords(question, [...runWords(full), '-k', '8']);
  if (latest && latest.words === JSON.stringify([words, filesOf(question)])) return latest.search;
  const started = performance.now();
  const answer = await lanes.search.ask(words, filesOf(question), ({done, total}) => {
    if (mine === turn && performance.now() - started > 200)
      busy(`${bigText(done)} of ${bigText(total)} plans`, total ? done / total : undefined);
  });
  if (mine === turn) busy(null);
  if (!answer || mine !== turn) return null;
  const search = read(answer);
  latest = {words: JSON.stringify([words, filesOf(question)]), search};
  keepBest(question, search);
  return search;
}

function clear(...ids) {
  for (const id of ids) if ($(id)) $(id).hidden = true;
}

// A plan that is chosen, or known to be the best, is shown before the search that lists the others.
async function answer() {
  const mine = ++turn;
  $('sections').classList.add('stale');
  try {
    if (!await learn(mine)) return;
    let plan = question.plan || bests.get(spaceOf(question)), both = null;
    if (plan && !(both = await showPlan(mine, plan))) return;
    const search = await findPlans(mine);
    if (!search) return;
    fail('');
    if (!plan && !search.best.length) return showNone(search);
    if (!plan && !(both = await showPlan(mine, plan = search.best[0].plan))) return;
    showSearch(search, plan, both.prediction);
    finish();
    await more(mine, plan, both);
  } catch (failure) {
    if (mine !== turn) return;
    busy(null);
    fail(failure.of && failure.of.path && failure.of.line ? `${failure.of.path}:${failure.of.line}: ${failure.message}` : failure.message);
    if (!$('headline').querySelector('h2')) $('headline').replaceChildren();
    document.documentElement.dataset.answered = turn;
  }
}

// What needs no search: the headline, the charts; a moment later the script and what saves memory.
async function showPlan(mine, plan) {
  const both = await predictAndReport(mine, question, plan);
  if (!both || mine !== turn) return null;
  fail('');
  known.plan = plan;
  showHeadline(known.names, question, both.prediction, null);
  if (!question.beside) clear('beside-section');
  showCharts(both.report);
  $('sections').classList.remove('stale');
  known.rest = showRest(mine, plan, both.report);
  return both;
}

async function showRest(mine, plan, report) {
  await launch(mine, plan, targetOf[question.framework]);
  if (mine !== turn) return;
  const fits = await lanes.quick.ask(['fits', modelWord(question), systemWord(question), '--gpus', question.gpus, plan, '--format', 'json'], filesOf(question));
  if (!fits || mine !== turn) return;
  if (!fits.error) showSavings(read(fits));
  document.documentElement.dataset.shown = turn;
  await new Promise(done => setTimeout(done)); // so far is painted
  if (mine === turn) showSchedule(report);
}

function showNone(search) {
  clear('plans-section', 'time-section', 'memory-section', 'saving-section', 'scale-section', 'schedule-section', 'beside-section', 'launch-section', 'all-section');
  known.plan = '';
  showNothing(known.names, question, search);
  finish();
}

function showSearch(search, plan, prediction) {
  if (!question.plan) showHeadline(known.names, question, prediction, search);
  showPlans(question, search, plan, chosen => change({plan: chosen}));
  $('foot').textContent = `reckon, ${search.counts.plans.toLocaleString('en')} plans evaluated in this page by the library itself; nothing leaves it. ` +
    commandLine(planWords('predict', question, plan).slice(0, -2));
}

function finish() {
  $('sections').classList.remove('stale');
  document.documentElement.dataset.answered = turn;
  document.title = `Reckon: ${$('headline').querySelector('h2').textContent}`;
  document.documentElement.dataset.first = document.documentElement.dataset.first || Math.round(performance.now());
}

// What may come a moment later: the other of two, other numbers of GPUs, what would change it.
async function more(mine, plan, both) {
  await known.rest;
  if (mine !== turn) return;
  if (question.beside) await beside(mine, plan, both);
  showScales(mine);
  showChanges(both.prediction);
  showEverything(both.report);
  await new Promise(done => setTimeout(done, 250)); // nothing newer comes
  if (mine !== turn) return;
  const sensitive = await lanes.slow.ask(searchWords(question, ['-k', '1', '--sensitivity']), filesOf(question));
  if (!sensitive || mine !== turn) return;
  showChanges(both.prediction, sensitive.error ? null : read(sensitive));
  document.documentElement.dataset.settled = turn;
}

async function beside(mine, plan, both) {
  const other = readLink(question.beside), kept = await predictAndReport(mine, other, other.plan);
  if (!kept || mine !== turn) return;
  const name = (of, words) => `${of.config ? 'your model' : names.models.get(of.model)}, ${Number(of.gpus).toLocaleString('en')} × ${names.systems.get(of.system)}: ${words}`;
  showBeside(known.names, {...kept, name: name(other, other.plan)}, {...both, name: name(question, plan)}, () => change({beside: ''}));
}

async function launch(mine, plan, target) {
  const made = await lanes.quick.ask(['export', target, '-m', modelWord(question), '-s', systemWord(question), '-g', question.gpus, plan], filesOf(question));
  if (made && mine === turn) showLaunch(target, made, other => launch(turn, plan, other));
}

// Half to four times the GPUs; kept as long as only the number changes.
let scale = {key: '', points: new Map()};
async function showScales(mine) {
  const full = withTokens(question), gpus = Number(question.gpus);
  const key = JSON.stringify([searchWords({...full, gpus: '1'}, runWords(full)), question.config]);
  if (scale.key !== key) scale = {key, points: new Map()};
  const own = scale, wanted = [1, 2, 0.5, 4, 0.25, 8, 0.125, 1.5, 3, 0.75].map(f => f * gpus).filter(n => Number.isInteger(n) && n >= 1 && n <= 131072);
  const points = () => [...own.points.values()].filter(p => p.step_s && p.gpus >= gpus / 8 && p.gpus <= gpus * 8).sort((a, b) => a.gpus - b.gpus);
  for (const n of wanted) {
    if (!own.points.has(n)) {
      const other = {...question, gpus: String(n)};
      const answer = await lanes.scale.ask(searchWords(other, [...runWords(full), '-k', '1']), filesOf(question));
      if (!answer || mine !== turn) return;
      const best = answer.error ? null : read(answer).best[0];
      if (best) keepBest(other, {best: [best]});
      own.points.set(n, {gpus: n, ...(best || {})});
    }
    if (mine === turn) showScale(points(), gpus);
  }
}

// ---- start ----

async function start() {
  const opened = await openLanes(['quick', 'search', 'scale', 'slow']);
  lanes = opened.lanes;
  campaign = opened.campaign;
  lanes.search.warm();
  const [models, systems] = await lanes.quick.inTurn([[['models', '--format', 'json']], [['systems', '--format', 'json']]]);
  listed = {models: read(models).models, systems: read(systems).systems};
  names = {models: new Map(listed.models.map(e => [e.id, e.name])), systems: new Map(listed.systems.map(e => [e.id, e.name]))};
  fillModels(listed.models);
  fillSystems(listed.systems);
  // For the console: await reckon(['predict', '-m', 'llama3.1-8b', '-s', 'h100', 'tp2 gbs64'])
  window.reckon = (words, files) => lanes.quick.ask(words, files);
  openForm();
  showQuestion();
  await answer();
}

start().catch(failure => fail(failure.message));
