// question.js - what is asked: the state of the page, which stands in the link, and the words of the
// commands that answer it.

// Keys of the link. `fresh`: a change of it asks for the best plan anew.
const parts = {
  m: {name: 'model', first: 'llama3.1-70b', fresh: true},
  x: {name: 'config', first: '', fresh: true},          // the text of a model's file
  s: {name: 'system', first: 'h100-sxm5-80g', fresh: true},
  h: {name: 'memory_GiB', first: '', fresh: true},
  d: {name: 'domain', first: '', fresh: true},          // GPUs of the fast network
  l: {name: 'link_GBps', first: '', fresh: true},       // bandwidth of it
  w: {name: 'network_GBps', first: '', fresh: true},    // ... of the one beyond
  y: {name: 'more', first: '', fresh: true},            // words of reckon-system(5)
  g: {name: 'gpus', first: '512', fresh: true},
  b: {name: 'batch', first: '1024', fresh: true},
  q: {name: 'sequence', first: '', fresh: true},
  f: {name: 'framework', first: 'megatron', fresh: true},
  r: {name: 'precision', first: 'bf16', fresh: true},
  a: {name: 'tuning', first: '', fresh: true},          // words of fine-tuning; empty: all weights
  k: {name: 'locks', first: '', fresh: true},           // words of a plan that every plan must have
  o: {name: 'headroom', first: '', fresh: true},        // empty: learned
  u: {name: 'where', first: '', fresh: true},           // a condition on plans
  t: {name: 'tokens', first: ''},
  c: {name: 'price', first: ''},
  p: {name: 'plan', first: ''},                         // empty: the best
  v: {name: 'beside', first: ''},                       // another link's text, to compare with
};

function readLink(text) {
  const given = new URLSearchParams(text.replace(/^#/, '')), question = {};
  for (const key in parts) question[parts[key].name] = given.has(key) ? given.get(key) : parts[key].first;
  return question;
}

function writeLink(question) {
  const out = new URLSearchParams();
  for (const key in parts) if (question[parts[key].name] !== parts[key].first) out.set(key, question[parts[key].name]);
  return out.toString();
}

const isFresh = name => Object.values(parts).some(part => part.name === name && part.fresh);

// The machine as `--system` takes it: an id, or a line with what is changed.
function systemWord(question) {
  const words = [question.system];
  if (question.domain) words.push('nvl' + question.domain);
  if (question.memory_GiB) words.push(`hbm=${question.memory_GiB}GiB`);
  if (question.link_GBps) words.push(`net0=${question.link_GBps}GB/s`);
  if (question.network_GBps) words.push(`net1=${question.network_GBps}GB/s`);
  if (question.more) words.push(question.more);
  return words.join(' ');
}

const modelWord = question => question.config ? 'model.json' : question.model;
const filesOf = question => question.config ? {'model.json': question.config} : {};

function runWords(question) {
  const words = question.tokens ? ['--tokens', question.tokens] : [];
  if (question.tokens && question.price) words.push('--price', question.price);
  return words;
}

const wordsOf = text => text.split(/\s+/).filter(Boolean);

// A plan in somebody's words, with the batch and the fine-tuning that the form says.
function ownPlan(question, text) {
  const words = wordsOf(text), has = start => words.some(word => word.startsWith(start));
  if (!has('gbs') && !has('batch')) words.push('gbs' + question.batch);
  for (const word of wordsOf(question.tuning)) if (!has(word.match(/^[a-z]+/)[0])) words.push(word);
  if (!has('precision') && question.precision !== 'bf16') words.push('precision=' + question.precision);
  if (!has('framework') && question.framework !== 'megatron') words.push('framework=' + question.framework);
  if (!has('seq') && question.sequence) words.push('seq' + question.sequence);
  return words.join(' ');
}

// The degrees that have a field, by the word that says each; what else is locked stands in a field of its own.
const lockFields = {tp: /^tp(\d+)$/, pp: /^pp(\d+)$/, cp: /^cp(\d+)$/, ep: /^ep(\d+)$/, mbs: /^mbs(\d+)$/, vpp: /^vpp(\d+)$/,
  zero: /^zero([0-3])$/, recompute: /^recompute=(\w+)$/};

function readLocks(text) {
  const fields = {}, rest = [];
  for (const word of wordsOf(text)) {
    const name = Object.keys(lockFields).find(key => lockFields[key].test(word) && !(key in fields));
    if (name) fields[name] = word.match(lockFields[name])[1]; else rest.push(word);
  }
  return {fields, rest: rest.join(' ')};
}

const writeLocks = (fields, rest) => [...Object.keys(lockFields).filter(key => fields[key])
  .map(key => key === 'recompute' ? `recompute=${fields[key]}` : key + fields[key]), ...wordsOf(rest)].join(' ');

const sizeWords = question => ['-m', modelWord(question), '-s', systemWord(question), '-g', question.gpus];

function searchWords(question, more = []) {
  const words = ['search', ...sizeWords(question), '-b', question.batch, '--framework', question.framework,
    '--precision', question.precision];
  if (question.sequence) words.push('--sequence', question.sequence);
  if (question.headroom) words.push('--headroom', question.headroom);
  if (question.where) words.push('--where', question.where);
  words.push(...wordsOf(question.locks), ...wordsOf(question.tuning));
  return [...words, ...more, '--format', 'json', '-q'];
}

const planWords = (command, question, plan, more = []) => [command, ...sizeWords(question), plan, ...more, '--format', 'json'];

// As people would type it.
function commandLine(words) {
  return 'reckon ' + words.map(word => /^[\w\-.\/=,:+@%]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`).join(' ');
}
