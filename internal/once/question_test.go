package once_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// saying answers every question alike.
type saying struct{ answer any }

func (s saying) Ask(context.Context, string, any) (once.Reply, error) {
	return once.Reply{Answer: s.answer}, nil
}

func (s saying) Auth() wsfev1.Auth {
	return wsfev1.Auth{Token: "token", Sign: "sign", Cuit: issuer}
}

// settledBy is what recovery makes of a request when every question is answered so.
func settledBy(t *testing.T, r *once.Request, answer any) *once.Settlement {
	t.Helper()
	var settlement *once.Settlement
	inBubble(t, func(t *testing.T, g *gateway) {
		turn := enter(t, g, r)
		settlement = turn.Recover(t.Context(), once.PendingOf(r, "id", 0, time.Now()), saying{answer})
		turn.Leave(once.Result{State: once.NotSent})
	})
	return settlement
}

// failing is an envelope with an error of the code.
func failing(code int32) (e wsfev1.Envelope) {
	e.Fail(code, "text")
	return e
}

// rangeRequest asks for one invoice with the numbers from 5 to 9.
func rangeRequest() *once.Request {
	r := request("100", 5)
	r.Body.(*wsfev1.FECAESolicitarRequest).FeCAEReq.FeDetReq.FECAEDetRequest[0].CbteHasta = 9
	return requestOf(solicitar, r.Body)
}

// informed reports an invoice of the number 5, issued under an advance code.
func informed() *once.Request {
	body := &wsfev1.FECAEARegInformativoRequest{Auth: wsfev1.Auth{Token: "token", Sign: "sign", Cuit: issuer}}
	body.FeCAEARegInfReq.FeCabReq = wsfev1.FeCabReq{CantReg: 1, PtoVta: 1, CbteTipo: 6}
	body.FeCAEARegInfReq.FeDetReq.FECAEADetRequest = []wsfev1.FECAEADetRequest{{
		FECAEDetRequest: *wsfev1.LotOf(request("100", 5).Body).Invoice(0), CAEA: "36470000000005",
	}}
	return requestOf(wsfev1.OperationByName("FECAEARegInformativo"), body)
}

// keptOf is what the service has of the only invoice of a request.
func keptOf(r *once.Request) *wsfev1.FECompConsResult {
	lot := wsfev1.LotOf(r.Body)
	kept := &wsfev1.FECompConsResult{
		FECAEDetRequest: *lot.Invoice(0), Resultado: "A", EmisionTipo: "CAE",
		CodAutorizacion: "86470000000005", FchVto: "20261130", FchProceso: "20261120120000", PtoVta: 1, CbteTipo: 6,
	}
	if advance := lot.CAEAInvoice(0); advance != nil {
		kept.CodAutorizacion, kept.EmisionTipo = advance.CAEA, "CAEA"
	}
	return kept
}

