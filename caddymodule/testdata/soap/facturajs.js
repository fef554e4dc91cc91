'use strict';
// facturajs: it has the authority's addresses built in, and logs in by itself.
const path = require('path');
const { AfipServices } = require('facturajs');
const { task, list, lot, issued, found, advance, run } = require('./day.js');

run(async issuer => {
  const services = new AfipServices({
    homo: true, certPath: issuer.certificate, privateKeyPath: issuer.key,
    cacheTokensPath: path.join(task.folder, `tokens-${issuer.cuit}.json`), tokensExpireInHours: 12,
  });
  const Auth = { Cuit: issuer.cuit };
  const call = (operation, params) => services.execRemote('wsfev1', operation, { Auth, params });
  const point = { PtoVta: 1, CbteTipo: 6 };
  return {
    dummy: async () => { const a = await call('FEDummy', {}); return { servers: [a.AppServer, a.DbServer, a.AuthServer] }; },
    last: async () => ({ number: (await services.getLastBillNumber({ Auth, params: point })).CbteNro }),
    issue: async (from, count, total) => {
      // It wants a list of elements, each with one invoice.
      const request = lot(from, count, total);
      request.FeDetReq = request.FeDetReq.FECAEDetRequest.map(d => ({ FECAEDetRequest: d }));
      return issued(await services.createBill({ Auth, params: { FeCAEReq: request } }));
    },
    // Given the list of other clients, it writes the members of three invoices into one element.
    merged: async from => issued(await services.createBill({ Auth, params: { FeCAEReq: lot(from, 3) } })),
    find: async number => found(await call('FECompConsultar', { FeCompConsReq: { ...point, CbteNro: number } })),
    types: async () => ({ number: list((await call('FEParamGetTiposCbte', {})).ResultGet.CbteTipo).length }),
    conditions: async () => ({ number: list((await services.getVatReceiverConditions({ Auth, params: { ClaseCmp: 'B' } })).ResultGet.CondicionIvaReceptor).length }),
    advance: async () => advance(await call('FECAEASolicitar', { Periodo: task.period, Orden: task.order })),
    advanceFound: async () => advance(await call('FECAEAConsultar', { Periodo: task.period, Orden: task.order })),
  };
});
