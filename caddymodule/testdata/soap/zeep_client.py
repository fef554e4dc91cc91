"""zeep: it is given the address of the WSDL, and goes where that leads.

It prints a line of JSON for each step of its day, with what it saw. It does not judge.
"""
import base64
import datetime
import json
import subprocess
import sys
import xml.etree.ElementTree

import zeep

with open(sys.argv[1], encoding="utf-8") as file:
    TASK = json.load(file)
PORT = "ServiceSoap12" if TASK["version"] == "1.2" else "ServiceSoap"
POINT = {"PtoVta": 1, "CbteTipo": 6}
SERVICE = zeep.Client(TASK["service"] + "?WSDL", port_name=PORT).service
LOGIN = zeep.Client(TASK["login"] + "?wsdl").service
FORTNIGHT = {"Periodo": TASK["period"], "Orden": TASK["order"]}


def invoice(number, **other):
    return dict({
        "Concepto": 1, "DocTipo": 99, "DocNro": 0, "CbteDesde": number, "CbteHasta": number, "CbteFch": TASK["date"],
        "ImpTotal": 121, "ImpTotConc": 0, "ImpNeto": 100, "ImpOpEx": 0, "ImpTrib": 0, "ImpIVA": 21,
        "MonId": "PES", "MonCotiz": 1, "CondicionIVAReceptorId": 5,
        "Iva": {"AlicIva": [{"Id": 5, "BaseImp": 100, "Importe": 21}]},
    }, **other)


