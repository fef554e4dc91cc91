package exchange_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

// TestAnApprovedInvoiceIsReadAsOnPaper, with its story, its neighbours and its repeats.
func TestAnApprovedInvoiceIsReadAsOnPaper(t *testing.T) {
	d := newDesk(t, false)
	before := d.approved("a", 4, 1)
	at := d.approved("b", 5, 1)
	after := d.approved("c", 6, 1)
	repeat := d.add(about(5, 1, audit.Record{
		Kind: audit.KindExchange, ID: "d", Decision: "replay", Outcome: "replayed", Certainty: audit.NotSent, Status: 200, Time: begun.Add(time.Minute),
		Answer: answer(5, 1), Request: request(5, 1), Detail: "answered as record " + at, Fingerprint: [16]byte{5},
	}))
	page := d.page(at)
	d.inOrder(page, `<h1><bdi>Factura B <span class="number">0001-00000005</span></bdi>`, "aprobado", "CAE "+cae(5), "vence el 03/12/2026",
		"/consola/proof/"+at, "Verificar que no cambió", "Recibido", "23/11/2026 10:00:00.000", "192.0.2.7", "Validado", "sin hallazgos", "Intención", "/consola/exchange/gateway-1/2", "Enviado", "arca.example:443",
		"Respuesta", "10:00:00.350", "Respondido", "HTTP 200", "Repetido", "10:01:00", "/consola/exchange/"+repeat,
		"Receptor", "CUIT 20-22222222-3", "Neto gravado", "$ 100,00", "IVA 21 %", "$ 21,00", "Total", "$ 121,02",
		"/consola/proof/"+at, "/consola/exchange/"+repeat, "Anterior de la serie", "/consola/exchange/"+before, "Siguiente de la serie", "/consola/exchange/"+after,
		"CbteTipo", "Factura B", "DocTipo", "CUIT", "Pesos Argentinos", "SHA-256")
	d.inOrder(d.page(repeat), "El cliente repitió un pedido", "/consola/exchange/"+at, "sin enviarlo otra vez")
	intent := d.page("gateway-1/2")
	d.inOrder(intent, "Este registro es la intención", "/consola/exchange/"+at, "HTTP 200")
	if strings.Contains(intent, "No consta ningún resultado") {
		t.Error("an intent with an outcome is shown as open")
	}
}

