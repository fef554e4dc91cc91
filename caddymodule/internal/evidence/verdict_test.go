package evidence

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// verdictPart returns what a page says before the invoice's data.
func verdictPart(t *testing.T, page string) string {
	t.Helper()
	first, _, found := strings.Cut(shown(page), "Datos del comprobante")
	if !found {
		t.Fatalf("the page has no data of the invoice:\n%s", page)
	}
	return first
}

// with changes a record.
func with(r *audit.Record, change func(*audit.Record)) *audit.Record {
	change(r)
	return r
}

func rejection(answer string) []*audit.Record {
	return []*audit.Record{intent(), with(result(0, audit.OutcomeRejected, audit.Voucher{Resultado: "R"}), func(r *audit.Record) { r.Answer = []byte(answer) })}
}

func settlement(of uint64, word string, v audit.Voucher) *audit.Record {
	r := result(of, audit.Outcome(word), v)
	r.Kind, r.Upstream, r.Duration, r.Status = audit.KindSettlement, "", 0, 0
	return r
}

func unknown() []*audit.Record {
	return []*audit.Record{intent(), with(result(0, audit.OutcomeUnknown, audit.Voucher{}), func(r *audit.Record) { r.Certainty = audit.Unknown })}
}

func refusal() *audit.Record {
	return with(intent(), func(r *audit.Record) {
		r.Kind, r.Decision, r.Outcome, r.Certainty = audit.KindExchange, audit.DecisionRefuse, audit.OutcomeRefused, audit.NotSent
		r.Findings = []audit.Finding{{
			Code: "10048", Severity: "EXC", Action: "refuse", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal", Text: "El total no es la suma.",
		}}
	})
}

// TestPageBeginsWithTheVerdict in words, with the reason.
func TestPageBeginsWithTheVerdict(t *testing.T) {
	const said = `{"FeDetResp":{"FECAEDetResponse":[{"CbteDesde":5,"CbteHasta":5,"Resultado":"R","Observaciones":{"Obs":[{"Code":10016,"Msg":"10016: El número no es el próximo."}]}}]}}`
	for name, c := range map[string]struct {
		records []*audit.Record
		says    []string
		not     string
	}{
		"approved": {issued(real), []string{
			"Factura B 0001-00000005", "Emisor: CUIT 20-11111111-2", " Aprobado ",
			"El servicio aprobó el comprobante, con el CAE 76470000000018, que vence el 02/12/2026.", "Se supo el 22/11/2026 12:00:00 (hora argentina)",
		}, "de prueba"},
		"rejected by the service": {rejection(said), []string{
			"Rechazado por el servicio", "El servicio rechazó el comprobante: «El número no es el próximo» (código 10016).",
		}, "CAE"},
		"rejected, with what to do": {rejection(strings.ReplaceAll(said, "10016", "10005")), []string{
			"(código 10005)", "Qué hacer: use un punto de venta de web service.",
		}, "CAE 7"},
		"refused by a rule": {[]*audit.Record{refusal()}, []string{
			"Rechazado por la pasarela", "según una regla del servicio, sin enviarlo: «El total no es la suma» (código 10048, campo ImpTotal).",
		}, "El servicio rechazó"},
		"recovered": {[]*audit.Record{intent(), result(0, audit.OutcomeRecovered, granted)}, []string{
			"Aprobado", "No llegó la respuesta; la pasarela consultó y el servicio informó que el comprobante está autorizado, con el CAE 76470000000018",
		}, "Rechazado"},
		"not issued": {[]*audit.Record{intent(), result(0, audit.OutcomeNotIssued, audit.Voucher{})}, []string{
			"No emitido", "el servicio informó que el comprobante no existe: no fue emitido.", "Puede enviarse otra vez.",
		}, "Aprobado"},
		"unknown": {unknown(), []string{
			"No se sabe si fue emitido", "no llegó ninguna respuesta: no se sabe si el servicio lo atendió.", "Antes de enviarlo otra vez hay que consultar al servicio",
			"El pedido es del 22/11/2026 12:00:00 (hora argentina)",
		}, "Rechazado"},
		"no outcome": {[]*audit.Record{intent()}, []string{"No se sabe si fue emitido", "no consta ningún resultado: no se sabe si el servicio lo atendió."}, "Rechazado"},
		"settled": {append(unknown(), settlement(0, "recovered", granted)), []string{
			"Aprobado", "más tarde la pasarela consultó y el servicio informó que el comprobante está autorizado, con el CAE 76470000000018", "Hubo otro pedido con este número; no cambia el resultado.",
		}, "No se sabe"},
		"settled as not issued": {append(unknown(), settlement(0, "not_issued", audit.Voucher{})), []string{"No emitido", "el comprobante no existe: no fue emitido."}, "No se sabe"},
		"settled as another invoice": {append(unknown(), settlement(0, "different", audit.Voucher{})), []string{
			"No emitido", "el número pertenece a otro comprobante: el pedido no fue atendido.",
		}, "No se sabe"},
		"an answer to something else": {[]*audit.Record{intent(), result(0, audit.OutcomeUpstreamError, granted)}, []string{
			"No se sabe si fue emitido", "El servicio respondió otra cosa, o que falló: no se sabe si atendió el pedido.",
		}, "76470000000018"},
		"others of its lot were recovered": {[]*audit.Record{intent(), result(0, audit.OutcomeRecovered, audit.Voucher{Resultado: "R"})}, []string{
			"No emitido", "el servicio no tiene este comprobante: no fue emitido.",
		}, "Aprobado"},
		"approved, and rejected when it came again": {
			append(issued(real), intent(), with(result(2, audit.OutcomeRejected, audit.Voucher{Resultado: "R"}), func(r *audit.Record) { r.ID = "y" })),
			[]string{"Aprobado", "Hubo otro pedido con este número, que fue rechazado; no cambia el resultado."},
			"Rechazado",
		},
		"a client's query": {[]*audit.Record{query(audit.DecisionForward, audit.OutcomeAnswered, granted)}, []string{
			"Autorizado, según una consulta", "Un cliente consultó al servicio si el comprobante existía: sí, con el CAE 76470000000018", "no se comparó el contenido",
		}, "Rechazado"},
		"a cached answer": {[]*audit.Record{query(audit.DecisionCache, audit.OutcomeCached, granted)}, []string{"Autorizado, según una consulta", ": sí"}, "Rechazado"},
		"a query that found nothing": {[]*audit.Record{query(audit.DecisionForward, audit.OutcomeAnswered, audit.Voucher{})}, []string{
			"No consta ningún pedido de emitirlo", "Un cliente consultó al servicio si el comprobante existía: no.",
		}, "Rechazado"},
		"nothing but the gateway's questions": {[]*audit.Record{query(audit.DecisionAsk, audit.OutcomeRejected, audit.Voucher{})}, []string{"Solo hay consultas propias de la pasarela."}, "Rechazado"},
		"not sent in an outage": {[]*audit.Record{with(refusal(), func(r *audit.Record) { r.Outcome, r.Findings = audit.OutcomeOutage, nil })}, []string{
			"No enviado", "La pasarela no envió el pedido al servicio, porque el servicio no respondía.",
		}, "Rechazado"},
	} {
		t.Run(name, func(t *testing.T) {
			first := verdictPart(t, pageFor(t, c.records...))
			say(t, first, c.says...)
			sayNot(t, first, c.not)
		})
	}
}