def request(issuer):
    """The signed request for a ticket. zeep has nothing for that."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    span = datetime.timedelta(minutes=10)
    text = ('<?xml version="1.0" encoding="UTF-8"?><loginTicketRequest version="1.0"><header><uniqueId>%d</uniqueId>'
            "<generationTime>%s</generationTime><expirationTime>%s</expirationTime></header><service>wsfe</service>"
            "</loginTicketRequest>" % (now.timestamp(), (now - span).isoformat(), (now + span).isoformat()))
    sign = ["openssl", "cms", "-sign", "-nodetach", "-outform", "DER", "-signer", issuer["certificate"], "-inkey", issuer["key"]]
    return base64.b64encode(subprocess.run(sign, input=text.encode(), capture_output=True, check=True).stdout).decode()


def codes(answer):
    return [e.Code for e in (answer.Errors.Err if answer.Errors else [])]


class Day:
    def __init__(self, issuer):
        self.issuer = issuer
        self.auth = {"Cuit": issuer["cuit"]}

    def step(self, name, work, *arguments, **more):
        try:
            saw = work(*arguments, **more)
        except zeep.exceptions.Error as e:
            saw = {"fault": str(e)}
        print(json.dumps(dict({"cuit": self.issuer["cuit"], "step": name}, **saw)), flush=True)
        return saw

    def login(self):
        ticket = LOGIN.loginCms(in0=request(self.issuer))
        credentials = xml.etree.ElementTree.fromstring(ticket.encode()).find("credentials")
        self.auth.update(Token=credentials.findtext("token"), Sign=credentials.findtext("sign"))
        return {"number": len(self.auth["Token"])}

    def dummy(self):
        answer = SERVICE.FEDummy()
        return {"servers": [answer.AppServer, answer.DbServer, answer.AuthServer]}

    def last(self):
        return {"number": SERVICE.FECompUltimoAutorizado(Auth=self.auth, **POINT).CbteNro}

    def issue(self, first, count, **other):
        details = [invoice(number, **other) for number in range(first, first + count)]
        answer = SERVICE.FECAESolicitar(Auth=self.auth, FeCAEReq={
            "FeCabReq": dict(POINT, CantReg=count), "FeDetReq": {"FECAEDetRequest": details}})
        details = answer.FeDetResp.FECAEDetResponse if answer.FeDetResp else []
        observed = [o.Code for d in details if d.Observaciones for o in d.Observaciones.Obs]
        return {"result": answer.FeCabResp and answer.FeCabResp.Resultado, "caes": [d.CAE for d in details], "codes": observed + codes(answer)}

    def find(self, number):
        answer = SERVICE.FECompConsultar(Auth=self.auth, FeCompConsReq=dict(POINT, CbteNro=number))
        if not answer.ResultGet:
            return {"codes": codes(answer)}
        return {"caes": [answer.ResultGet.CodAutorizacion], "total": answer.ResultGet.ImpTotal}

    def types(self):
        return {"number": len(SERVICE.FEParamGetTiposCbte(Auth=self.auth).ResultGet.CbteTipo)}

    def conditions(self):
        answer = SERVICE.FEParamGetCondicionIvaReceptor(Auth=self.auth, ClaseCmp="B")
        return {"number": len(answer.ResultGet.CondicionIvaReceptor)}

    def advance(self, operation):
        answer = SERVICE[operation](Auth=self.auth, **FORTNIGHT)
        return {"caea": answer.ResultGet.CAEA} if answer.ResultGet else {"codes": codes(answer)}

    def tables(self):
        answers = [SERVICE[name](Auth=self.auth) for name in (
            "FECompTotXRequest", "FEParamGetTiposConcepto", "FEParamGetTiposDoc", "FEParamGetTiposIva", "FEParamGetTiposMonedas",
            "FEParamGetTiposOpcional", "FEParamGetTiposTributos", "FEParamGetTiposPaises", "FEParamGetPtosVenta", "FEParamGetActividades")]
        answers.append(SERVICE.FEParamGetCotizacion(Auth=self.auth, MonId="DOL"))
        return {"number": len([a for a in answers if a and not codes(a)])}

    def inform(self, caea):
        """An invoice with an advance code: a point of sale has only these."""
        answer = SERVICE.FECAEARegInformativo(Auth=self.auth, FeCAEARegInfReq={
            "FeCabReq": {"CantReg": 1, "PtoVta": 3, "CbteTipo": 6},
            "FeDetReq": {"FECAEADetRequest": [invoice(1, CAEA=caea, CbteFchHsGen=TASK["date"] + "000000")]}})
        return {"result": answer.FeCabResp and answer.FeCabResp.Resultado, "codes": codes(answer)}

    def no_movement(self, caea):
        answer = SERVICE.FECAEASinMovimientoInformar(Auth=self.auth, PtoVta=4, CAEA=caea)
        return {"result": answer.Resultado, "codes": codes(answer)}

    def no_movement_found(self, caea):
        answer = SERVICE.FECAEASinMovimientoConsultar(Auth=self.auth, CAEA=caea, PtoVta=4)
        return {"caea": answer.ResultGet.FECAEASinMov[0].CAEA}

    def live(self):
        self.step("login", self.login)
        self.step("dummy", self.dummy)
        last = self.step("last", self.last)["number"]
        self.step("one", self.issue, last + 1, 1)
        self.step("lot", self.issue, last + 2, 3)
        self.step("found", self.find, last + 1)
        self.step("missing", self.find, 99999999)
        self.step("types", self.types)
        self.step("conditions", self.conditions)
        self.step("wrong", self.issue, last + 5, 1, ImpTotal=122.02)
        # What a program writes that names every member: nil, and dates without a text.
        self.step("blank", self.issue, last + 5, 1, FchServDesde="", FchServHasta="", FchVtoPago=zeep.xsd.Nil, Opcionales=zeep.xsd.Nil)
        caea = self.step("advance", self.advance, "FECAEASolicitar").get("caea")
        self.step("advance again", self.advance, "FECAEAConsultar")
        # zeep refuses an answer whose members are in another order than the WSDL has.
        self.step("tables", self.tables)
        self.step("informed", self.inform, caea)
        self.step("no movement", self.no_movement, caea)
        self.step("no movement found", self.no_movement_found, caea)
        if self.issuer["lost"]:
            self.step("lost", self.issue, self.issuer["lost"], 1)
            self.step("asked", self.find, self.issuer["lost"])
            self.step("sent again", self.issue, self.issuer["lost"], 1)
        self.step("end", self.last)


for each in TASK["issuers"]:
    Day(each).live()
