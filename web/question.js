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

const sizeWords = question => ['-m', modelWord(question), '-s', systemWord(question), '-g', question.gpus];

function searchWords(question, more = []) {
  const words = ['search', ...sizeWords(question), '-b', question.batch, '--framework', question.framework,
    '--precision', question.precision];
  if (question.sequence) words.push('--sequence', question.sequence);
  return [...words, ...more, '--format', 'json', '-q'];
}

const planWords = (command, question, plan, more = []) => [command, ...sizeWords(question), plan, ...more, '--format', 'json'];

// As people would type it.
function commandLine(words) {
  return 'reckon ' + words.map(word => /^[\w\-.\/=,:+@%]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`).join(' ');
}