// TestOnlyAnApprovedInvoiceOfTheNumberIsBelieved: any other answer may be about another
// invoice, or mean nothing. The service is asked again, and in the end the outcome is unknown.
func TestOnlyAnApprovedInvoiceOfTheNumberIsBelieved(t *testing.T) {
	single, lot, advance := request("100", 5), rangeRequest(), informed()
	for name, test := range map[string]struct {
		sent   *once.Request
		change func(*wsfev1.FECompConsResult)
		want   once.Verdict
	}{
		"as it was sent":           {single, func(*wsfev1.FECompConsResult) {}, once.Recovered},
		"another number":           {single, func(r *wsfev1.FECompConsResult) { r.CbteDesde, r.CbteHasta = 7, 7 }, once.Undecided},
		"another first number":     {single, func(r *wsfev1.FECompConsResult) { r.CbteDesde = 7 }, once.Undecided},
		"no numbers":               {single, func(r *wsfev1.FECompConsResult) { r.CbteDesde, r.CbteHasta = 0, 0 }, once.Undecided},
		"a range that has it":      {single, func(r *wsfev1.FECompConsResult) { r.CbteDesde, r.CbteHasta = 4, 6 }, once.Different},
		"another content":          {single, func(r *wsfev1.FECompConsResult) { r.DocNro = 20222222223 }, once.Different},
		"another point of sale":    {single, func(r *wsfev1.FECompConsResult) { r.PtoVta = 2 }, once.Undecided},
		"another type":             {single, func(r *wsfev1.FECompConsResult) { r.CbteTipo = 1 }, once.Undecided},
		"neither of these":         {single, func(r *wsfev1.FECompConsResult) { r.PtoVta, r.CbteTipo = 0, 0 }, once.Recovered},
		"rejected":                 {single, func(r *wsfev1.FECompConsResult) { r.Resultado = "R" }, once.Undecided},
		"no verdict":               {single, func(r *wsfev1.FECompConsResult) { r.Resultado = "" }, once.Undecided},
		"no code":                  {single, func(r *wsfev1.FECompConsResult) { r.CodAutorizacion = "" }, once.Undecided},
		"another content, no code": {single, func(r *wsfev1.FECompConsResult) { r.DocNro, r.CodAutorizacion = 20222222223, "" }, once.Undecided},
		"no Concepto":              {single, func(r *wsfev1.FECompConsResult) { r.Concepto = 0 }, once.Undecided},
		"no DocTipo":               {single, func(r *wsfev1.FECompConsResult) { r.DocTipo = 0 }, once.Undecided},
		"no ImpTotal":              {single, func(r *wsfev1.FECompConsResult) { r.ImpTotal = wsfev1.Amount{} }, once.Undecided},
		"no MonId":                 {single, func(r *wsfev1.FECompConsResult) { r.MonId = "" }, once.Undecided},
		"a VAT of no rates":        {single, func(r *wsfev1.FECompConsResult) { r.ImpIVA = wsfev1.MustAmount("21") }, once.Undecided},
		"a tribute that is none":   {single, func(r *wsfev1.FECompConsResult) { r.ImpTrib = wsfev1.MustAmount("1") }, once.Undecided},
		"under an advance code":    {single, func(r *wsfev1.FECompConsResult) { r.EmisionTipo = "CAEA" }, once.Undecided},
		"of no kind":               {single, func(r *wsfev1.FECompConsResult) { r.EmisionTipo = "" }, once.Recovered},
		"a kind with more words":   {single, func(r *wsfev1.FECompConsResult) { r.EmisionTipo = "CAE - Ri Iva" }, once.Recovered},

		"a range":               {lot, func(*wsfev1.FECompConsResult) {}, once.Recovered},
		"one of the range":      {lot, func(r *wsfev1.FECompConsResult) { r.CbteHasta = 5 }, once.Different},
		"a range after it":      {lot, func(r *wsfev1.FECompConsResult) { r.CbteDesde, r.CbteHasta = 6, 9 }, once.Undecided},
		"an advance code":       {advance, func(*wsfev1.FECompConsResult) {}, once.Recovered},
		"another advance code":  {advance, func(r *wsfev1.FECompConsResult) { r.CodAutorizacion = "36470000000009" }, once.Different},
		"no advance code":       {advance, func(r *wsfev1.FECompConsResult) { r.CodAutorizacion = "" }, once.Undecided},
		"not by advance code":   {advance, func(r *wsfev1.FECompConsResult) { r.EmisionTipo = "CAE" }, once.Undecided},
		"informed and rejected": {advance, func(r *wsfev1.FECompConsResult) { r.Resultado = "R" }, once.Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			kept := keptOf(test.sent)
			test.change(kept)
			s := settledBy(t, test.sent, &wsfev1.FECompConsultarAnswer{ResultGet: kept})
			if s.Verdict != test.want || (s.Err == nil) == (test.want == once.Undecided) {
				t.Errorf("%s %v (%v), want %s", s.Verdict, s.Differences, s.Err, test.want)
			}
			if test.want == once.Undecided && s.Questions < 3 {
				t.Errorf("%d questions: nobody went on asking", s.Questions)
			}
			if test.want == once.Different {
				code := int32(10016)
				if test.sent == advance {
					code = 703
				}
				answer := s.Answer(once.PendingOf(test.sent, "id", 0, time.Now()), time.Now())
				if codes := wsfev1.VerdictOf(answer).Codes; !slices.Equal(codes, []int32{code}) {
					t.Errorf("answered with %d, want %d", codes, code)
				}
			}
		})
	}
}