// TestVerdictOnOneInvoiceOfALot quotes what was said about it, and about others only as such.
func TestVerdictOnOneInvoiceOfALot(t *testing.T) {
	lot := func(r *audit.Record) {
		r.Vouchers = []audit.Voucher{{CbteDesde: 4, CbteHasta: 4, Resultado: "R"}, {CbteDesde: 5, CbteHasta: 6, Resultado: "R"}}
	}
	other := with(refusal(), lot)
	other.Request = []byte(strings.Replace(testRequest, `"CbteHasta":5`, `"CbteHasta":6`, 1))
	page := pageFor(t, other)
	say(t, page, "El pedido era un lote, y el motivo está en otro comprobante del lote:", "«El total no es la suma» (código 10048, campo ImpTotal)",
		"Rango de números 0001-00000005 a 0001-00000006", "Enviado en un lote de 2 comprobantes: 0001-00000004 a 0001-00000006",
		"Los comprobantes del lote 0001-00000004 rechazado 0001-00000005 a 0001-00000006 rechazado")
	both := with(rejection(`{"FeDetResp":{"FECAEDetResponse":[{"CbteDesde":4,"CbteHasta":4,"Observaciones":{"Obs":[{"Code":1,"Msg":"del otro"}]}},
		{"CbteDesde":5,"CbteHasta":6,"Observaciones":{"Obs":[{"Code":2,"Msg":"de este"},{"Code":3,"Msg":"también"}]}}]}}`)[1], lot)
	first := verdictPart(t, pageFor(t, with(intent(), lot), both))
	say(t, first, "El servicio rechazó el comprobante.", "Los motivos:", "«de este» (código 2)", "«también» (código 3)")
	sayNot(t, first, "del otro")
}

// TestCodesOfTheBuiltInServiceAreMarked wherever one is named, also where the answer came from
// the log and names no service.
func TestCodesOfTheBuiltInServiceAreMarked(t *testing.T) {
	const note = "CAE de prueba, sin validez fiscal"
	again := with(result(0, audit.OutcomeReplayed, granted), func(r *audit.Record) {
		r.Kind, r.Decision, r.Upstream, r.Certainty = audit.KindExchange, audit.DecisionReplay, "", audit.NotSent
	})
	for name, records := range map[string][]*audit.Record{
		"answered": issued(audit.BuiltInUpstream),
		"replayed": append(issued(audit.BuiltInUpstream), again),
		"settled": append([]*audit.Record{intent(), with(unknown()[1], func(r *audit.Record) { r.Upstream = audit.BuiltInUpstream })}, settlement(0, "recovered", granted),
			with(query(audit.DecisionAsk, audit.OutcomeAnswered, granted), func(r *audit.Record) { r.Upstream = audit.BuiltInUpstream })),
	} {
		page := shown(pageFor(t, records...))
		for i, after := range strings.Split(page, "con el CAE 76470000000018")[1:] {
			if !strings.HasPrefix(after, ", que vence el 02/12/2026 ("+note+")") {
				t.Errorf("%s: the %d-th CAE is not marked: %.80s", name, i+1, after)
			}
		}
		say(t, page, "(prueba)", note, "no ARCA", "76470000000018 ("+note+")")
	}
	sayNot(t, pageFor(t, issued(real)...), "de prueba", "(prueba)")
	refused := pageFor(t, with(rejection("{}")[0], func(*audit.Record) {}), with(rejection("{}")[1], func(r *audit.Record) { r.Upstream = audit.BuiltInUpstream }))
	say(t, refused, "Rechazado por el servicio (prueba)", "Sin validez fiscal: respondió el servicio de prueba incorporado, no ARCA.")
}

