// answer.js - what is shown: each function takes the library's answers and gives or fills an element.

// The place of a section, emptied; a title may be missing.
function section(id, title, text) {
  const place = $(id);
  place.replaceChildren(...(title ? [make('h2', {textContent: title})] : []), ...(text ? [make('p', {className: 'hint', textContent: text})] : []));
  place.hidden = false;
  return place;
}

// "14.2-18.58 s"
function rangeText(low, high, unit) {
  const [from, to] = [valueText(low, unit), valueText(high, unit)], of = text => text.slice(text.indexOf(' '));
  return of(from) === of(to) ? `${from.slice(0, from.indexOf(' '))}-${to}` : `${from} to ${to}`;
}
const halfText = (bar, unit) => bar ? `50 % interval ${rangeText(bar.p25, bar.p75, unit)}` : '';

// The figures of a plan, as cards: of the headline, and of two plans side by side.
function figureCards(prediction) {
  const {rates, run, figures, system} = prediction, capacity = system.memories[0].capacity_bytes;
  const list = [];
  if (run) {
    list.push(['Days', daysText(run.days), `goodput ${shareText(run.goodput)}, one failure every ${valueText(run.mtbf_s, 's')}`]);
    list.push(['Cost', moneyText(run.cost_usd), run.cost_usd === null ? 'no price in the list: enter one' : `${bigText(run.gpu_hours)} GPU-hours`]);
  }
  list.push(['Step time', valueText(rates.step_s, 's'), halfText(prediction.error_bar, 's')]);
  list.push(['MFU', shareText(rates.mfu), `${valueText(rates.model_FLOPps_per_gpu, 'FLOP/s')} per GPU`]);
  list.push(['Tokens', `${bigText(rates.tokens_per_s)}/s`, `${Math.round(rates.tokens_per_s_per_gpu).toLocaleString('en')}/s per GPU`]);
  list.push(['Memory', gibText(figures.hbm_bytes), `of ${gibText(capacity)}` +
    (prediction.memory_fits ? `; P(fits) ${(100 * prediction.memory_fits.probability).toFixed(0)} %` : ''),
    figures.hbm_bytes / capacity]);
  return list;
}

// Why a plan that somebody chose cannot run, or may not, and what would help.
function refusalText({outcome, reasons, remedy}) {
  const why = outcome === 'unsure' ? 'It is unsure whether this plan fits: the predicted memory is close to the capacity'
    : `This plan cannot run: ${reasons.map(reason => reason.message).join('; ')}`;
  return `${why}.` + (remedy ? ` It fits with ${remedy.words}, ${valueText(remedy.step_s, 's')} per step.`
    : outcome === 'unsure' ? ' A plan below leaves more memory free.' : ' A plan below fits.');
}

// The colour of the answer, as on the pages of reports.
function tone(place, name) {
  place.className = `verdict ${name}`;
}

function showHeadline(names, question, prediction, search) {
  const place = $('headline'), run = prediction.run;
  const title = run && run.cost_usd !== null ? `${daysText(run.days)} and ${moneyText(run.cost_usd)}`
    : run ? daysText(run.days) : `${valueText(prediction.rates.step_s, 's')} per step`;
  const what = `to train ${names.model}` + (run ? ` on ${bigText(run.tokens)} tokens` : '') +
    ` with ${Number(question.gpus).toLocaleString('en')} × ${names.system}` +
    (search ? `: the best of ${search.counts.plans.toLocaleString('en')} plans, ${search.counts.fits.toLocaleString('en')} of which fit.` : '.');
  const sure = prediction.outcome === 'fits', unsure = prediction.outcome === 'unsure';
  const chances = sure ? null : make('p', {className: 'warning', textContent: refusalText(prediction)});
  tone(place, sure ? 'good' : unsure ? 'unsure' : 'bad');
  place.replaceChildren(make('h2', {textContent: (sure ? 'Fits: ' : unsure ? 'Unsure: ' : 'Does not fit: ') + title}), make('p', {textContent: what}),
    cards(figureCards(prediction)), ...(chances ? [chances] : []));
  $('bar').replaceChildren(make('b', {textContent: title}), `${valueText(prediction.rates.step_s, 's')}, MFU ${shareText(prediction.rates.mfu)}`);
}

