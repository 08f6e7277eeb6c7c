// host.js - the world of reckon.wasm: a few files in memory, a clock, and two streams that are kept.
// The same in the page, in its workers and in node. It follows WASI preview 1.
//
//   const reckon = await openReckon(module, files, progress);
//   reckon.ask(['predict', ...], {'m.json': text}) -> {code, text, remarks, error}
//
// `module` is a WebAssembly.Module, `files` a Map of paths without a first '/' to Uint8Arrays,
// `progress(done, total, best_s)` says false to stop.
'use strict';

const WASI = {OK: 0, BADF: 8, EXIST: 20, INVAL: 28, ISDIR: 31, NOENT: 44, NOSYS: 52, NOTDIR: 54, SPIPE: 70};
const FOLDER = 3, FILE = 4; // kinds of files

// The text that a command writes on a stream.
class Stream {
  constructor() { this.parts = []; }
  write(bytes) { this.parts.push(bytes.slice()); }
  take() {
    const decoder = new TextDecoder();
    const text = this.parts.map(part => decoder.decode(part, {stream: true})).join('') + decoder.decode();
    this.parts = [];
    return text;
  }
}

class Files {
  constructor(files) { this.files = files; }
  isFolder(path) {
    if (path === '') return true;
    for (const name of this.files.keys()) if (name.startsWith(path + '/')) return true;
    return false;
  }
  kind(path) { return this.files.has(path) ? FILE : this.isFolder(path) ? FOLDER : 0; }
  // Names in a folder, with their kinds.
  list(path) {
    const before = path ? path + '/' : '', names = new Map();
    for (const name of this.files.keys()) {
      if (!name.startsWith(before)) continue;
      const rest = name.slice(before.length), cut = rest.indexOf('/');
      names.set(cut < 0 ? rest : rest.slice(0, cut), cut < 0 ? FILE : FOLDER);
    }
    return [...names];
  }
}

// "a/./b/../c" is "a/c".
function plainPath(base, path) {
  const parts = [];
  for (const part of (path.startsWith('/') ? path : base + '/' + path).split('/'))
    if (part === '..') parts.pop(); else if (part && part !== '.') parts.push(part);
  return parts.join('/');
}

