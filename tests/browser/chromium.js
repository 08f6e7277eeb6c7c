// chromium.js - Chromium without a window, driven over a pipe (Chrome DevTools protocol): pages are
// opened, pointer and keys used as people do, screenshots taken, the console kept.
'use strict';
const {spawn} = require('child_process');
const fs = require('fs'), os = require('os'), path = require('path');

const options = ['--headless', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--hide-scrollbars', '--remote-debugging-pipe'];

function findChromium() {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome'])
    for (const folder of process.env.PATH.split(':'))
      if (fs.existsSync(path.join(folder, name))) return path.join(folder, name);
  return null;
}

async function openChromium() {
  const found = findChromium();
  if (!found) return null;
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'reckon-browser-'));
  const sandbox = process.getuid() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(found, [...options, ...sandbox, '--user-data-dir=' + home, 'about:blank'],
    {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: {...process.env, HOME: home}});
  const open = new Map(), listeners = [];
  let asked = 0, rest = Buffer.alloc(0);
  child.stdio[4].on('data', piece => {
    rest = Buffer.concat([rest, piece]);
    for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
      const message = JSON.parse(rest.subarray(0, end).toString());
      if (!message.id) { listeners.forEach(listen => listen(message)); continue; }
      const {done, fail} = open.get(message.id);
      open.delete(message.id);
      if (message.error) fail(new Error(message.error.message)); else done(message.result);
    }
  });
  const send = (method, params = {}, sessionId) => new Promise((done, fail) => {
    open.set(++asked, {done, fail});
    child.stdio[3].write(JSON.stringify({id: asked, method, params, sessionId}) + '\0');
  });
  return {
    send, listen: listener => listeners.push(listener),
    close() {
      child.kill('SIGKILL');
      child.on('exit', () => fs.rmSync(home, {recursive: true, force: true, maxRetries: 5}));
    },
  };
}

// A page of a size; dark or light. `said` has what its console and its errors say.
async function openPage(browser, {width, height = 900, dark = false, touch = false}) {
  const {targetId} = await browser.send('Target.createTarget', {url: 'about:blank'});
  const {sessionId} = await browser.send('Target.attachToTarget', {targetId, flatten: true});
  const send = (method, params) => browser.send(method, params, sessionId), said = [];
  browser.listen(({method, params, sessionId: from}) => {
    if (from !== sessionId) return;
    if (method === 'Runtime.consoleAPICalled') said.push(params.args.map(a => a.value || a.description).join(' '));
    if (method === 'Runtime.exceptionThrown') said.push(params.exceptionDetails.exception ? params.exceptionDetails.exception.description : params.exceptionDetails.text);
    if (method === 'Log.entryAdded') said.push(params.entry.text);
    if (method === 'Network.requestWillBeSent' && /^(https?|wss?):/.test(params.request.url)) said.push('asks the network for ' + params.request.url);
  });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(domain + '.enable');
  await send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: touch});
  await send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]});

  // The value of an expression, waited for.
  async function evaluate(expression) {
    const {result, exceptionDetails} = await send('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception ? exceptionDetails.exception.description : exceptionDetails.text);
    return result.value;
  }
  async function until(expression, what, limit_ms = 20000) {
    for (const end = Date.now() + limit_ms; Date.now() < end;) {
      const value = await evaluate(expression).catch(() => null); // the page may be under way
      if (value) return value;
      await new Promise(done => setTimeout(done, 15));
    }
    throw new Error('waited in vain for ' + what);
  }
  async function press(key, modifiers = 0) {
    const codes = {Tab: 9, Enter: 13, Escape: 27, ' ': 32, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Home: 36, End: 35};
    const event = {key, code: key, windowsVirtualKeyCode: codes[key] || key.toUpperCase().charCodeAt(0), modifiers,
      text: key === 'Enter' ? '\r' : key.length === 1 ? key : undefined};
    await send('Input.dispatchKeyEvent', {type: 'keyDown', ...event});
    await send('Input.dispatchKeyEvent', {type: 'keyUp', ...event, text: undefined});
  }
  // The middle of an element, brought into view.
  const placeOf = selector => evaluate(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
    e.scrollIntoView({block: 'center', behavior: 'instant'}); const b = e.getBoundingClientRect();
    return {x: b.x + b.width / 2, y: b.y + b.height / 2, left: b.left, width: b.width}; })()`);
  const mouse = (type, x, y, more = {}) => send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1, ...more});
  return {
    said, send, evaluate, until, press, placeOf, mouse,
    go: url => send('Page.navigate', {url}),
    async type(text) { for (const letter of text) await press(letter); },
    async click(selector) {
      const {x, y} = await placeOf(selector);
      await mouse('mousePressed', x, y);
      await mouse('mouseReleased', x, y);
    },
    async shoot(file, whole = true) {
      const size = whole ? await evaluate('({width: innerWidth, height: document.documentElement.scrollHeight})') : null;
      const {data} = await send('Page.captureScreenshot', {captureBeyondViewport: whole, ...(whole ? {clip: {x: 0, y: 0, ...size, scale: 1}} : {})});
      fs.writeFileSync(file, Buffer.from(data, 'base64'));
    },
    close: () => browser.send('Target.closeTarget', {targetId}),
  };
}

module.exports = {openChromium, openPage};
