// Verifies the lines of witnesses under a checkpoint, as docs/format.md describes them. The reader gives their public
// keys, one a line, or a policy (C2SP's tlog-policy). Lines by other keys show nothing.
(function () {
  "use strict";
  var tools = window.fielatoProof.tools, need = tools.need, encoder = new TextEncoder();

  function moment(seconds) {
    var at = new Date(Number(seconds) * 1000);
    return isNaN(at) ? String(seconds) : at.toLocaleString(document.documentElement.lang, { timeZone: "America/Argentina/Buenos_Aires" }) + " (UTC−3)";
  }

  // A part of a policy is a witness, or members of which so many must have signed.
  function met(part, signed) {
    if (part.witness) { return signed.includes(part.witness); }
    return part.members.filter(function (m) { return met(m, signed); }).length >= part.least;
  }

  async function add(policy, text) {
    var key = await tools.readKey(text, 4);
    need(key.hash === key.said && !policy.witnesses.some(function (w) { return tools.same(w.public, key.public); }), "bad_policy");
    policy.witnesses.push(key);
    return { witness: key };
  }

  // The policy that a text asks for; null for none.
  async function read(text, quorum) {
    var lines = text.split("\n").map(function (l) { return l.trim().split(/[ \t]+/); }).filter(function (l) { return l[0] && l[0][0] !== "#"; });
    if (!lines.length) { return null; }
    var policy = { witnesses: [], logs: [], quorum: null };
    if (lines.every(function (l) { return l.length === 1; })) {
      var members = [];
      for (var line of lines) { members.push(await add(policy, line[0])); }
      var least = quorum ? Number(quorum) : Math.floor(members.length / 2) + 1;
      need(Number.isInteger(least) && least >= 1 && least <= members.length, "bad_policy");
      policy.quorum = { least: least, members: members };
      return policy;
    }
    return readLines(policy, lines);
  }

  async function readLines(policy, lines) {
    var named = new Map(), used = new Set(), asked = false;
    function name(word, part) { need(!named.has(word) && word !== "none", "bad_policy"); named.set(word, part); }
    for (var [word, ...rest] of lines) {
      if (word === "log" && rest.length >= 1 && rest.length <= 2) {
        await tools.readKey(rest[0], 1);
        policy.logs.push(rest[0]);
      } else if (word === "witness" && rest.length >= 2 && rest.length <= 3) {
        name(rest[0], await add(policy, rest[1]));
      } else if (word === "group" && rest.length >= 3) {
        var members = rest.slice(2), size = members.length;
        need(members.every(function (m) { return named.has(m) && !used.has(m) && used.add(m); }), "bad_policy");
        var least = rest[1] === "any" ? 1 : rest[1] === "all" ? size : /^[1-9][0-9]*$/.test(rest[1]) ? Number(rest[1]) : 0;
        need(least >= 1 && least <= size, "bad_policy");
        name(rest[0], { least: least, members: members.map(function (m) { return named.get(m); }) });
      } else {
        need(word === "quorum" && rest.length === 1 && !asked && (named.has(rest[0]) || rest[0] === "none"), "bad_policy");
        asked = true;
        policy.quorum = named.get(rest[0]) || null;
      }
    }
    need(asked, "bad_policy");
    return policy;
  }

  async function valid(key, bytes, signed) {
    var at = bytes.length === 76 ? new DataView(bytes.buffer, bytes.byteOffset + 4, 8).getBigUint64(0) : 0n;
    if (at === 0n || at >= 1n << 63n) { return { ok: false, at: 0n }; }
    var message = encoder.encode("cosignature/v1\ntime " + at + "\n" + signed);
    try {
      var imported = await crypto.subtle.importKey("raw", key.public, { name: "Ed25519" }, false, ["verify"]);
      return { ok: await crypto.subtle.verify({ name: "Ed25519" }, imported, bytes.subarray(12), message), at: at };
    } catch (e) {
      return { ok: e.name === "NotSupportedError" ? null : false, at: at };
    }
  }

  // judge adds the steps of a proof. log is the public key that the signature of the log was checked with.
  async function judge(all, proof, policy, log) {
    var note, cut = proof.indexOf("\n\n");
    try { note = tools.readNote(proof.slice(cut + 2)); } catch (e) { return; } // which was said
    var lines = note.signatures.map(function (line) {
      var m = /^\u2014 (\S+) (\S+)$/.exec(line), bytes = m && tools.base64(m[2]);
      return bytes && { name: m[1], hash: tools.hex(bytes.subarray(0, 4)), bytes: bytes };
    }).filter(Boolean);
    function of(key) { return function (line) { return line.name === key.name && line.hash === key.hash; }; }
    var witnesses = policy ? policy.witnesses : [], known = witnesses.map(of), signed = [];
    if (log) { try { known.push(of(await tools.readKey(log, 1))); } catch (e) { /* which was said */ } }
    for (var key of witnesses) {
      var line = lines.find(of(key));
      if (!line) { all.push({ name: "witness", computed: "", said: key.name, ok: null, word: "not_signed" }); continue; }
      var found = await valid(key, line.bytes, note.signed);
      if (found.ok) { signed.push(key); }
      all.push({ name: "witness", computed: found.ok === null ? "" : found.ok ? "valid" : "invalid", said: key.name + " · " + moment(found.at), ok: found.ok, word: found.ok === null ? "unsupported" : "" });
    }
    lines.filter(function (l) { return !known.some(function (is) { return is(l); }); }).forEach(function (l) {
      if (log) { all.push({ name: "witness", computed: "", said: l.name, ok: null, word: "unknown_witness" }); }
    });
    if (!policy || !policy.quorum) { return; }
    var right = met(policy.quorum, signed) && (!policy.logs.length || policy.logs.includes(log.trim()));
    all.push({ name: "quorum", computed: String(signed.length), said: String(witnesses.length), ok: right, word: right ? "" : "no_quorum" });
  }

  window.fielatoWitnesses = { read: read, judge: judge };
})();
