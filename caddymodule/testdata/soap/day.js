'use strict';
// The day of a client in JavaScript: what it asks for, and a line of JSON for each step with what
// it saw. It does not judge.
const fs = require('fs');

const task = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));

const list = value => value === undefined || value === null ? [] : [].concat(value);

// invoice is what every client is given for a voucher; lot is a request for some of them.
function invoice(number, total = 121) {
  return {
    Concepto: 1, DocTipo: 99, DocNro: 0, CbteDesde: number, CbteHasta: number, CbteFch: task.date,
    ImpTotal: total, ImpTotConc: 0, ImpNeto: 100, ImpOpEx: 0, ImpTrib: 0, ImpIVA: 21,
    MonId: 'PES', MonCotiz: 1, CondicionIVAReceptorId: 5,
    Iva: { AlicIva: [{ Id: 5, BaseImp: 100, Importe: 21 }] },
  };
}

function lot(from, count, total) {
  const details = Array.from({ length: count }, (_, i) => invoice(from + i, total));
  return { FeCabReq: { CantReg: count, PtoVta: 1, CbteTipo: 6 }, FeDetReq: { FECAEDetRequest: details } };
}

// issued reads the answer of FECAESolicitar, codes those of Errors, found the answer of FECompConsultar.
function issued(answer) {
  const details = list(answer.FeDetResp && answer.FeDetResp.FECAEDetResponse);
  const observed = details.flatMap(d => list(d.Observaciones && d.Observaciones.Obs));
  return {
    result: answer.FeCabResp && answer.FeCabResp.Resultado, caes: details.map(d => d.CAE),
    codes: observed.map(o => o.Code).concat(codes(answer)),
  };
}

const codes = answer => list(answer.Errors && answer.Errors.Err).map(e => e.Code);

function found(answer) {
  const invoice = answer.ResultGet;
  return invoice ? { caes: [invoice.CodAutorizacion], total: invoice.ImpTotal } : { codes: codes(answer) };
}

const advance = answer => answer.ResultGet ? { caea: answer.ResultGet.CAEA } : { codes: codes(answer) };

// run opens a client for each issuer and lives its day.
async function run(open) {
  for (const issuer of task.issuers) {
    const step = async (name, work) => {
      let saw;
      try {
        saw = await work();
      } catch (e) {
        saw = { fault: String(e && e.message || e), codes: e && e.name === 'AfipResponseError' ? [Number(e.code)] : [] };
      }
      console.log(JSON.stringify({ cuit: issuer.cuit, step: name, ...saw }));
      return saw;
    };
    const client = await open(issuer);
    if (client.login) await step('login', client.login);
    await step('dummy', client.dummy);
    const { number: last } = await step('last', client.last);
    await step('one', () => client.issue(last + 1, 1));
    await step('lot', () => client.issue(last + 2, 3));
    await step('found', () => client.find(last + 1));
    await step('missing', () => client.find(99999999));
    await step('types', client.types);
    await step('conditions', client.conditions);
    await step('wrong', () => client.issue(last + 5, 1, 122.02));
    if (client.merged) await step('merged', () => client.merged(last + 5));
    await step('advance', client.advance);
    await step('advance again', client.advanceFound || client.advance);
    if (issuer.lost) {
      await step('lost', () => client.issue(issuer.lost, 1));
      await step('asked', () => client.find(issuer.lost));
      await step('sent again', () => client.issue(issuer.lost, 1));
    }
    await step('end', client.last);
  }
}

module.exports = { task, list, invoice, lot, issued, codes, found, advance, run };