// What would let a plan in, for a search that found none.
const changeNames = {memory: 'more memory', added_memory: 'a second tier of memory', network: 'a larger fast domain',
  schedule: 'another schedule', fewer_gpus: 'fewer GPUs', more_gpus: 'more GPUs', smaller_batch: 'a smaller batch',
  larger_batch: 'a larger batch'};

function changeText(change) {
  const bytes = /memory/.test(change.change), show = bytes ? gibText : v => v.toLocaleString('en');
  return change.from ? `${show(change.to)} instead of ${show(change.from)}` : show(change.to);
}

function showNothing(names, question, search) {
  const most = [...search.outcomes].sort((a, b) => b.plans - a.plans)[0];
  const why = !most || most.outcome === 'fits' ? '' : most.outcome === 'memory_exceeded'
    ? ` ${shareText(most.share)} of the plans need more memory than there is.` : ` Most often: ${most.outcome.replace(/_/g, ' ')}.`;
  tone($('headline'), 'bad');
  $('headline').replaceChildren(make('h2', {textContent: 'It does not fit.'}),
    make('p', {textContent: `None of ${search.counts.plans.toLocaleString('en')} plans for ${names.model} can run on ` +
      `${Number(question.gpus).toLocaleString('en')} × ${names.system}.${why}`}));
  $('bar').replaceChildren(make('b', {textContent: 'It does not fit.'}));
  const helps = (search.changes || []).filter(c => c.helps);
  const place = section('change-section', 'What would help');
  place.append(card('', '', helps.length ? table([
    ['change', c => `${changeNames[c.change] || c.change}${c.name ? ' (' + c.name + ')' : ''}: ${changeText(c)}`],
    ['step time', c => valueText(c.step_s, 's'), true], ['plan', c => c.plan]], helps)
    : make('p', {textContent: 'None of the single changes tried makes a plan fit.'})));
}

// The plans; choose(plan) when one is taken.
function showPlans(question, search, plan, choose) {
  const place = section('plans-section', 'The best plans');
  const run = search.best.some(row => row.days !== undefined && row.days !== null);
  const columns = [
    ['', (row, i) => make('input', {type: 'radio', name: 'plan', value: row.plan, checked: row.plan === plan,
      attributes: {'aria-label': `plan ${i + 1}: ${row.plan}`}})],
    ['step time', row => valueText(row.step_s, 's'), true], ['MFU', row => shareText(row.mfu), true],
    ['memory', row => gibText(row.hbm_bytes), true],
    ['fits in', row => row.fits_share === undefined || row.fits_share === null ? '-' : (100 * row.fits_share).toFixed(0) + ' %', true]];
  if (run) columns.push(['days', row => daysText(row.days), true], ['cost', row => moneyText(row.cost_usd), true]);
  columns.push(['plan', row => row.plan]);
  const list = table(columns, search.best, {className: run ? 'plans run' : 'plans', row: (line, row) => {
    line.classList.toggle('chosen', row.plan === plan);
    line.onclick = () => choose(row.plan);
    line.querySelector('input').onchange = () => choose(row.plan);
  }});
  place.append(make('div', {className: 'data'}, list));
}

const blocksOf = (report, ids) => report.blocks.filter(block => block.chart && ids.includes(block.id));

function showCharts(report) {
  const time = section('time-section'), memory = section('memory-section');
  const stages = blocksOf(report, ['memory-stages']);
  for (const block of blocksOf(report, ['time'])) blockFigure(time, block);
  for (const block of stages.length ? stages : blocksOf(report, ['memory'])) blockFigure(memory, block);
}

// A thousand spans in large pipelines: after the rest.
function showSchedule(report) {
  const place = section('schedule-section'), schedule = blocksOf(report, ['schedule', 'schedule-end']);
  for (const block of schedule) blockFigure(place, block);
  place.hidden = !schedule.length;
}

