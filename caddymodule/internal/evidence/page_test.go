package evidence

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// TestPageWordsTheInvoice as an accountant writes it.
func TestPageWordsTheInvoice(t *testing.T) {
	say(t, pageFor(t, issued(real)...), "Datos del comprobante",
		"CUIT del emisor 20-11111111-2", "Comprobante Factura B 0001-00000005", "Fecha del comprobante 21/11/2026", "Receptor CUIT 30-00000000-7",
		"Condición frente al IVA del receptor IVA Responsable Inscripto", "Total $ 1.234,56", "CAE 76470000000018", "Vencimiento del CAE 02/12/2026",
		"Qué pasó, en orden", "Pedido de CAE: aprobado", "Comienzo 22/11/2026 12:00:00 (hora argentina)", "Duración 0,35 s", "Servicio "+real)
	for sent, c := range map[string]struct{ instead, want string }{
		`"DocTipo":80,"DocNro":30000000007`: {`"DocTipo":99,"DocNro":0`, "Receptor Consumidor final, sin identificar"},
		`"MonId":"PES","MonCotiz":1`:        {`"MonId":"DOL","MonCotiz":1450.5`, "Total 1.234,56 (Dólar Estadounidense), cotización $ 1.450,50"},
		`"CondicionIVAReceptorId":1`:        {`"CondicionIVAReceptorId":5`, "Condición frente al IVA del receptor Consumidor Final"},
		`"CbteFch":"20261121",`:             {``, "Fecha del comprobante 22/11/2026"}, // as the service has set it
	} {
		records := issued(real)
		records[0].Request = []byte(strings.Replace(testRequest, sent, c.instead, 1))
		records[1].Answer = []byte(`{"FeDetResp":{"FECAEDetResponse":[{"CbteDesde":5,"CbteHasta":5,"CbteFch":"20261122"}]}}`)
		say(t, pageFor(t, records...), c.want)
	}
	consulted := query(audit.DecisionForward, audit.OutcomeAnswered, granted)
	consulted.Answer = []byte(`{"ResultGet":{"DocTipo":96,"DocNro":12345678,"CbteDesde":5,"CbteHasta":5,"ImpTotal":121,"MonId":"PES"}}`)
	say(t, pageFor(t, consulted), "Receptor DNI 12.345.678", "Total $ 121,00")
}

// TestEventsAreInTheOrderInWhichTheyBecameKnown, which is not that in which they began.
func TestEventsAreInTheOrderInWhichTheyBecameKnown(t *testing.T) {
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	lost := unknown()
	lost[1].Duration = 30 * time.Second
	// The first question began before the unknown outcome was known, and the outage before it
	// was noticed.
	asked := with(query(audit.DecisionAsk, audit.OutcomeUpstreamError, audit.Voucher{}), func(r *audit.Record) { r.Time, r.Duration = at(5), time.Second })
	began := &audit.Record{Kind: audit.KindOutage, ID: "o", Time: at(1), Duration: 7 * time.Second, Outcome: outage.Began}
	again := with(query(audit.DecisionAsk, audit.OutcomeAnswered, granted), func(r *audit.Record) { r.Time, r.Duration = at(140), time.Second })
	ended := &audit.Record{Kind: audit.KindOutage, ID: "o", Time: at(1), Duration: 2*time.Minute + 20*time.Second, Outcome: outage.Ended}
	settled := with(settlement(0, "recovered", granted), func(r *audit.Record) { r.Time = at(142) })
	lost[1].Time = at(0)
	page := pageFor(t, lost[0], asked, began, lost[1], again, ended, settled)
	_, events, _ := strings.Cut(shown(page), "Qué pasó, en orden")
	say(t, events,
		"12:00:00 (hora argentina) La pasarela registró el pedido antes de enviarlo al servicio. gateway-1/0",
		"12:00:06 (hora argentina) La pasarela consultó al servicio si el comprobante existía: no se pudo saber", "gateway-1/1",
		"12:00:08 (hora argentina) El servicio no respondía desde el 22/11/2026 12:00:01 (hora argentina). gateway-1/2",
		"12:00:30 (hora argentina) El pedido salió y no llegó ninguna respuesta: no se sabe si el servicio lo atendió. gateway-1/3",
		"La pasarela consultó al servicio si el comprobante existía: sí, con el CAE 76470000000018", "gateway-1/4",
		"El servicio volvió a responder, después de 2 min 20 s. gateway-1/5",
		"12:02:22 (hora argentina) No llegó la respuesta; más tarde la pasarela consultó", "gateway-1/6",
		"Los intercambios, uno por uno")
}