// TestOnlyACodeSaysThatNothingIsThere: an empty answer does not.
func TestOnlyACodeSaysThatNothingIsThere(t *testing.T) {
	auth := wsfev1.Auth{Token: "token", Sign: "sign", Cuit: issuer}
	fortnight := requestOf(wsfev1.OperationByName("FECAEASolicitar"), &wsfev1.FECAEASolicitarRequest{Auth: auth, Periodo: 202611, Orden: 2})
	unused := requestOf(wsfev1.OperationByName("FECAEASinMovimientoInformar"), &wsfev1.FECAEASinMovimientoRequest{Auth: auth, PtoVta: 3, CAEA: "36470000000005"})
	granted := func(code string, periodo int32, orden int16) *wsfev1.CAEAResult {
		return &wsfev1.CAEAResult{CAEA: code, Periodo: periodo, Orden: orden}
	}
	declared := func(all ...wsfev1.FECAEASinMov) *wsfev1.FECAEASinMovResult {
		return &wsfev1.FECAEASinMovResult{FECAEASinMov: all}
	}
	for name, test := range map[string]struct {
		sent   *once.Request
		answer any
		want   once.Verdict
	}{
		"invoice: 602":           {request("100", 5), &wsfev1.FECompConsultarAnswer{Envelope: failing(602)}, once.NotIssued},
		"invoice: no such point": {request("100", 5), &wsfev1.FECompConsultarAnswer{Envelope: failing(10104)}, once.NotIssued},
		"invoice: no such type":  {request("100", 5), &wsfev1.FECompConsultarAnswer{Envelope: failing(10201)}, once.NotIssued},
		"invoice: an error":      {request("100", 5), &wsfev1.FECompConsultarAnswer{Envelope: failing(501)}, once.Undecided},
		"invoice: 602, and it":   {request("100", 5), &wsfev1.FECompConsultarAnswer{ResultGet: &wsfev1.FECompConsResult{CodAutorizacion: "86470000000005"}, Envelope: failing(602)}, once.Undecided},
		"invoice: 602, no code":  {request("100", 5), &wsfev1.FECompConsultarAnswer{ResultGet: &wsfev1.FECompConsResult{}, Envelope: failing(602)}, once.NotIssued},
		"fortnight: 602, and it": {fortnight, &wsfev1.FECAEAConsultarAnswer{ResultGet: granted("36470000000005", 202611, 2), Envelope: failing(602)}, once.Undecided},
		"fortnight: no such one": {fortnight, &wsfev1.FECAEAConsultarAnswer{Envelope: failing(15004)}, once.NotIssued},
		"invoice: nothing":       {request("100", 5), &wsfev1.FECompConsultarAnswer{}, once.Undecided},
		"fortnight":              {fortnight, &wsfev1.FECAEAConsultarAnswer{ResultGet: granted("36470000000005", 202611, 2)}, once.Recovered},
		"fortnight: 602":         {fortnight, &wsfev1.FECAEAConsultarAnswer{ResultGet: granted("", 202611, 2), Envelope: failing(602)}, once.NotIssued},
		"fortnight: no code":     {fortnight, &wsfev1.FECAEAConsultarAnswer{ResultGet: granted("", 202611, 2)}, once.Undecided},
		"fortnight: another one": {fortnight, &wsfev1.FECAEAConsultarAnswer{ResultGet: granted("36470000000005", 202611, 1)}, once.Undecided},
		"fortnight: of another":  {fortnight, &wsfev1.FECAEAConsultarAnswer{ResultGet: granted("36470000000005", 202610, 2)}, once.Undecided},
		"unused": {unused, &wsfev1.FECAEASinMovimientoConsultarAnswer{
			ResultGet: declared(wsfev1.FECAEASinMov{PtoVta: 4, CAEA: "36470000000005"}, wsfev1.FECAEASinMov{PtoVta: 3, CAEA: "36470000000005"}),
		}, once.Recovered},
		"unused: 10102":   {unused, &wsfev1.FECAEASinMovimientoConsultarAnswer{Envelope: failing(10102)}, once.NotIssued},
		"unused: another": {unused, &wsfev1.FECAEASinMovimientoConsultarAnswer{ResultGet: declared(wsfev1.FECAEASinMov{PtoVta: 4, CAEA: "36470000000005"})}, once.Undecided},
		"unused: nothing": {unused, &wsfev1.FECAEASinMovimientoConsultarAnswer{}, once.Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			if s := settledBy(t, test.sent, test.answer); s.Verdict != test.want || (s.Err == nil) == (test.want == once.Undecided) {
				t.Errorf("%s (%v), want %s", s.Verdict, s.Err, test.want)
			}
		})
	}
}

