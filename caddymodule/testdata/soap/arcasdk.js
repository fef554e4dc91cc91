'use strict';
// @arcasdk/core: it has the authority's addresses and WSDL built in, and logs in by itself.
const fs = require('fs');
const { Arca } = require('@arcasdk/core');
const { task, list, invoice, issued, run } = require('./day.js');

run(async issuer => {
  const billing = new Arca({
    cuit: issuer.cuit, cert: fs.readFileSync(issuer.certificate, 'utf8'), key: fs.readFileSync(issuer.key, 'utf8'),
    production: false, useHttpsAgent: true, ticketPath: task.folder, useSoap12: task.version === '1.2',
  }).electronicBillingService;
  const voucher = (number, total) => {
    const { Iva, ...members } = invoice(number, total);
    return { CantReg: 1, PtoVta: 1, CbteTipo: 6, ...members, Iva: Iva.AlicIva };
  };
  const one = async work => issued((await work).response);
  return {
    dummy: async () => { const a = await billing.getServerStatus(); return { servers: [a.appServer, a.dbServer, a.authServer] }; },
    last: async () => ({ number: (await billing.getLastVoucher(1, 6)).cbteNro }),
    // It issues one at a time, and numbers the next one by itself.
    issue: async (from, count, total) => {
      if (count === 1) return one(billing.createVoucher(voucher(from, total)));
      const all = [];
      for (let i = 0; i < count; i++) {
        const { CbteDesde, CbteHasta, ...next } = voucher(0, total);
        all.push(await one(billing.createNextVoucher(next)));
      }
      return { result: all.map(a => a.result).join(''), caes: all.flatMap(a => a.caes), codes: all.flatMap(a => a.codes) };
    },
    // It answers null for a number that does not exist.
    find: async number => {
      const answer = await billing.getVoucherInfo(number, 1, 6);
      return answer ? { caes: [answer.codAutorizacion], total: answer.impTotal } : { result: 'null' };
    },
    types: async () => ({ number: list((await billing.getVoucherTypes()).resultGet.cbteTipo).length }),
    conditions: async () => ({ number: list((await billing.getIvaReceptorTypes('B')).resultGet.condicionIvaReceptor).length }),
    advance: async () => ({ caea: (await billing.getCaea(task.period, task.order)).resultGet.caea }),
    advanceFound: async () => ({ caea: (await billing.consultCaea(task.period, task.order)).resultGet.caea }),
  };
});