// The functions of WASI; `memory()` is that of the instance.
function wasiOf(files, streams, memory) {
  const open = new Map([[3, {path: '', at: 0}]]), environment = ['RECKON_DATA=/data', 'NO_COLOR=1'];
  const view = () => new DataView(memory().buffer), bytes = () => new Uint8Array(memory().buffer);
  const textAt = (at, size) => new TextDecoder().decode(bytes().subarray(at, at + size));
  const pathOf = (fd, at, size) => plainPath(open.get(fd).path, textAt(at, size));
  let next = 4;

  function writeStat(at, path) {
    const kind = files.kind(path), v = view();
    if (!kind) return WASI.NOENT;
    bytes().fill(0, at, at + 64);
    v.setUint8(at + 16, kind);
    v.setBigUint64(at + 24, 1n, true);
    v.setBigUint64(at + 32, BigInt(kind === FILE ? files.files.get(path).length : 0), true);
    return WASI.OK;
  }
  // Calls each(buffer) for the buffers of a vector until one answers false.
  function vector(at, count, each) {
    let total = 0;
    for (let i = 0; i < count; i++) {
      const from = view().getUint32(at + 8 * i, true), size = view().getUint32(at + 8 * i + 4, true);
      const done = each(bytes().subarray(from, from + size));
      total += done;
      if (done < size) break;
    }
    return total;
  }
  function append(file, piece) {
    const old = files.files.get(file.path), grown = new Uint8Array(Math.max(old.length, file.at + piece.length));
    grown.set(old);
    grown.set(piece, file.at);
    files.files.set(file.path, grown);
    file.at += piece.length;
  }
  function zeroEnded(list, pointers, at) {
    for (const text of list) {
      const encoded = new TextEncoder().encode(text + '\0');
      view().setUint32(pointers, at, true);
      bytes().set(encoded, at);
      pointers += 4;
      at += encoded.length;
    }
    return WASI.OK;
  }

  const functions = {
    environ_sizes_get(count, size) {
      view().setUint32(count, environment.length, true);
      view().setUint32(size, new TextEncoder().encode(environment.join('\0') + '\0').length, true);
      return WASI.OK;
    },
    environ_get: (pointers, at) => zeroEnded(environment, pointers, at),
    clock_time_get(id, precision, at) {
      view().setBigUint64(at, BigInt(Math.round((id ? performance.now() : Date.now()) * 1e6)), true);
      return WASI.OK;
    },
    proc_exit(code) { throw new Error('the library ended with ' + code); },

    fd_prestat_get(fd, at) {
      if (fd !== 3) return WASI.BADF;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return WASI.OK;
    },
    fd_prestat_dir_name(fd, at) { bytes()[at] = 47; return WASI.OK; },
    fd_fdstat_get(fd, at) {
      const kind = fd < 3 ? 2 : open.has(fd) ? files.kind(open.get(fd).path) : 0;
      if (!kind) return WASI.BADF;
      bytes().fill(0, at, at + 24);
      view().setUint8(at, kind);
      view().setBigUint64(at + 8, ~0n & 0xffffffffffffffffn, true);
      view().setBigUint64(at + 16, 0xffffffffffffffffn, true);
      return WASI.OK;
    },
    fd_fdstat_set_flags: () => WASI.OK,
    fd_filestat_get: (fd, at) => open.has(fd) ? writeStat(at, open.get(fd).path) : WASI.BADF,
    fd_close: fd => fd < 3 || open.delete(fd) ? WASI.OK : WASI.BADF,
    fd_sync: () => WASI.OK,
    fd_seek(fd, offset, whence, at) {
      const file = open.get(fd);
      if (!file) return fd < 3 ? WASI.SPIPE : WASI.BADF;
      const from = [0, file.at, (files.files.get(file.path) || []).length][whence];
      file.at = from + Number(offset);
      view().setBigUint64(at, BigInt(file.at), true);
      return WASI.OK;
    },
    fd_tell(fd, at) {
      if (!open.has(fd)) return WASI.BADF;
      view().setBigUint64(at, BigInt(open.get(fd).at), true);
      return WASI.OK;
    },
    fd_read(fd, at, count, done) {
      const file = open.get(fd), data = file && files.files.get(file.path);
      if (fd !== 0 && !data) return file ? WASI.ISDIR : WASI.BADF;
      view().setUint32(done, fd === 0 ? 0 : vector(at, count, buffer => {
        const piece = data.subarray(file.at, file.at + buffer.length);
        buffer.set(piece);
        file.at += piece.length;
        return piece.length;
      }), true);
      return WASI.OK;
    },
    fd_write(fd, at, count, done) {
      const file = open.get(fd), stream = streams[fd];
      if (!file && !stream) return WASI.BADF;
      view().setUint32(done, vector(at, count, buffer => {
        if (stream) stream.write(buffer); else append(file, buffer);
        return buffer.length;
      }), true);
      return WASI.OK;
    },
    fd_readdir(fd, at, size, cookie, done) {
      const names = files.list(open.get(fd).path), end = at + size;
      let used = at;
      for (let i = Number(cookie); i < names.length && used < end; i++) {
        const name = new TextEncoder().encode(names[i][0]), entry = new Uint8Array(24 + name.length);
        const v = new DataView(entry.buffer);
        v.setBigUint64(0, BigInt(i + 1), true);
        v.setUint32(16, name.length, true);
        v.setUint8(20, names[i][1]);
        entry.set(name, 24);
        bytes().set(entry.subarray(0, end - used), used);
        used += Math.min(entry.length, end - used);
      }
      view().setUint32(done, used - at, true);
      return WASI.OK;
    },

    path_open(fd, follow, at, size, how, rights, inherited, flags, result) {
      const path = pathOf(fd, at, size), kind = files.kind(path), [CREATE, IS_FOLDER, NEW, EMPTY] = [1, 2, 4, 8];
      if (!kind && !(how & CREATE)) return WASI.NOENT;
      if (kind === FILE && how & IS_FOLDER) return WASI.NOTDIR;
      if (kind && how & CREATE && how & NEW) return WASI.EXIST;
      if (!kind || how & EMPTY) files.files.set(path, new Uint8Array());
      open.set(next, {path, at: 0});
      view().setUint32(result, next++, true);
      return WASI.OK;
    },
    path_filestat_get: (fd, follow, at, size, result) => writeStat(result, pathOf(fd, at, size)),
    path_readlink: () => WASI.INVAL,
    path_create_directory: () => WASI.OK,
    path_rename(fd, at, size, toFd, to, toSize) {
      const path = pathOf(fd, at, size), data = files.files.get(path);
      if (!data) return WASI.NOENT;
      files.files.delete(path);
      files.files.set(pathOf(toFd, to, toSize), data);
      return WASI.OK;
    },
    path_unlink_file: (fd, at, size) => files.files.delete(pathOf(fd, at, size)) ? WASI.OK : WASI.NOENT,
  };
  return new Proxy(functions, {get: (known, name) => known[name] || (() => WASI.NOSYS)});
}

async function openReckon(module, files, progress) {
  const streams = {1: new Stream(), 2: new Stream()}, own = new Files(new Map(files));
  let wasm;
  const imports = {
    wasi_snapshot_preview1: wasiOf(own, streams, () => wasm.memory),
    host: {progress: (done, total, best) => !progress || progress(done, total, best) !== false ? 1 : 0},
  };
  async function start() {
    wasm = (await WebAssembly.instantiate(module, imports)).exports;
    wasm._initialize();
  }
  await start();

  // Calls a function of the library with a text.
  function withText(text, call) {
    const data = new TextEncoder().encode(text + '\0'), at = wasm.malloc(data.length);
    new Uint8Array(wasm.memory.buffer).set(data, at);
    const result = call(at);
    wasm.free(at);
    return result;
  }
  function textAt(at) {
    const memory = new Uint8Array(wasm.memory.buffer);
    return new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)));
  }
  const error = () => JSON.parse(textAt(wasm.error()));
  function describe(call, name) {
    const at = withText(name, call);
    if (!at) throw Object.assign(new Error(error().text), {error: error()});
    const text = textAt(at);
    wasm.free(at);
    return text;
  }

  return {
    restart: start,
    // What `reckon WORD...` prints and says; `more` are files that the words name.
    ask(words, more = {}) {
      for (const name in more) own.files.set(name, new TextEncoder().encode(more[name]));
      const code = withText(JSON.stringify({words}), at => wasm.ask(at));
      for (const name in more) own.files.delete(name);
      return {code, text: streams[1].take(), remarks: streams[2].take(), error: error()};
    },
    modelText: (name, more = {}) => {
      for (const file in more) own.files.set(file, new TextEncoder().encode(more[file]));
      try { return describe(at => wasm.model_text(at), name); } finally { for (const file in more) own.files.delete(file); }
    },
    systemText: name => describe(at => wasm.system_text(at), name),
  };
}

if (typeof module === 'object') module.exports = {openReckon};
