'use strict';
// afip-apis: it is given the address of the WSDL, and posts to what stands before the query. Its envelopes
// are of SOAP 1.2, with the headers of 1.1. FEDummy it writes without a namespace.
const { LoginTicket, Wsfev1 } = require('afip-apis');
const { task, list, lot, issued, found, advance, run } = require('./day.js');

const space = 'http://ar.gov.afip.dif.FEV1/';

// told is what it tells of an error: the text of a fault stands in what it calls extra.
const told = work => work.catch(e => { throw new Error(`${e.message} ${JSON.stringify(e.extra)}`); });

// Its values are texts.
function numbered(answer) {
  return { ...answer, codes: answer.codes && answer.codes.map(Number), total: answer.total && Number(answer.total) };
}

run(async issuer => {
  const service = new Wsfev1(task.service + '?WSDL');
  const Auth = { Cuit: issuer.cuit };
  const call = async (operation, members) => (await told(service[operation](members)))[operation + 'Result'];
  const point = { PtoVta: 1, CbteTipo: 6 };
  const fortnight = { Periodo: task.period, Orden: task.order };
  return {
    login: async () => {
      const ticket = await told(new LoginTicket().wsaaLogin('wsfe', task.login + '?WSDL', issuer.certificate, issuer.key));
      Auth.Token = ticket.credentials.token;
      Auth.Sign = ticket.credentials.sign;
      return { number: Auth.Token.length };
    },
    dummy: async () => { const a = await call('FEDummy', {}); return { servers: [a.AppServer, a.DbServer, a.AuthServer] }; },
    last: async () => ({ number: Number((await call('FECompUltimoAutorizado', { Auth, ...point })).CbteNro) }),
    issue: async (from, count, total) => numbered(issued(await call('FECAESolicitar', { Auth, FeCAEReq: lot(from, count, total) }))),
    find: async number => numbered(found(await call('FECompConsultar', { Auth, FeCompConsReq: { ...point, CbteNro: number } }))),
    types: async () => ({ number: list((await call('FEParamGetTiposCbte', { Auth })).ResultGet.CbteTipo).length }),
    // It knows no operation for the conditions: its own way to post is all that there is.
    conditions: async () => {
      const envelope = `<soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope"><soap:Body xmlns="${space}"><FEParamGetCondicionIvaReceptor>`
        + `<Auth><Token>${Auth.Token}</Token><Sign>${Auth.Sign}</Sign><Cuit>${Auth.Cuit}</Cuit></Auth></FEParamGetCondicionIvaReceptor></soap:Body></soap:Envelope>`;
      const body = await told(service.invoke(envelope, undefined, { SOAPAction: space + 'FEParamGetCondicionIvaReceptor' }));
      return { number: list(body.FEParamGetCondicionIvaReceptorResponse.FEParamGetCondicionIvaReceptorResult.ResultGet.CondicionIvaReceptor).length };
    },
    advance: async () => advance(await call('FECAEASolicitar', { Auth, ...fortnight })),
    advanceFound: async () => advance(await call('FECAEAConsultar', { Auth, ...fortnight })),
  };
});