// TestQuestionsBeforeAnIntentComeFirst: what an earlier request left open is asked before the
// next one is recorded, although that has begun.
func TestQuestionsBeforeAnIntentComeFirst(t *testing.T) {
	asked := with(query(audit.DecisionAsk, audit.OutcomeAnswered, audit.Voucher{}), func(r *audit.Record) { r.Time, r.Duration = noon.Add(2*time.Second), time.Second })
	began := with(intent(), func(r *audit.Record) { r.Time = noon })
	answered := with(result(1, audit.OutcomeApproved, granted), func(r *audit.Record) { r.Duration = 4 * time.Second })
	say(t, pageFor(t, asked, began, answered), "Qué pasó, en orden",
		"12:00:03 (hora argentina) La pasarela consultó al servicio si el comprobante existía: no.", "gateway-1/0",
		"12:00:03 (hora argentina) La pasarela registró el pedido antes de enviarlo al servicio. gateway-1/1",
		"12:00:04 (hora argentina) El servicio aprobó el comprobante", "gateway-1/2", "uno por uno")
}

// TestOutcomeAfterACrash: the next process has asked, and recorded the outcome of an intent
// that was made long before.
func TestOutcomeAfterACrash(t *testing.T) {
	late := with(result(0, audit.OutcomeRecovered, granted), func(r *audit.Record) { r.Time, r.Duration, r.Upstream = noon.Add(time.Hour), 0, "" })
	say(t, pageFor(t, intent(), late), "Aprobado", "Se supo el 22/11/2026 13:00:00",
		"22/11/2026 12:00:00 (hora argentina) La pasarela registró el pedido antes de enviarlo al servicio. gateway-1/0",
		"22/11/2026 13:00:00 (hora argentina) No llegó la respuesta; la pasarela consultó", "gateway-1/1")
}

// TestOutagesOfOtherTimesAreNotTold, nor one that a refused request did not feel.
func TestOutagesOfOtherTimesAreNotTold(t *testing.T) {
	before := &audit.Record{Kind: audit.KindOutage, ID: "o", Time: noon.Add(-time.Hour), Duration: time.Minute, Outcome: outage.Ended}
	records := issued(real)
	sayNot(t, pageFor(t, append(records, before)...), "no respondía", "volvió a responder")
	lasting := &audit.Record{Kind: audit.KindOutage, ID: "o", Time: noon.Add(-time.Hour), Outcome: outage.Began}
	sayNot(t, pageFor(t, refusal(), lasting), "no respondía")
}

