
// Compares what the sheet says with the proven record. It runs in the file itself, without a connection.
(function () {
  "use strict";
  var one = JSON.parse(document.getElementById("proof").textContent);
  var box = document.getElementById("key"), result = document.getElementById("result");
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

  async function check() {
    if (!fielatoProof.available) { return say("open", "Este navegador no puede verificar archivos. Ábralo en otro, o pida el zip de evidencia."); }
    var own = box.value.trim(), steps = await fielatoProof.verify(one, own || one.key);
    var wrong = steps.filter(function (s) { return s.ok === false; }), signed = steps.some(function (s) { return s.name === "signature" && s.ok; });
    if (wrong.length > 0) { return say("bad", "No coincide: " + wrong.map(function (s) { return s.name; }).join(", ") + "."); }
    if (!fits()) { return say("bad", "No coincide: lo que dice esta hoja no es lo que dice el registro."); }
    if (!signed) { return say("open", "Este navegador no conoce la firma Ed25519. Ábralo en otro, o pida el zip de evidencia."); }
    var by = " Servicio, según el registro: " + service(one.claims) + ".";
    if (!own) { return say("known", "Coincide, según la clave que este mismo archivo trae." + by + " Para no depender de él, pegue la clave que le dio quien opera la pasarela."); }
    say("good", "Coincide: emisor, tipo, número y código son los del registro original, firmado con la clave que usted pegó." + by);
  }
  function begin() { check().catch(function () { say("bad", "No coincide: la prueba de este archivo no se puede leer."); }); }
  box.addEventListener("input", begin);
  begin();
})();