// All the rest of the report, drawn when it is opened.
function showEverything(report) {
  const place = $('all-section'), shown = ['time', 'memory', 'memory-stages', 'schedule', 'schedule-end'];
  const before = $('everything'), opened = before && before.open;
  const details = make('details', {id: 'everything'}, make('summary', {textContent: 'Everything about this plan'}));
  const fill = () => {
    if (!details.open || details.children.length > 1) return;
    for (const block of report.blocks) {
      if (block.chart && !shown.includes(block.id)) blockFigure(details, block);
      else if (block.kind === 'table' && block.rows.length) details.append(card(block.title, block.text, blockTable(block)));
      else if (block.kind === 'section' && block.id !== 'summary') details.append(make('h2', {textContent: block.title}));
      else if (block.kind === 'file') details.append(make('details', {}, make('summary', {textContent: block.title}), make('pre', {textContent: block.text})));
    }
  };
  details.ontoggle = fill;
  place.hidden = false;
  place.replaceChildren(details);
  details.open = Boolean(opened);
}

// ---- more or fewer GPUs ----

// Title, unit, value, and whether equal steps are factors.
const scales = {
  days: ['days', 'days', p => p.days, true], cost: ['cost', 'million USD', p => p.cost_usd === null ? null : p.cost_usd / 1e6, false],
  mfu: ['MFU', '%', p => 100 * p.mfu, false], step: ['step time', 's', p => p.step_s, true],
};
let scaleShown = 'days';

function logTicks(values) {
  const least = Math.min(...values), most = Math.max(...values), ticks = [];
  for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10)
    for (const step of [1, 2, 5]) if (power * step >= least * 0.6 && power * step <= most * 1.7) ticks.push(power * step);
  return ticks;
}

function scaleChart(points, gpus) {
  const [title, unit, value, log] = scales[scaleShown];
  const rows = points.filter(p => typeof value(p) === 'number').map(p => [p.gpus, value(p), p.plan, 'best plan']);
  const now = rows.filter(r => r[0] === gpus).map(r => [...r.slice(0, 3), 'current']);
  return {
    id: 'scale', title: `${title} by number of GPUs`, kind: 'xy', beside: false, upright: false, limit: '',
    roles: {x: 0, y: 1, series: 3}, series: [['best plan', '#4c78a8', 'linear'], ['current', '#f58518', 'points']],
    across: axis('GPUs', {log: true, ticks: rows.map(r => r[0])}), heat: axis(''),
    up: axis(unit === title ? title : `${title} (${unit})`, log ? {log, ticks: logTicks(rows.map(r => r[1]))} : {}),
    columns: [['gpus', 'GPUs', ''], ['value', title, unit], ['plan', 'plan', '']], rows: [...rows, ...now],
  };
}

function showScale(points, gpus) {
  const some = points.some(p => p.days);
  if (!some && (scaleShown === 'days' || scaleShown === 'cost')) scaleShown = 'step';
  const place = section('scale-section'), title = 'More or fewer GPUs';
  const choice = make('div', {className: 'choice', attributes: {role: 'group', 'aria-label': 'what to show by number of GPUs'}},
    ...Object.entries(scales).filter(([key]) => some || (key !== 'days' && key !== 'cost')).map(([key, [title]]) => make('button', {
      type: 'button', textContent: title, attributes: {'aria-pressed': String(key === scaleShown)},
      onclick: () => { scaleShown = key; showScale(points, gpus); }})));
  const chart = scaleChart(points, gpus);
  if (chart.rows.length < 3) return place.append(card(title, 'Searching.'));
  const whole = figure(place, chart, title, 'The best plan for each number of GPUs, at this batch.');
  whole.querySelector('figcaption').append(choice);
}

// ---- what would change it ----

function showChanges(prediction, sensitivity) {
  const place = section('change-section', 'What would help'), list = make('div', {className: 'columns'});
  if (sensitivity && sensitivity.sensitivity) {
    const now = sensitivity.best[0].step_s, gain = row => row.time_more_s === null ? 0 : 1 - row.time_more_s / now;
    const rows = sensitivity.sensitivity.filter(row => Math.abs(gain(row)) > 0.0005).slice(0, 8);
    list.append(card('Changes of the machine', 'Step time of the best plan with 10 % more of one property.', table([
      ['10 % more', row => `${row.name || row.part} ${row.parameter.replace(/_(FLOPps|Bps|bytes|s)$/, '').replace(/_/g, ' ')}`],
      ['step time', row => valueText(row.time_more_s, 's'), true], ['saves', row => shareText(gain(row)), true]], rows)));
  }
  if (prediction.run_changes && prediction.run_changes.length)
    list.append(card('Changes of the run', 'Time saved and total cost.', table([
      ['change', row => row.change], ['saves', row => daysText(row.days_saved), true], ['cost', row => moneyText(row.cost_usd), true]],
      prediction.run_changes)));
  place.append(list);
}