// TestQuestionsOfTheGatewayAreFolded, and are rejections nowhere.
func TestQuestionsOfTheGatewayAreFolded(t *testing.T) {
	asked := func(word audit.Outcome, v audit.Voucher) *audit.Record {
		r := query(audit.DecisionAsk, word, v)
		r.Answer = []byte(`{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)
		return r
	}
	records := []*audit.Record{intent(), asked(audit.OutcomeAnswered, audit.Voucher{}), asked(audit.OutcomeRejected, audit.Voucher{}), asked(audit.OutcomeAnswered, granted)}
	records = append(records, result(0, audit.OutcomeRecovered, granted))
	page := pageFor(t, records...)
	first := unfolded(page)
	say(t, first, "Aprobado", "La pasarela consultó al servicio 3 veces si el comprobante existía. La última vez: sí, con el CAE 76470000000018",
		"Los intercambios, uno por uno", "Pedido de CAE: aprobado", "La pasarela consultó al servicio si el comprobante existía: no.",
		"La pasarela consultó al servicio si el comprobante existía: no se pudo saber (rechazado por el servicio).",
		"La pasarela consultó al servicio si el comprobante existía: sí")
	for _, inside := range []string{"602", "Consulta del comprobante", "gateway-1/2"} {
		if strings.Contains(first, inside) {
			t.Errorf("%s is not folded away:\n%s", inside, first)
		}
	}
	say(t, page, "gateway-1/2", "602 No existen datos")
	sayNot(t, page, "Rechazado", "El servicio rechazó")
	settled := pageFor(t, append(unknown(), settlement(0, "recovered", granted))...)
	if strings.Contains(unfolded(settled), "gateway-1/2") {
		t.Errorf("the settlement is not folded away:\n%s", unfolded(settled))
	}
}

// TestMessagesAreOfWhoSaidThem: the answer to a client is the gateway's own where the service
// gave none.
func TestMessagesAreOfWhoSaidThem(t *testing.T) {
	const answer = `{"Errors":{"Err":[{"Code":"upstream.unknown","Msg":"No hubo respuesta."}]}}`
	lost := unknown()
	lost[1].Answer = []byte(answer)
	page := pageFor(t, lost...)
	say(t, page, "Lo que respondió la pasarela", "upstream.unknown No hubo respuesta.")
	sayNot(t, page, "Lo que dijo el servicio")
	said := rejection(answer)
	say(t, pageFor(t, said...), "Lo que dijo el servicio", "upstream.unknown No hubo respuesta.")
}

// TestMissingContentIsExplained: the page still tells everything that the summary has.
func TestMissingContentIsExplained(t *testing.T) {
	for presence, c := range map[audit.Presence]struct{ why, want string }{
		audit.Purged: {"el contenido ya no se conserva.", "ya no se conserva; el registro"},
		audit.Sealed: {"el contenido está cifrado y no se dio la clave.", "cifrado: no se dio la clave"},
	} {
		records := issued(real)
		for _, r := range records {
			r.Presence, r.Request, r.Answer = presence, nil, nil
		}
		page := pageFor(t, records...)
		say(t, page, "Aprobado", "con el CAE 76470000000018", "Fecha, receptor e importe no se muestran: "+c.why, "Contenido: "+c.want)
		sayNot(t, page, "Total", "no era JSON")
		refused := refusal()
		refused.Presence, refused.Request, refused.Findings[0].Text = presence, nil, ""
		say(t, pageFor(t, refused), "Rechazado por la pasarela", "según una regla del servicio, sin enviarlo (código 10048).", "El motivo no se muestra: "+c.why,
			"10048 rechaza el comprobante rechazó "+c.want)
	}
}

// TestHiddenFieldsAreExplained, and their fingerprints are not mistaken for values.
func TestHiddenFieldsAreExplained(t *testing.T) {
	records := issued(real)
	hidden := strings.NewReplacer(`"DocNro":30000000007`, `"DocNro":"hmac-sha256:ab"`, `"ImpTotal":1234.56`, `"ImpTotal":"hmac-sha256:cd"`)
	records[0].Request = []byte(hidden.Replace(testRequest))
	say(t, pageFor(t, records...), "Receptor oculto: la pasarela está configurada para no conservarlo", "Total oculto: la pasarela está configurada para no conservarlo", "huella con clave")
	records = issued(real)
	records[0].Request = []byte(`{"FeCAEReq":"hmac-sha256:ef"}`)
	say(t, pageFor(t, records...), "Fecha, receptor e importe no se muestran: no están en lo que se conserva del pedido.")
}

// TestEventsSayWhyInWords, for readers who do not know the codes.
func TestEventsSayWhyInWords(t *testing.T) {
	page := pageFor(t, append(rejection(`{"FeDetResp":{"FECAEDetResponse":[{"CbteDesde":5,"CbteHasta":5,"Observaciones":{"Obs":[{"Code":10016,"Msg":"El número no es el siguiente."}]}}]}}`), refusal())...)
	_, events, _ := strings.Cut(page, "Qué pasó, en orden")
	say(t, events, "La pasarela rechazó el pedido según una regla del servicio, sin enviarlo: «"+strings.TrimSuffix(story.RuleInWords("10048"), ".")+"» (código 10048).",
		"El servicio rechazó el comprobante: «El número no es el siguiente» (código 10016).", "python3 verify.py CLAVE CARPETA")
}