// TestAnApprovalForATestHidesNothing of the number in production: what each service has said stands apart, whether
// the records name the service or their addresses tell it.
func TestAnApprovalForATestHidesNothing(t *testing.T) {
	const homologation = "wswhomo.afip.gov.ar:443"
	const apart = "En homologación (el servicio de pruebas de ARCA, sin validez fiscal): Aprobado. El servicio aprobó el comprobante, con el CAE 76470000000018, que vence el 02/12/2026 (CAE de homologación, sin validez fiscal)."
	rejected := func() *audit.Record {
		return with(result(0, audit.OutcomeRejected, audit.Voucher{Resultado: "R"}), func(r *audit.Record) { r.Upstream = "servicios1.afip.gov.ar:443" })
	}
	again := func() *audit.Record { // names no service, and repeats the approval for a test
		return with(result(0, audit.OutcomeReplayed, granted), func(r *audit.Record) {
			r.Kind, r.ID, r.Decision, r.Upstream, r.Origin, r.Certainty = audit.KindExchange, "again", audit.DecisionReplay, "", "gateway-1/3", audit.NotSent
		})
	}
	approved := func() []*audit.Record {
		return []*audit.Record{with(intent(), func(r *audit.Record) { r.ID = "y" }), with(result(2, audit.OutcomeApproved, granted), func(r *audit.Record) { r.ID, r.Upstream = "y", homologation })}
	}
	named := func(r *audit.Record, of audit.Environment) *audit.Record {
		return with(r, func(r *audit.Record) { r.Environment = of })
	}
	test := approved()
	for name, records := range map[string][]*audit.Record{
		"by address": append([]*audit.Record{intent(), rejected()}, append(approved(), again())...),
		"by name": {
			named(intent(), audit.EnvironmentProduction), named(rejected(), audit.EnvironmentProduction),
			named(test[0], audit.EnvironmentTesting), named(test[1], audit.EnvironmentTesting), named(with(again(), func(r *audit.Record) { r.Origin = "" }), audit.EnvironmentTesting),
		},
	} {
		page := pageFor(t, records...)
		first := verdictPart(t, page)
		say(t, first, "Rechazado por el servicio El servicio rechazó el comprobante.", apart)
		sayNot(t, first, "(prueba)")
		say(t, page, "Entorno producción")
		t.Log(name)
	}
	say(t, pageFor(t, approved()[0], with(approved()[1], func(r *audit.Record) { r.Intent = 0 })), "Aprobado (prueba)", "CAE de homologación, sin validez fiscal: lo dio el servicio de pruebas de ARCA.", "Entorno homologación")
}

// TestVerdictOfAnInformedInvoice speaks of the CAEA under which it was issued.
func TestVerdictOfAnInformedInvoice(t *testing.T) {
	inform := func(r *audit.Record) { r.Operation = "FECAEARegInformativo" }
	say(t, pageFor(t, with(intent(), inform), with(result(0, audit.OutcomeApproved, audit.Voucher{Code: "26470000000018", Resultado: "A"}), inform)),
		"Informado y aceptado", "El servicio aceptó la información del comprobante, con el CAEA 26470000000018.", "CAEA 26470000000018")
}

// TestOldTestInvoicesDoNotMarkRealOnes: what another service has issued before the built-in
// one is no test.
func TestOldTestInvoicesDoNotMarkRealOnes(t *testing.T) {
	b := &evidenceBundle{logs: []evidenceLog{{Log: "gateway-1", builtInSince: noon}}}
	i := b.invoice(nil)
	before, after := &story.Entry{Voucher: granted, Began: noon.Add(-time.Hour)}, &story.Entry{Voucher: granted, Began: noon}
	if i.IsTest(before) || !i.IsTest(after) {
		t.Errorf("before the built-in service %v, since then %v", i.IsTest(before), i.IsTest(after))
	}
}

// TestASettlementIsEvidenceWithoutTheLogOfItsIntent: a copy of one log has no other.
func TestASettlementIsEvidenceWithoutTheLogOfItsIntent(t *testing.T) {
	r := settlement(7, "recovered", granted)
	r.IntentLog = "gateway-2"
	say(t, pageFor(t, r), granted.Code)
}