// TestTheLastNumberOfAnotherSeriesConfirmsNothing.
func TestTheLastNumberOfAnotherSeriesConfirmsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		if _, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil {
			t.Fatal(err)
		}
		turn := enter(t, g, request("100", 5))
		for _, answer := range []*wsfev1.FECompUltimoAutorizadoAnswer{
			{PtoVta: 2, CbteTipo: 6, CbteNro: 8}, {PtoVta: 1, CbteTipo: 1, CbteNro: 8}, {Envelope: failing(602)},
		} {
			if err := turn.Confirm(t.Context(), saying{answer}); err == nil || turn.Prediction == nil || turn.Prediction.Sure || turn.Prediction.Last != 1 {
				t.Errorf("%+v: %v, %+v", answer, err, turn.Prediction)
			}
		}
		turn.Leave(once.Result{State: once.NotSent})
	})
}

// TestAnAnswerAboutAnotherInvoiceIsForgotten: as soon as the service is understood, the client gets
// the service's invoice.
func TestAnAnswerAboutAnotherInvoiceIsForgotten(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.set(func(s *fakeService) { s.asNumber = 7 })
		if result, err := g.issue(t.Context(), request("100", 1), answerLost); err != nil || result.State != once.Unknown {
			t.Fatalf("%+v, %v; nobody can know", result, err)
		}
		g.service.set(func(s *fakeService) { s.asNumber = 0 })
		if got := <-g.settled; got.verdict != once.Recovered {
			t.Errorf("settled: %v", got)
		}
		again, err := g.issue(t.Context(), request("100", 1), nothingLost)
		if err != nil || again.Kept == nil || again.Kept.Vouchers[0].Code != "76000000000001" {
			t.Errorf("again: %+v, %v", again, err)
		}
	})
}

// TestWhatIsReportedIsNotNumberedAgain: the customer has the invoice with its number, so another one under it at the
// service, or none, does not ask for a new number, and does not mean that it was not issued.
func TestWhatIsReportedIsNotNumberedAgain(t *testing.T) {
	another := keptOf(informed())
	another.ImpTotal = wsfev1.MustAmount("99.5")
	r := informed()
	settlement := settledBy(t, r, &wsfev1.FECompConsultarAnswer{ResultGet: another})
	detail := settlement.Answer(once.PendingOf(r, "id", 0, time.Now()), time.Now()).(*wsfev1.FECAEARegInformativoAnswer).FeDetResp.FECAEADetResponse[0]
	if obs := detail.Observaciones.Obs[0]; settlement.Verdict != once.Different || obs.Code != 703 ||
		!strings.Contains(obs.Msg, "(ImpTotal enviado 100, autorizado 99.5)") || !strings.Contains(obs.Msg, "no se numera de nuevo") {
		t.Errorf("%s: %+v", settlement.Verdict, obs)
	}
	lot := r.Body.(*wsfev1.FECAEARegInformativoRequest)
	details := &lot.FeCAEARegInfReq.FeDetReq.FECAEADetRequest
	*details = append(*details, (*details)[0])
	(*details)[1].CbteDesde, (*details)[1].CbteHasta = 6, 6
	beginning := &once.Settlement{Verdict: once.Recovered, Invoices: []*wsfev1.FECompConsResult{keptOf(informed()), nil}}
	detail = beginning.Answer(once.PendingOf(requestOf(r.Operation, lot), "id", 0, time.Now()), time.Now()).(*wsfev1.FECAEARegInformativoAnswer).FeDetResp.FECAEADetResponse[1]
	if obs := detail.Observaciones.Obs[0]; obs.Code != 602 || !strings.Contains(obs.Msg, "no fue informado") {
		t.Errorf("%+v", obs)
	}
}