// TestFindingsStandAtTheMember that they are about, with what was expected.
func TestFindingsStandAtTheMember(t *testing.T) {
	d := newDesk(t, false)
	at := d.add(about(5, 1, audit.Record{
		Kind: audit.KindExchange, ID: "a", Decision: "refuse", Outcome: "refused", Certainty: audit.NotSent, Status: 200, Request: request(5, 1),
		Findings: []audit.Finding{
			{Code: "10048", Severity: "EXC", Action: "refuse", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal", Text: "no suma", Expected: "121", Got: "121.02", Difference: "0.02", Tolerance: "0.01"},
			{Code: "10246", Severity: "OBS", Action: "observe", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/CondicionIVAReceptorId", Text: "falta"},
		},
	}))
	page := d.page(at)
	d.inOrder(page, "rechazado por una regla", "Validado", "hallazgos que lo rechazan: 1, hallazgos que se observan: 1", "no se envió nada",
		`href="/consola/rules/10048"`, `href="#at-request-`, `<section id="request"`, "ImpTotal", "10048", "Se esperaba", "121,00", "Se recibió", "121,02", "Diferencia", "0,02", "Tolerancia", "0,01",
		"ImpNeto", "CondicionIVAReceptorId", "no está", "10246")
}

// TestAnUnknownOutcomeIsToldToItsEnd: silence, questions, and what they have shown later.
func TestAnUnknownOutcomeIsToldToItsEnd(t *testing.T) {
	d := newDesk(t, false)
	intent := d.intent("a", 5, 1)
	began := d.add(&audit.Record{Kind: audit.KindOutage, ID: "o", Outcome: "outage_began", Time: begun.Add(-time.Minute), Upstream: "arca.example:443", Detail: `{"failures":{"network":5},"first":"gateway-1/0"}`})
	question := func(outcome string, after time.Duration, code string) string {
		q := about(5, 1, audit.Record{Kind: audit.KindExchange, ID: "a", Decision: "ask", Outcome: audit.Outcome(outcome), Certainty: audit.Answered, Time: begun.Add(after), Status: 200})
		q.Operation, q.Vouchers[0].Code = "FECompConsultar", code
		return d.add(q)
	}
	first := question("unknown", time.Second, "")
	at := d.add(about(5, 1, audit.Record{
		Kind: audit.KindOutcome, ID: "a", Intent: intent, Decision: "forward", Outcome: "unknown", Certainty: audit.Unknown, Status: 504, Duration: 3 * time.Second, Detail: "connection reset",
	}))
	d.add(&audit.Record{Kind: audit.KindOutage, ID: "o", Outcome: "outage_ended", Time: begun.Add(-time.Minute), Duration: 90 * time.Second, Detail: `{"failures":{"network":6}}`})
	second := question("answered", time.Minute, cae(5))
	settled := d.add(about(5, 1, audit.Record{
		Kind: audit.KindSettlement, ID: "a", Intent: intent, Decision: "forward", Outcome: "recovered", Certainty: audit.Answered, Time: begun.Add(61 * time.Second), Answer: answer(5, 1),
	}))
	story := []string{
		"Caída", "El servicio dejó de responder", "/consola/outages", "Recibido", "Intención", "Enviado", "Cortado", "La conexión con el servicio se cortó", "«<bdi>connection reset</bdi>»", "no se sabe si el servicio lo atendió",
		"Pregunta", "no se pudo saber", first, "Respondido", "HTTP 504", "Fin de la caída", "Pregunta", "lo tiene, CAE " + cae(5), second, "Resuelto", "recuperado", settled,
	}
	for _, address := range []string{at, settled, "gateway-1/0"} {
		d.inOrder(d.page(address), story...)
	}
	d.inOrder(d.page(at), "Más tarde se supo el resultado", settled)
	d.inOrder(d.page(settled), "Esto se supo después", at)
	d.inOrder(d.page(second), "Consulta de la pasarela", "por su cuenta", at)
	d.inOrder(d.page(began), "Caída del servicio", "terminada", "6 de la red", "/consola/proof/"+began)
}

// TestAnOpenIntentIsOpen.
func TestAnOpenIntentIsOpen(t *testing.T) {
	d := newDesk(t, false)
	d.intent("a", 5, 1)
	d.inOrder(d.page("gateway-1/0"), "abierto", "Intención", "Abierto", "No consta ningún resultado")
}

// TestALotIsShownInParts, quickly, and the rest is a link away.
func TestALotIsShownInParts(t *testing.T) {
	d := newDesk(t, false)
	at := d.approved("a", 1, 250)
	page := d.page(at)
	d.inOrder(page, "1–10 de 250", "from=10", cae(10), at+"/request", "240 sin mostrar")
	if strings.Contains(page, "Nº 11") || len(page) > 300<<10 {
		t.Errorf("the page has %d bytes", len(page))
	}
	last := d.answered(http.MethodGet, "/consola/exchange/"+at+"?from=240").Body.String()
	d.inOrder(last, "241–250 de 250", "from=230", "Nº 241", cae(250))
	whole := d.answered(http.MethodGet, "/consola/exchange/"+at+"/request")
	if whole.Code != http.StatusOK || whole.Body.String() != string(request(1, 250)) {
		t.Errorf("the download has status %d and %d bytes", whole.Code, whole.Body.Len())
	}
}

// TestADownloadIsNoPage: no browser may take what a client sent for one.
func TestADownloadIsNoPage(t *testing.T) {
	d := newDesk(t, false)
	at := d.approved("a", 5, 1)
	header := d.answered(http.MethodGet, "/consola/exchange/"+at+"/answer").Header()
	for name, want := range map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "Content-Disposition": "attachment; filename=gateway-1-1-answer.json",
		"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, path := range []string{at + "/client-request", at + "/nothing", "gateway-1/99", "gateway-1/x", "other/0"} {
		if w := d.answered(http.MethodGet, "/consola/exchange/"+path); w.Code != http.StatusNotFound {
			t.Errorf("%s has status %d", path, w.Code)
		}
	}
}

// TestEveryKindOfRecordHasAPage.
func TestEveryKindOfRecordHasAPage(t *testing.T) {
	d := newDesk(t, false)
	for want, r := range map[string]*audit.Record{
		"Lectura del registro de auditoría": {Kind: audit.KindAccess, ID: "a", ClientIdentity: "ana (console)", Detail: "console search hoy"},
		"Eliminación de contenido":          {Kind: audit.KindAccess, ID: "b", Outcome: "purge", Purge: &audit.PurgeScope{Records: 1234, Next: 1}},
		"Comienzo de una conservación":      {Kind: audit.KindAccess, ID: "c", Outcome: "hold", Cuit: issuer},
		"Pedido no admitido":                {Kind: audit.KindExchange, ID: "d", Decision: "refuse", Outcome: "inadmissible", Certainty: audit.NotSent, Status: 404},
		"servicio de prueba incorporado":    {Kind: audit.KindExchange, ID: "e", Decision: "forward", Outcome: "answered", Certainty: audit.Answered, Upstream: "wsfev1_backend", Operation: "FEDummy", Status: 200},
		"no se conserva":                    {Kind: audit.KindExchange, ID: "f", Decision: "refuse", Outcome: "malformed", Certainty: audit.NotSent, Status: 400, RequestLength: 9},
	} {
		if page := d.page(d.add(r)); !strings.Contains(page, want) {
			t.Errorf("%s is not in\n%s", want, page)
		}
	}
}

// TestALostAnswerIsToldAsLost: the gateway's questions took its place.
func TestALostAnswerIsToldAsLost(t *testing.T) {
	d := newDesk(t, false)
	intent := d.intent("a", 5, 1)
	question := about(5, 1, audit.Record{Kind: audit.KindExchange, ID: "a", Decision: "ask", Outcome: "answered", Certainty: audit.Answered, Time: begun.Add(time.Second), Status: 200})
	question.Operation, question.Vouchers[0].Code = "FECompConsultar", cae(5)
	d.add(question)
	for outcome, want := range map[string]string{"recovered": "Se supo que el servicio lo atendió", "not_issued": "Se supo que el servicio no lo atendió", "rejected": "pertenece a otro comprobante"} {
		at := d.add(about(5, 1, audit.Record{
			Kind: audit.KindOutcome, ID: "a", Intent: intent, Decision: "forward", Outcome: audit.Outcome(outcome), Certainty: audit.Answered, Status: 200, Duration: 2 * time.Second,
			Detail: "connection reset", Answer: answer(5, 1),
		}))
		d.inOrder(d.page(at), "Enviado", "Cortado", "La conexión con el servicio se cortó", "connection reset", "Pregunta", "lo tiene", "Resuelto", want, "Respondido")
	}
}

// TestTheServicesOwnLegAndWhatWasFilledInAreShown, each with its form.
func TestTheServicesOwnLegAndWhatWasFilledInAreShown(t *testing.T) {
	d := newDesk(t, false)
	completed := []byte(strings.Replace(string(request(5, 1)), `"MonId"`, `"CondicionIVAReceptorId":5,"MonId"`, 1))
	index := d.intent("a", 5, 1)
	at := d.add(about(5, 1, audit.Record{
		Kind: audit.KindOutcome, ID: "a", Intent: index, Decision: "forward", Outcome: "approved", Certainty: audit.Answered, Status: 200, Answer: answer(5, 1),
		Findings: []audit.Finding{{Code: "fill.CondicionIVAReceptorId", Severity: "OBS", Action: "observe", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/CondicionIVAReceptorId", Text: "se completó con 5", Expected: "5"}},
		Client:   &audit.Leg{Form: audit.FormSOAP12, RequestType: "application/soap+xml; charset=iso-8859-1", Request: []byte("<a>\xe1</a>"), RequestLength: 8, Answer: []byte("<b/>"), AnswerLength: 4},
		Service:  &audit.Leg{Form: audit.FormJSON, RequestLength: int64(len(completed)), Request: completed},
	}))
	d.inOrder(d.page(at), "Hallazgos", "se completó con 5", "Pedido al servicio, como lo recibió", "JSON", "CondicionIVAReceptorId", "Consumidor Final", "se completó con 5", "Respuesta al cliente", "SOAP 1.2", "&lt;b/&gt;")
	whole := d.answered(http.MethodGet, "/consola/exchange/"+at+"/service-request")
	if whole.Body.String() != string(completed) {
		t.Errorf("the download is %s", whole.Body)
	}
}

// TestASettlementIsShownWithoutTheLogOfItsIntent: a copy of one log has no other.
func TestASettlementIsShownWithoutTheLogOfItsIntent(t *testing.T) {
	for _, mask := range []bool{false, true} {
		d := newDesk(t, mask)
		at := d.add(about(5, 1, audit.Record{
			Kind: audit.KindSettlement, ID: "a", Intent: 7, IntentLog: "gateway-2", Decision: "forward", Outcome: "recovered",
			Certainty: audit.Answered, Answer: answer(5, 1),
		}))
		d.inOrder(d.page(at), cae(5))
	}
}
