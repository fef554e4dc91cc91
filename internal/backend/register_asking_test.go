package backend_test

import (
	"fmt"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// Members of invoices. WHO is replaced by the CUIT that the provocation is about.
const (
	toWho    = `"DocTipo":80,"DocNro":WHO,"CondicionIVAReceptorId":1`
	toNobody = `"DocTipo":80,"DocNro":20222222223,"CondicionIVAReceptorId":1`
	classC   = `"ImpNeto":121.00,"ImpIVA":0,"Iva":null`
	million  = `"ImpNeto":2000000,"ImpIVA":0,"ImpTotal":2000000,"Iva":null`
	millions = `"ImpNeto":20000000,"ImpIVA":0,"ImpTotal":20000000,"Iva":null`
	dueFCE   = `"ImpNeto":5000000,"ImpIVA":1050000,"ImpTotal":6050000,"Iva":{"AlicIva":[{"Id":5,"BaseImp":5000000,"Importe":1050000}]}`
	credit   = `"FchVtoPago":"20261206","Opcionales":{"Opcional":[{"Id":"2101","Valor":"0009999000000000000000"},{"Id":"27","Valor":"SCA"}]}`
	policy   = `"Opcionales":{"Opcional":[{"Id":"2901","Valor":"1"},{"Id":"2902","Valor":"0"}]}`
)

func members(who wsfev1.CUIT, of ...string) string {
	return strings.ReplaceAll(strings.Join(of, ","), "WHO", who.String())
}

// asReceived is an invoice from a new issuer to WHO, asReported one reported under a CAEA.
func asReceived(cbteTipo int, of ...string) provoke {
	return func(d *desk, who wsfev1.CUIT) string {
		return d.authorise(d.somebody(), 1, cbteTipo, members(who, of...))
	}
}

// toConsumerOfC is an invoice of class C to WHO.
func toConsumerOfC(d *desk, who wsfev1.CUIT) string {
	return d.authorise(monotributo, 1, 11, members(who, toWho, classC))
}

func asReported(cbteTipo int, of ...string) provoke {
	return func(d *desk, who wsfev1.CUIT) string { return d.report(d.somebody(), 3, cbteTipo, members(who, of...)) }
}

// asIssued is an invoice that WHO issues, asInformed one that WHO reports under a CAEA.
func asIssued(ptoVta, cbteTipo int, of ...string) provoke {
	return func(d *desk, who wsfev1.CUIT) string { return d.authorise(who, ptoVta, cbteTipo, members(who, of...)) }
}

func asInformed(ptoVta, cbteTipo int, of ...string) provoke {
	return func(d *desk, who wsfev1.CUIT) string { return d.report(who, ptoVta, cbteTipo, members(who, of...)) }
}

func opcional(id, valor string) string {
	return fmt.Sprintf(`"Opcionales":{"Opcional":[{"Id":%q,"Valor":%q}]}`, id, valor)
}

func buyer(first string) string {
	return fmt.Sprintf(`"Compradores":{"Comprador":[{"DocTipo":80,"DocNro":%s,"Porcentaje":50},{"DocTipo":80,"DocNro":WHO,"Porcentaje":50}]}`, first)
}

// associated refers to one voucher; more are further members of the reference.
func associated(cbteTipo, ptoVta, nro int, more string) string {
	return fmt.Sprintf(`"CbtesAsoc":{"CbteAsoc":[{"Tipo":%d,"PtoVta":%d,"Nro":%d%s}]}`, cbteTipo, ptoVta, nro, more)
}

// A note that adjusts a credit invoice: one that its buyer has rejected can only be
// annulled.
const adjusting = `"Opcionales":{"Opcional":[{"Id":"22","Valor":"N"}]},` +
	`"CbtesAsoc":{"CbteAsoc":[{"Tipo":201,"PtoVta":1,"Nro":1,"Cuit":"WHO","CbteFch":"20261106"}]}`

const beforeContingency = `"CbteFch":"20260720","CbteFchHsGen":"20260720103000"`

func advanced(d *desk, who wsfev1.CUIT) string { return d.as(who, "FECAEASolicitar", d.fortnight()) }

func consulted(ptoVta int) provoke {
	return func(d *desk, who wsfev1.CUIT) string {
		return d.as(who, "FECompConsultar", fmt.Sprintf(`"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":%d}`, ptoVta))
	}
}

func last(ptoVta int) provoke {
	return func(d *desk, who wsfev1.CUIT) string {
		return d.as(who, "FECompUltimoAutorizado", fmt.Sprintf(`"PtoVta":%d,"CbteTipo":6`, ptoVta))
	}
}

func withoutMovement(ptoVta int) provoke {
	return func(d *desk, who wsfev1.CUIT) string {
		return d.as(who, "FECAEASinMovimientoInformar", fmt.Sprintf(`"PtoVta":%d,"CAEA":%q`, ptoVta, d.caea(who)))
	}
}

func dated(day string) string {
	if day == "" {
		return ""
	}
	return `,"CbteFch":"` + day + `"`
}

// noted is a credit note on an invoice of a point of sale of WHO.
func noted(ptoVta int, day string) provoke {
	return asIssued(1, 3, toNobody, associated(1, ptoVta, 1, dated(day)))
}

func notedInAdvance(ptoVta int, day string) provoke {
	return asInformed(2, 3, toNobody, associated(1, ptoVta, 1, dated(day)))
}

// delivered is an invoice for goods that came with a delivery note.
func delivered(how func(ptoVta, cbteTipo int, of ...string) provoke, ptoVta, remito int) provoke {
	return how(ptoVta, 1, toNobody, associated(991, 1, remito, ""))
}
