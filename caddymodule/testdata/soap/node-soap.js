'use strict';
// The package soap: it is given the address of the WSDL, and goes where that leads.
const fs = require('fs');
const soap = require('soap');
const forge = require('node-forge');
const { task, list, lot, issued, found, advance, run } = require('./day.js');

// The header of SOAP 1.2 makes the whole client speak it.
const options = { forceSoap12Headers: task.version === '1.2' };

// request is the signed request for a ticket. The package has nothing for that.
function request(issuer) {
  const now = Date.now();
  const time = offset => new Date(now + offset).toISOString();
  const message = forge.pkcs7.createSignedData();
  message.content = forge.util.createBuffer('<?xml version="1.0" encoding="UTF-8"?><loginTicketRequest version="1.0"><header>'
    + `<uniqueId>${Math.floor(now / 1000)}</uniqueId><generationTime>${time(-600000)}</generationTime>`
    + `<expirationTime>${time(600000)}</expirationTime></header><service>wsfe</service></loginTicketRequest>`, 'utf8');
  const certificate = fs.readFileSync(issuer.certificate, 'utf8');
  message.addCertificate(certificate);
  message.addSigner({
    key: forge.pki.privateKeyFromPem(fs.readFileSync(issuer.key, 'utf8')), certificate, digestAlgorithm: forge.pki.oids.sha256,
    authenticatedAttributes: [
      { type: forge.pki.oids.contentType, value: forge.pki.oids.data },
      { type: forge.pki.oids.messageDigest },
      { type: forge.pki.oids.signingTime, value: new Date() },
    ],
  });
  message.sign();
  return forge.util.encode64(forge.asn1.toDer(message.toAsn1()).getBytes());
}

run(async issuer => {
  const service = await soap.createClientAsync(task.service + '?WSDL', options);
  const Auth = { Cuit: issuer.cuit };
  const call = async (operation, members) => (await service[operation + 'Async'](members))[0][operation + 'Result'];
  const point = { PtoVta: 1, CbteTipo: 6 };
  const fortnight = { Periodo: task.period, Orden: task.order };
  return {
    login: async () => {
      const login = await soap.createClientAsync(task.login + '?wsdl', options);
      const [{ loginCmsReturn: ticket }] = await login.loginCmsAsync({ in0: request(issuer) });
      [, Auth.Token] = /<token>(.*?)<\/token>/s.exec(ticket);
      [, Auth.Sign] = /<sign>(.*?)<\/sign>/s.exec(ticket);
      return { number: Auth.Token.length };
    },
    dummy: async () => { const a = await call('FEDummy', {}); return { servers: [a.AppServer, a.DbServer, a.AuthServer] }; },
    last: async () => ({ number: (await call('FECompUltimoAutorizado', { Auth, ...point })).CbteNro }),
    issue: async (from, count, total) => issued(await call('FECAESolicitar', { Auth, FeCAEReq: lot(from, count, total) })),
    find: async number => found(await call('FECompConsultar', { Auth, FeCompConsReq: { ...point, CbteNro: number } })),
    types: async () => ({ number: list((await call('FEParamGetTiposCbte', { Auth })).ResultGet.CbteTipo).length }),
    conditions: async () => ({ number: list((await call('FEParamGetCondicionIvaReceptor', { Auth, ClaseCmp: 'B' })).ResultGet.CondicionIvaReceptor).length }),
    advance: async () => advance(await call('FECAEASolicitar', { Auth, ...fortnight })),
    advanceFound: async () => advance(await call('FECAEAConsultar', { Auth, ...fortnight })),
  };
});
