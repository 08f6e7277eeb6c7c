// lanes.js - the library in workers: a few lanes, each with one question at a time. A newer question
// of a lane takes the place of the older one, which is given up if it is not answered soon.

const patience_ms = 150;

function makeLane(module, files, source) {
  let worker = null, ready, asked = 0, open = null, waiting = null;

  function start() {
    worker = new Worker(source);
    ready = new Promise((done, fail) => {
      worker.onerror = event => fail(new Error(event.message));
      worker.onmessage = ({data}) => {
        if (data.id === 0) return done();
        if (!open || data.id !== open.id) return;
        if (data.progress) { open.progress(data.progress); return; }
        const {settle} = open;
        clearTimeout(open.timer);
        open = null;
        settle(data.answer);
        next();
      };
    });
    worker.postMessage({module, files});
  }

  function send(question) {
    open = question;
    ready.then(() => { if (open === question) worker.postMessage({id: question.id, words: question.words, files: question.files}); },
      failure => question.settle({code: 4, text: '', remarks: '', error: {text: failure.message}}));
  }

  function giveUp() {
    const {settle} = open;
    open = null;
    worker.terminate();
    worker = null;
    settle(null);
    next();
  }

  function next() {
    if (open || !waiting) return;
    if (!worker) start();
    const question = waiting;
    waiting = null;
    send(question);
  }

  return {
    // The answer of host.js, or null when a newer question came.
    ask(words, more = {}, progress = () => {}) {
      return new Promise(settle => {
        if (waiting) waiting.settle(null);
        waiting = {id: ++asked, words, files: more, progress, settle};
        if (open && !open.timer) open.timer = setTimeout(giveUp, patience_ms);
        next();
      });
    },
    // Every one is answered, in order.
    async inTurn(list) {
      const answers = [];
      for (const [words, more] of list) answers.push(await this.ask(words, more));
      return answers;
    },
    warm() { if (!worker) start(); },
    stop() { if (open) giveUp(); },
  };
}

// The bundle of the page: a line "name size", then the bytes, for each file; compressed, as base64.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const all = new Uint8Array(await new Response(stream).arrayBuffer()), files = new Map();
  for (let at = 0; at < all.length;) {
    const end = all.indexOf(10, at), [name, size] = new TextDecoder().decode(all.subarray(at, end)).split(' ');
    files.set(name, all.slice(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size);
  }
  return files;
}

async function openLanes(names) {
  const files = await unpack(document.getElementById('bundle').textContent);
  const module = await WebAssembly.compile(files.get('reckon.wasm'));
  files.delete('reckon.wasm');
  const source = URL.createObjectURL(new Blob([document.getElementById('worker').textContent], {type: 'text/javascript'}));
  return {
    lanes: Object.fromEntries(names.map(name => [name, makeLane(module, files, source)])),
    campaign: JSON.parse(new TextDecoder().decode(files.get('data/campaign.json'))),
  };
}
