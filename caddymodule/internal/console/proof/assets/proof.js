// Shows on the page what fielatoProof finds. The key is the reader's: pasted, or pinned in this browser.
// It is never sent. Whatever a record quotes becomes text, never HTML.
(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("proof-data").textContent), words = data.words;
  var verdict = document.getElementById("verdict"), box = document.getElementById("key-box"), problem = document.getElementById("key-problem");
  var witnesses = document.getElementById("witness-box"), quorum = document.getElementById("witness-quorum");
  var place = "fielato.key:" + data.log, witnessPlace = "fielato.witnesses:" + data.log;
  var turn = 0;

  function show(id, shown) { document.getElementById(id).hidden = !shown; }
  // The answer comes first, then what to do.
  function tell(kind, text, answer) {
    var made = document.createElement("strong");
    made.textContent = ({ good: "✓ ", bad: "✗ ", open: "– " })[kind] + words["is." + (answer || kind)];
    verdict.className = "verdict " + kind;
    verdict.replaceChildren(made, " " + text);
    verdict.dataset.verdict = kind;
  }
  function pinned() {
    try { return localStorage.getItem(place) || ""; } catch (e) { return ""; }
  }
  function pin(text) {
    try {
      if (text) { localStorage.setItem(place, text); } else { localStorage.removeItem(place); }
      problem.textContent = "";
    } catch (e) { problem.textContent = words.pin_failed; }
    box.value = "";
    return run();
  }
  function chosen() {
    if (box.value.trim()) { return { text: box.value.trim(), source: "pasted" }; }
    if (pinned()) { return { text: pinned(), source: "pinned" }; }
    return { text: data.key, source: data.key ? "server" : "no_key" };
  }

  // What cannot be seen, and what changes the direction of writing, is written out.
  function plain(text) {
    return text.replace(/\p{C}/gu, function (c) { return "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"); });
  }
  function cell(row, kind, text, label) {
    var made = document.createElement(kind);
    if (label) { made.dataset.label = label; }
    made.textContent = plain(text);
    row.appendChild(made);
    return made;
  }
  function remark(to, text) {
    var made = document.createElement("span");
    made.className = "remark";
    made.textContent = text;
    to.appendChild(made);
  }
  function resultOf(step) {
    if (step.ok === true) { return ["good", "✓ " + words.fits]; }
    if (step.ok === false) { return ["bad", "✗ " + words.differs]; }
    if (isOpen(step)) { return ["open", "– " + words.unchecked]; }
    return ["", step.name === "leaf" || step.name === "node" ? "" : words.neutral];
  }
  function fill(body, heads, all) {
    var nodes = 0;
    body.textContent = "";
    all.forEach(function (step) {
      var row = document.createElement("tr"), result = resultOf(step), name = words["step." + step.name];
      row.dataset.step = step.name;
      row.dataset.ok = String(step.ok);
      if (step.name === "node") { row.className = "node"; name += " " + ++nodes; }
      cell(row, "th", name).scope = "row";
      var computed = cell(row, "td", (step.name === "signature" || step.name === "witness") && step.computed ? words[step.computed] : step.computed, heads[1]);
      var said = cell(row, "td", step.said, heads[2]);
      computed.className = said.className = "mono";
      if (step.word) { remark(computed, words[step.word]); }
      if (step.size) { remark(said, words.size + " " + step.size); }
      if (step.name === "node") { remark(said, words.beside + ", " + (step.left ? words.left : words.right)); }
      cell(row, "td", result[1], heads[3]).className = "result " + result[0];
      body.appendChild(row);
    });
  }

  // A purged, sealed or masked content, and a body with parts replaced, leave nothing open: the record
  // is proven without them.
  function isOpen(step) { return step.ok === null && (step.name === "key" || step.name === "signature"); }

  function judge(found, key) {
    var all = [].concat.apply([], found);
    function differs(name) { return all.some(function (s) { return s.ok === false && s.name === name; }); }
    // A key that cannot be read shows nothing about the record, nor do witnesses that have not signed.
    var wrong = all.filter(function (s) { return s.ok === false && !["key", "policy", "quorum"].includes(s.name); }).map(function (s) { return words["step." + s.name]; });
    if (wrong.length) { return tell("bad", words.bad + " " + Array.from(new Set(wrong)).join("; ") + ".", differs("signature") ? "bad_key" : "bad"); }
    if (data.too_large) { return tell("open", words.too_large); }
    if (data.incomplete || !all.length) { return tell("bad", words.incomplete); }
    if (key.source === "no_key") { return tell("open", words.open_server, "open_key"); }
    if (differs("key")) { return tell("open", words.open_key); }
    if (all.some(isOpen)) { return tell("open", words.open_part); }
    if (differs("policy")) { return tell("open", words.open_policy); }
    if (differs("quorum")) { return tell("open", words.open_quorum); }
    if (key.source === "server") { return tell("open", words.open_server, "open_key"); }
    var asked = all.some(function (s) { return s.name === "quorum"; });
    tell("good", (all.some(function (s) { return s.name === "content" && s.ok === null; }) ? words.good_part : words.good) + (asked ? " " + words.good_witnessed : ""));
  }

  function run() { return verifyAll().catch(function () { tell("open", words.broken); }); }
  async function verifyAll() {
    var key = chosen(), mine = ++turn, found = [], policy = null, unread = false;
    try { policy = await fielatoWitnesses.read(witnesses.value, quorum.value); } catch (e) { unread = true; }
    for (var proof of data.proofs) {
      var steps = await fielatoProof.verify({ log: data.log, index: proof.index, text: proof.text, masked: proof.masked, claims: proof.claims }, key.text);
      if (unread) { steps.push({ name: "policy", computed: "", said: "", ok: false, word: "bad_policy" }); }
      await fielatoWitnesses.judge(steps, proof.text, policy, key.text);
      found.push(steps);
    }
    if (mine !== turn) { return; } // the reader has changed the key meanwhile
    data.proofs.forEach(function (proof, i) {
      var table = Array.from(document.querySelectorAll(".steps table")).find(function (t) { return t.dataset.index === data.log + "/" + proof.index; });
      if (!table) { return; }
      var heads = Array.from(table.tHead.rows[0].cells, function (c) { return c.textContent; });
      fill(table.tBodies[0], heads, found[i]);
      table.closest(".steps").hidden = false;
      if (found[i].some(function (s) { return s.ok === false; })) { table.closest("details").open = true; }
      table.closest("section").querySelectorAll(".plain").forEach(function (e) { e.hidden = true; });
    });
    judge(found, key);
    document.getElementById("key-source").textContent = words[key.source];
    document.getElementById("key-text").textContent = key.text;
    document.querySelector(".used").hidden = false;
    document.getElementById("key-server").className = key.text === data.key ? "hint screen" : "hint"; // a sheet needs it once
    show("other-key", Boolean(data.key) && key.text !== data.key);
    document.getElementById("other-key").textContent = words.other_key;
    document.getElementById("verified").textContent = words.done + " " + new Date().toLocaleString(document.documentElement.lang, { timeZone: "America/Argentina/Buenos_Aires" }) + " (UTC−3)";
    show("key-forget", Boolean(pinned()));
    show("key-pin-server", Boolean(data.key) && pinned() !== data.key);
  }

  // What was asked of witnesses stays in this browser, if the reader wants it.
  function keepWitnesses(kept) {
    try {
      if (kept) { localStorage.setItem(witnessPlace, JSON.stringify([witnesses.value, quorum.value])); } else { localStorage.removeItem(witnessPlace); }
    } catch (e) { document.getElementById("witness-problem").textContent = words.pin_failed; }
    show("witness-forget", kept);
    if (!kept) { witnesses.value = quorum.value = ""; }
    return run();
  }
  function keptWitnesses() {
    try {
      var kept = JSON.parse(localStorage.getItem(witnessPlace) || "null");
      if (!kept) { return; }
      witnesses.value = kept[0];
      quorum.value = kept[1];
      witnesses.closest("details").open = true;
      show("witness-forget", true);
    } catch (e) { /* it keeps nothing */ }
  }

  async function pinPasted() {
    try {
      var key = await fielatoProof.readKey(box.value);
      if (key.hash !== key.said) { throw new Error(); }
      return pin(key.text);
    } catch (e) { problem.textContent = words.bad_key; }
  }

  // A sheet has all of it. What was folded is folded again afterwards.
  var folded = [];
  window.addEventListener("beforeprint", function () {
    folded = Array.from(document.querySelectorAll("details.technical:not([open])"));
    folded.forEach(function (e) { e.open = true; });
  });
  window.addEventListener("afterprint", function () { folded.forEach(function (e) { e.open = false; }); });

  var print = document.getElementById("print");
  print.hidden = false;
  print.addEventListener("click", function () { window.print(); });
  if (!fielatoProof.available) {
    tell("open", words.insecure);
    return;
  }
  show("key-form", true);
  box.addEventListener("input", run);
  document.getElementById("key-pin").addEventListener("click", pinPasted);
  document.getElementById("key-pin-server").addEventListener("click", function () { pin(data.key); });
  document.getElementById("key-forget").addEventListener("click", function () { pin(""); });
  keptWitnesses();
  witnesses.addEventListener("input", run);
  quorum.addEventListener("input", run);
  document.getElementById("witness-pin").addEventListener("click", function () { keepWitnesses(true); });
  document.getElementById("witness-forget").addEventListener("click", function () { keepWitnesses(false); });
  run();
})();
