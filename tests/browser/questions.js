// questions.js - random questions to the library as WebAssembly and to the executable: the same
// plans, figures and refusals. `node questions.js [COUNT [SEED]]`; RECKON, RECKON_SOURCE say what is asked.
'use strict';
const fs = require('fs'), path = require('path'), {spawnSync} = require('child_process');
const source = process.env.RECKON_SOURCE || path.join(__dirname, '../..');
const {openReckon} = require(path.join(source, 'web/host.js'));

// Numbers that are the same whatever the machine (Park and Miller).
function makeChance(seed) {
  let state = seed;
  const next = () => (state = state * 48271 % 2147483647) / 2147483647;
  return {choose: list => list[Math.floor(next() * list.length)]};
}

const models = ['llama3.1-8b', 'llama3.1-70b', 'llama3.1-405b', 'gpt3-175b', 'mixtral-8x7b', 'deepseek-v3', 'qwen3-30b-a3b', 'llama2-7b', 'gpt-neox-20b'];
const systems = ['h100-sxm5-80g', 'a100-sxm4-80g', 'b200-sxm-180g', 'gb200-nvl72', 'mi300x', 'tpu-v5p',
  'h100-sxm5-80g nvl16 hbm=120GiB', 'h100-sxm5-80g net0=900GB/s net1=100GB/s', 'a100-sxm4-80g mem2=1TiB@50GB/s'];

function randomQuestion({choose}) {
  const gpus = choose([8, 16, 32, 64, 96, 128, 512]), size = ['-m', choose(models), '-s', choose(systems), '-g', String(gpus)];
  const plan = [`tp${choose([1, 2, 4, 8])}`, `pp${choose([1, 1, 2, 4])}`, `mbs${choose([1, 1, 2])}`, `gbs${choose([gpus, 2 * gpus, 8 * gpus])}`];
  plan.push(...choose([[], ['sp'], ['zero1'], ['sp', 'zero1', 'recompute=full'], ['zero3', 'framework=fsdp'], ['recompute=selective', 'tp-overlap']]));
  const kind = choose(['predict', 'predict', 'fits', 'search', 'search', 'report', 'export', 'diff', 'longest', 'serve', 'models', 'systems']);
  switch (kind) {
    case 'search': // of spaces that are quickly gone through
      if (/mem2/.test(size[3])) size[3] = 'h100-sxm5-80g';
      if (gpus > 64) size[5] = '64';
      return ['search', ...size, '-b', String(choose([gpus, 4 * gpus])), '-k', '5', '-q', '--format', 'json',
        ...choose([[], ['--tokens', '1T'], ['--where', 'tensor <= 4'], ['--framework', 'fsdp'], ['--precision', 'fp8-block'], ['--sequence', '4096']])];
    case 'predict':
      return ['predict', ...size, ...plan, '--format', 'json', ...choose([[], ['--tokens', '2T'], ['--layers'], ['--tokens', '15T', '--price', '2.5']])];
    case 'export':
      return ['export', choose(['megatron', 'deepspeed', 'torchtitan', 'accelerate']), '-m', size[1], '-g', size[5], ...plan];
    case 'diff':
      return ['diff', ...size, plan.join(' '), plan.concat('recompute=full').join(' '), '--format', 'json'];
    case 'longest': return ['longest', size[1], size[3].replace(/ mem2.*/, ''), '-g', choose(['8', '64']), '--format', 'json'];
    case 'serve': return ['serve', ...size, plan[0], '--format', 'json'];
    case 'models': return ['models', size[1], '--format', 'json'];
    case 'systems': return ['systems', size[3], '--format', 'json'];
    default: return [kind, ...size, ...plan, '--format', 'json'];
  }
}

// Equal but for the last digits of numbers, which another C library's log2 may round elsewhere.
function alike(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
  if (a === null || b === null || typeof a !== 'object') return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every(key => key in b && alike(a[key], b[key]));
}

function sameAnswer(text, expected) {
  if (text === expected) return 'bytes';
  try { return alike(JSON.parse(text), JSON.parse(expected)) ? 'digits' : ''; } catch (failure) { return ''; }
}

function askExecutable(words) {
  const {stdout, stderr, status} = spawnSync(process.env.RECKON || path.join(source, 'build/reckon'), words,
    {encoding: 'utf8', maxBuffer: 1 << 28, env: {...process.env, RECKON_DATA: path.join(source, 'data'), NO_COLOR: '1'}});
  return {code: status, text: stdout, remarks: stderr};
}

// The files of the page's bundle.
function readCatalog() {
  const files = new Map(), add = name => files.set(name, new Uint8Array(fs.readFileSync(path.join(source, name))));
  for (const folder of ['models', 'systems', 'drives'])
    for (const name of fs.readdirSync(path.join(source, 'data', folder))) add(`data/${folder}/${name}`);
  for (const name of ['campaign.json', 'prices/market.csv', 'hosts.json', 'measured/error_bars.json', 'measured/steps.csv']) add(`data/${name}`);
  return files;
}

// Asks `count` questions of `ask(words)`; the number that differ.
async function compare(ask, count, seed) {
  const chance = makeChance(seed), seen = {bytes: 0, digits: 0, refused: 0};
  let failed = 0;
  for (let i = 0; i < count; i++) {
    const words = randomQuestion(chance), expected = askExecutable(words), answer = await ask(words);
    const how = answer.code === expected.code ? sameAnswer(answer.text, expected.text) : '';
    if (how) seen[how]++;
    if (expected.code > 1) seen.refused++;
    if (how) continue;
    failed++;
    console.log(`differs: reckon ${words.join(' ')}\n  exit ${expected.code}, here ${answer.code} ${answer.error ? answer.error.text : ''}`);
  }
  console.log(`seed ${seed}: ${count} questions, ${seen.bytes} the same bytes, ${seen.digits} the same to 12 digits, ` +
    `${failed} different (${seen.refused} refused by both)`);
  return failed;
}

module.exports = {askExecutable, compare, readCatalog};

if (require.main === module)
  (async () => {
    const wasm = path.join(source, 'build-page/reckon.wasm');
    if (!fs.existsSync(wasm)) { console.log('there is no page: ./dev page'); process.exit(77); }
    const reckon = await openReckon(new WebAssembly.Module(fs.readFileSync(wasm)), readCatalog());
    const failed = await compare(async words => reckon.ask(words), Number(process.argv[2] || 60), Number(process.argv[3] || 22));
    process.exit(failed ? 1 : 0);
  })();