function showSavings(fits) {
  const place = section('saving-section');
  place.hidden = !fits.changes || !fits.changes.length;
  if (!place.hidden)
    place.append(card('What saves memory', 'Single changes of the plan; memory of the fullest stage.', table([
      ['change', row => make('span', {title: row.what, textContent: row.change})], ['saves', row => gibText(row.saved_bytes), true],
      ['slower by', row => shareText(row.step_change), true]], fits.changes.slice(0, 8))));
}

// ---- two plans ----

function showBeside(names, a, b, drop) {
  const place = section('beside-section', 'Compared with another');
  const row = (name, value, text, less) => ({name, a: value(a.prediction), b: value(b.prediction), text, less});
  const rows = [
    row('step time', p => p.rates.step_s, v => valueText(v, 's'), true), row('MFU', p => p.rates.mfu, shareText, false),
    row('tokens per second', p => p.rates.tokens_per_s, bigText, false), row('memory', p => p.figures.hbm_bytes, gibText, true),
    row('days', p => p.run ? p.run.days : null, daysText, true), row('cost', p => p.run ? p.run.cost_usd : null, moneyText, true),
  ].filter(r => typeof r.a === 'number' && typeof r.b === 'number');
  const difference = r => {
    const ratio = r.b / r.a - 1, good = (ratio < 0) === r.less;
    return Math.abs(ratio) < 5e-4 ? make('span', {textContent: 'the same'})
      : make('span', {className: good ? 'better' : 'worse', textContent: `${ratio > 0 ? '+' : '−'}${(100 * Math.abs(ratio)).toPrecision(3)} %`});
  };
  place.append(make('div', {className: 'data'},
    make('div', {className: 'row'}, make('span', {}, make('b', {textContent: 'A '}), a.name), make('span', {}, make('b', {textContent: 'B '}), b.name),
      make('div', {className: 'tools'}, make('button', {type: 'button', textContent: 'End', onclick: drop}))),
    table([['', r => r.name], ['A, kept', r => r.text(r.a), true], ['B, now', r => r.text(r.b), true], ['B over A', difference, true]], rows)));
  const chart = blocksOf(b.report, ['time'])[0].chart, other = blocksOf(a.report, ['time'])[0].chart;
  const roles = {y: 0, ...Object.fromEntries(Object.entries(chart.roles).map(([name, column]) => [name, column + 1]))};
  figure(place, {...chart, id: 'beside', roles, columns: [['plan', 'plan', ''], ...chart.columns],
    rows: [...other.rows.map(r => ['A', ...r]), ...chart.rows.map(r => ['B', ...r])],
    series: [...other.series, ...chart.series.filter(s => !other.series.some(o => o[0] === s[0]))],
    across: a.prediction.rates.step_s > b.prediction.rates.step_s ? other.across : chart.across}, 'The time of both', '');
}

// ---- the launch script ----

const targets = ['megatron', 'deepspeed', 'torchtitan', 'accelerate', 'nanotron'];
const targetOf = {megatron: 'megatron', deepspeed: 'deepspeed', fsdp: 'torchtitan'};

function showLaunch(target, answer, choose) {
  const place = section('launch-section', 'Launch it');
  const select = make('select', {onchange: () => choose(select.value), attributes: {'aria-label': 'what it is launched with'}},
    ...targets.map(name => make('option', {textContent: name, selected: name === target})));
  const button = make('button', {type: 'button', textContent: 'Copy', onclick: () => copy(button, answer.text)});
  const file = make('button', {type: 'button', textContent: 'Save', onclick: () => reckonCharts.save(
    {megatron: 'run.sh', deepspeed: 'ds_config.json', torchtitan: 'job.toml', accelerate: 'accelerate.yaml', nanotron: 'nanotron.yaml'}[target],
    'text/plain', answer.text)});
  place.append(make('div', {className: 'row'}, 'for', select, answer.text ? make('div', {className: 'tools'}, button, file) : null),
    answer.text ? make('div', {className: 'script'}, make('pre', {tabIndex: 0, textContent: answer.text}))
      : make('p', {className: 'warning', textContent: answer.error ? answer.error.text : answer.remarks}));
}
