// Verifies the proof of a record with WebCrypto, as docs/format.md describes it. It believes nothing but
// the key: all it looks at is in the text of the proof. fielatoProof.verify never fails, it says what
// does not fit.
(function () {
  "use strict";
  var encoder = new TextEncoder(), decoder = new TextDecoder();
  var subtle = window.crypto && window.crypto.subtle;

  function Wrong(word) { this.word = word; }
  function need(right, word) { if (!right) { throw new Wrong(word); } }

  function base64(text) {
    var bytes;
    try { bytes = Uint8Array.from(atob(text), function (c) { return c.charCodeAt(0); }); } catch (e) { return null; }
    return toBase64(bytes) === text ? bytes : null; // there is one text for the bytes
  }
  function toBase64(bytes) {
    for (var text = "", i = 0; i < bytes.length; i += 8192) { text += String.fromCharCode.apply(null, bytes.subarray(i, i + 8192)); }
    return btoa(text);
  }
  function hex(bytes) { return Array.from(bytes, function (b) { return b.toString(16).padStart(2, "0"); }).join(""); }
  function joined() {
    var parts = Array.from(arguments), all = new Uint8Array(parts.reduce(function (n, p) { return n + p.length; }, 0)), at = 0;
    parts.forEach(function (p) { all.set(p, at); at += p.length; });
    return all;
  }
  function same(a, b) { return a.length === b.length && a.every(function (x, i) { return x === b[i]; }); }
  async function sha256(bytes) { return new Uint8Array(await subtle.digest("SHA-256", bytes)); }
  function number(text) { return /^(0|[1-9][0-9]{0,18})$/.test(text) ? BigInt(text) : null; }

  // A public key of the form NAME+HASH+KEY. kind is 1 for a log's, 4 for a witness's.
  async function readKey(text, kind) {
    var m = /^([^\s+]+)\+([0-9a-fA-F]{8})\+(\S+)$/.exec(text.trim()), bytes = m && base64(m[3]);
    need(bytes && bytes.length === 33 && bytes[0] === (kind || 1), "bad_key");
    var hash = hex((await sha256(joined(encoder.encode(m[1] + "\n"), bytes))).subarray(0, 4));
    return { text: text.trim(), name: m[1], said: m[2].toLowerCase(), hash: hash, public: bytes.subarray(1) };
  }

  // A signed note, and the checkpoint that is its text.
  function readNote(text) {
    var end = text.lastIndexOf("\n\n"), lines = text.slice(0, end + 1).split("\n");
    var size = number(lines[1] || ""), root = base64(lines[2] || "");
    need(end > 0 && text.endsWith("\n") && lines.length > 3 && size !== null && root && root.length === 32, "bad_note");
    return { signed: text.slice(0, end + 1), signatures: text.slice(end + 2, -1).split("\n"), origin: lines[0], size: size, root: root };
  }

  async function signature(note, key) {
    for (var line of note.signatures) {
      var m = /^\u2014 (\S+) (\S+)$/.exec(line), bytes = m && base64(m[2]);
      if (!bytes || bytes.length !== 68 || m[1] !== key.name || hex(bytes.subarray(0, 4)) !== key.hash) { continue; }
      var imported;
      try { imported = await subtle.importKey("raw", key.public, { name: "Ed25519" }, false, ["verify"]); } catch (e) {
        if (e.name === "NotSupportedError") { return { ok: null, word: "unsupported" }; }
        return { ok: false };
      }
      return { ok: await subtle.verify({ name: "Ed25519" }, imported, bytes.subarray(4), encoder.encode(note.signed)) };
    }
    return { ok: false, word: "no_signature" };
  }

  function readProof(text) {
    var cut = text.indexOf("\n\n"), lines = text.slice(0, cut).split("\n");
    need(cut > 0 && lines.length >= 3 && lines[0] === "c2sp.org/tlog-proof@v1" && lines[1].startsWith("extra ") && lines[2].startsWith("index "), "no_proof");
    var extra = base64(lines[1].slice(6)), index = number(lines[2].slice(6)), path = lines.slice(3).map(base64);
    need(extra && index !== null && path.every(function (h) { return h && h.length === 32; }), "no_proof");
    need(extra[0] === 1, "newer");
    var from = new Reader(extra.subarray(2)), summary = from.take(from.uvarint()), content = from.rest();
    need(extra[1] <= 2 && summary.length > 32 && (extra[1] === 0) === (content.length > 0), "bad_record");
    return { index: index, path: path, presence: extra[1], summary: summary, content: content, note: text.slice(cut + 2) };
  }

  // Reader takes a record apart. See "Bytes" in the format.
  function Reader(bytes) { this.bytes = bytes; this.at = 0; }
  Reader.prototype.take = function (n) {
    n = Number(n);
    need(n <= this.bytes.length - this.at, "bad_record");
    return this.bytes.subarray(this.at, this.at += n);
  };
  Reader.prototype.rest = function () { return this.take(this.bytes.length - this.at); };
  Reader.prototype.byte = function () { return this.take(1)[0]; };
  Reader.prototype.uvarint = function () {
    for (var n = 0n, shift = 0n; shift < 70n; shift += 7n) {
      var b = this.byte();
      n |= BigInt(b & 127) << shift;
      if (b < 128) { return n; }
    }
    throw new Wrong("bad_record");
  };
  Reader.prototype.varint = function () { var n = this.uvarint(); return n & 1n ? -(n >> 1n) - 1n : n >> 1n; };
  Reader.prototype.text = function () { return decoder.decode(this.take(this.uvarint())); };
  Reader.prototype.list = function (read) {
    var n = this.uvarint(), all = [];
    need(n <= BigInt(this.bytes.length), "bad_record");
    for (; n > 0n; n--) { all.push(read()); }
    return all;
  };

  var kinds = ["", "exchange", "intent", "outcome", "access", "settlement", "outage"];

  // What the summary says, in the words of the claims; and what its content needs to be read.
  function readSummary(bytes) {
    var s = new Reader(bytes), version = s.byte();
    need(version >= 1 && version <= 4, "newer");
    var has = version === 4 ? Number(s.uvarint()) : version - 1;
    need(has <= 32767, "newer");
    var text = function () { return s.text(); }, int = function () { return String(s.varint()); };
    var r = { kind: kinds[s.byte()] || "", id: text(), intent: String(s.uvarint()) };
    if (has & 1) { text(); }
    r.time = int(); int();
    r.node = text(); r.client_address = text(); r.client_identity = text(); r.operation = text();
    r.cuit = int(); r.pto_vta = int(); r.cbte_tipo = int();
    r.vouchers = s.list(function () { return [int(), int(), text(), text(), text()].join(" "); }).join("; ");
    r.resultado = text(); text(); r.outcome = text(); r.certainty = text();
    var findings = s.list(function () { return [text(), text(), text(), text()][0]; });
    int(); r.upstream = text();
    r.request_length = int(); r.answer_length = int();
    r.environment = readOptional(s, has);
    r.codes = Array.from(new Set(findings)).join(" ");
    return { says: r, findings: findings.length };
  }

  // The optional fields, of which the page tells the environment.
  function readOptional(s, has) {
    var text = function () { return s.text(); }, leg = function () { s.text(); s.varint(); s.varint(); };
    text(); text(); // the fingerprint and the idempotency key
    if (has & 2) { s.varint(); for (var i = 0; i < 4; i++) { s.uvarint(); } s.list(function () { return s.varint(); }); }
    if (has & 4) { s.take(16); }
    if (has & 8) { leg(); }
    if (has & 16) { text(); }
    if (has & 32) { leg(); text(); }
    if (has & 64) { s.uvarint(); text(); }
    if (has & 128) { s.take(16); }
    for (var bit = 256; bit < 16384; bit *= 2) { if (has & bit) { text(); } }
    return has & 16384 ? text() : "";
  }

  // The digests in the content, and the bodies as they are kept.
  function readContent(bytes, findings) {
    var s = new Reader(bytes);
    s.take(16);
    for (var i = 0; i < 5 * findings + 1; i++) { s.take(s.uvarint()); }
    var which = s.byte(), request = which & 1 ? s.take(32) : null, answer = which & 2 ? s.take(32) : null;
    return { request: { digest: request, body: s.take(s.uvarint()) }, answer: { digest: answer, body: s.take(s.uvarint()) } };
  }

  // The root that a leaf gives, and the nodes on the way. Null if the path is not one of such a tree.
  async function climb(leaf, index, size, path) {
    var at = index, last = size - 1n, hash = leaf, nodes = [];
    for (var beside of path) {
      if (last === 0n) { return { root: null, nodes: nodes }; }
      var left = (at & 1n) === 1n || at === last;
      if (left) { while (!(at & 1n) && at !== 0n) { at >>= 1n; last >>= 1n; } }
      hash = await sha256(left ? joined([1], beside, hash) : joined([1], hash, beside));
      nodes.push({ left: left, beside: beside, hash: hash });
      at >>= 1n; last >>= 1n;
    }
    return { root: last === 0n ? hash : null, nodes: nodes };
  }

  // A step has ok: true, false, or null for what is not compared.
  function steps() {
    var all = [];
    all.add = function (name, computed, said, ok, word) { all.push({ name: name, computed: computed, said: said, ok: ok, word: word || "" }); };
    return all;
  }

  async function checkSignature(all, note, keyText) {
    if (!keyText) { return all.add("key", "", "", null, "no_key"); }
    try {
      var key = await readKey(keyText);
      all.add("key", key.name + "+" + key.hash, key.name + "+" + key.said, key.hash === key.said, key.hash === key.said ? "" : "bad_key");
      var found = await signature(note, key);
      all.add("signature", found.ok === null ? "" : found.ok ? "valid" : "invalid", key.name, found.ok, found.word);
    } catch (e) { all.add("key", "", keyText.slice(0, 200), false, e.word || "bad_key"); }
  }

  function checkPlace(all, input, proof, note) {
    var log = "", origin = /^(?:[^\/\s+][^\s+]*\/)?fielato\/([^\/]+)$/.exec(note.origin);
    try { log = origin ? decodeURIComponent(origin[1]) : ""; } catch (e) { /* it is none */ }
    var right = origin !== null && log === input.log && proof.index < note.size && String(proof.index) === input.index;
    all.push({ name: "log", computed: input.log + "/" + input.index, said: log + "/" + proof.index, ok: right, word: "", size: String(note.size) });
  }

  async function checkContent(all, input, proof) {
    var said = proof.summary.subarray(-32);
    if (proof.presence !== 0) {
      return all.add("content", "", hex(said), null, input.masked ? "masked" : proof.presence === 1 ? "purged" : "sealed");
    }
    var hash = await sha256(proof.content), right = same(hash, said);
    all.add("content", hex(hash), hex(said), right);
    return right;
  }

  async function checkTree(all, proof, note) {
    var leaf = await sha256(joined([0], proof.summary));
    all.add("leaf", hex(leaf), "", null);
    var way = await climb(leaf, proof.index, note.size, proof.path);
    way.nodes.forEach(function (n) { all.push({ name: "node", computed: hex(n.hash), said: hex(n.beside), ok: null, word: "", left: n.left }); });
    all.add("root", way.root ? hex(way.root) : "", hex(note.root), Boolean(way.root) && same(way.root, note.root), way.root ? "" : "bad_path");
  }

  // What the content says, for the claims. Of the codes in the answer it is enough that it has them.
  function addContent(says, content, codes) {
    says.request_sha256 = hex(content.request.digest || []);
    says.answer_sha256 = hex(content.answer.digest || []);
    var answer = decoder.decode(content.answer.body);
    says.answer_codes = codes.split(" ").filter(function (code) { return /^\d+$/.test(code) && new RegExp('"Code"\\s*:\\s*"?' + code + "\\b").test(answer); }).join(" ");
  }

  // What the page tells is compared with what is proven, or a proof of another record would do.
  async function checkRecord(all, input, proof, kept) {
    var record = readSummary(proof.summary), content = proof.presence === 0 ? readContent(proof.content, record.findings) : null;
    if (content) { addContent(record.says, content, input.claims.answer_codes || ""); }
    var differ = Object.keys(input.claims).filter(function (name) { return input.claims[name] !== record.says[name]; });
    if (Object.keys(input.claims).length === 0) { all.add("claims", "", "", false, "bad_record"); }
    else { all.add("claims", differ.map(function (n) { return n + ": " + record.says[n]; }).join(" · "), differ.map(function (n) { return n + ": " + input.claims[n]; }).join(" · "), differ.length === 0, differ.length ? "" : "all_claims"); }
    if (!content) { return; }
    for (var name of ["request", "answer"]) {
      var one = content[name];
      if (!one.digest && !one.body.length) { continue; }
      if (!one.body.length) { all.add(name, "", one.digest ? hex(one.digest) : "", null, "not_kept"); continue; }
      var hash = await sha256(one.body), equal = Boolean(one.digest) && same(hash, one.digest);
      all.add(name, hex(hash), one.digest ? hex(one.digest) : "", equal ? true : null, equal ? "" : kept ? "replaced" : "doubtful");
    }
  }

  // verify returns the steps. input has log, index, text, masked, claims; key is a text, empty for none.
  async function verify(input, key) {
    var all = steps();
    try {
      var proof = readProof(input.text), note = null;
      try { note = readNote(proof.note); } catch (e) { all.add("signature", "", "", false, e.word || "bad_note"); }
      if (note) {
        await checkSignature(all, note, key);
        checkPlace(all, input, proof, note);
      }
      var kept = await checkContent(all, input, proof);
      if (note) { await checkTree(all, proof, note); }
      await checkRecord(all, input, proof, kept);
    } catch (e) {
      if (!(e instanceof Wrong)) { throw e; }
      all.add("proof", "", "", false, e.word);
    }
    return all;
  }

  var tools = { need: need, base64: base64, hex: hex, same: same, readKey: readKey, readNote: readNote };
  window.fielatoProof = { verify: verify, readKey: readKey, tools: tools, available: Boolean(window.isSecureContext && subtle) };
})();
