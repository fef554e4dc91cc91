
// Compares what the sheet says with the proven record. It runs in the file itself, without a connection.
(function () {
  "use strict";
  var one = JSON.parse(document.getElementById("proof").textContent);
  var box = document.getElementById("key"), result = document.getElementById("result");
  var witnesses = document.getElementById("witnesses"), quorum = document.getElementById("quorum"), turn = 0;
  function shown(id) { return document.getElementById(id).textContent.trim(); }
  function until() { return document.getElementById("expires") ? shown("expires") : ""; }
  function day(text) { return text ? text.slice(6) + "/" + text.slice(4, 6) + "/" + text.slice(0, 4) : ""; }
  function say(verdict, text) { result.dataset.verdict = verdict; result.textContent = text; }

  // What a reader sees must be in the proven record, or a changed sheet would pass.
  function fits() {
    var parts = shown("number").split("-"), code = shown("code"), claims = one.claims, number = BigInt(parts[1]);
    return claims.cuit === shown("issuer").replace(/\D/g, "") && claims.cbte_tipo === shown("type") && BigInt(claims.pto_vta) === BigInt(parts[0]) &&
      claims.vouchers.split("; ").some(function (text) {
        var v = text.split(" ");
        return BigInt(v[0]) <= number && number <= BigInt(v[1]) && v[2] === code && v[4] === "A" && day(v[3]) === until();
      });
  }

  // The record of an earlier build names the address of the service alone.
  function service(claims) {
    var name = { production: "producción", testing: "homologación, sin validez fiscal", builtin: "el de prueba incorporado, sin validez fiscal" }[claims.environment];
    if (claims.upstream === "wsfev1_backend") { return "el de prueba incorporado, sin validez fiscal"; }
    return [name, claims.upstream].filter(Boolean).join(", ") || "no consta";
  }

  // What a line of a witness shows. A name may hold what cannot be seen, or changes the direction of writing.
  function signer(step) {
    var found = { unknown_witness: "firma de una clave que usted no dio: no muestra nada", not_signed: "no firmó este punto de control", unsupported: "este navegador no conoce su firma" };
    var text = step.said + ": " + (found[step.word] || (step.ok ? "firma válida" : "firma inválida"));
    return text.replace(/\p{C}/gu, function (c) { return "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"); });
  }

  // The lines of witnesses under the checkpoint. Without keys or a policy none is asked for.
  async function judgeWitnesses(key) {
    var policy, steps = [];
    try { policy = await fielatoWitnesses.read(witnesses.value, quorum.value); } catch (e) { return { unread: true, steps: steps }; }
    await fielatoWitnesses.judge(steps, one.text, policy, key);
    var asked = steps.find(function (s) { return s.name === "quorum"; });
    return { met: asked && asked.ok, missed: asked && !asked.ok, steps: steps.filter(function (s) { return s.name === "witness"; }) };
  }
  function list(steps) {
    document.getElementById("signers").replaceChildren.apply(document.getElementById("signers"), steps.map(function (step) {
      var item = document.createElement("li");
      item.textContent = signer(step);
      item.dataset.ok = String(step.ok);
      return item;
    }));
  }

  async function check() {
    if (!fielatoProof.available) { return say("open", "Este navegador no puede verificar archivos. Ábralo en otro, o pida el zip de evidencia."); }
    var mine = ++turn, own = box.value.trim(), steps = await fielatoProof.verify(one, own || one.key), others = await judgeWitnesses(own || one.key);
    if (mine !== turn) { return; } // the reader has changed a key meanwhile
    list(others.steps);
    var wrong = steps.filter(function (s) { return s.ok === false; }), signed = steps.some(function (s) { return s.name === "signature" && s.ok; });
    if (wrong.length > 0) { return say("bad", "No coincide: " + wrong.map(function (s) { return s.name; }).join(", ") + "."); }
    if (others.steps.some(function (s) { return s.ok === false; })) { return say("bad", "No coincide: la firma de un testigo es inválida. Vea los testigos."); }
    if (!fits()) { return say("bad", "No coincide: lo que dice esta hoja no es lo que dice el registro."); }
    if (!signed) { return say("open", "Este navegador no conoce la firma Ed25519. Ábralo en otro, o pida el zip de evidencia."); }
    if (others.unread) { return say("open", "Lo que pegó de los testigos no se entiende: una clave NOMBRE+HASH+CLAVE por línea, o una política entera."); }
    if (others.missed) { return say("open", "Los testigos que usted pide no firmaron el punto de control de este archivo. Si es de hace unos minutos, pida otra constancia."); }
    var by = " Servicio, según el registro: " + service(one.claims) + "." + (others.met ? " También lo firmaron los testigos que usted pide." : "");
    if (!own) { return say("known", "Coincide, según la clave que este mismo archivo trae." + by + " Para no depender de él, pegue la clave que le dio quien opera la pasarela."); }
    say("good", "Coincide: emisor, tipo, número y código son los del registro original, firmado con la clave que usted pegó." + by);
  }
  function begin() { check().catch(function () { say("bad", "No coincide: la prueba de este archivo no se puede leer."); }); }
  [box, witnesses, quorum].forEach(function (field) { field.addEventListener("input", begin); });
  begin();
})();
