package once_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

func TestLostAnswerIsRecovered(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		began := time.Now()
		result, err := g.issue(t.Context(), request("121.00", 1, 2, 3), answerLost)
		if err != nil || result.State != once.Approved || time.Since(began) > time.Second {
			t.Fatalf("%+v, %v after %v", result, err, time.Since(began))
		}
		answer := result.Reply.(*wsfev1.FECAESolicitarAnswer)
		if h := answer.FeCabResp; h.Resultado != "A" || h.CantReg != 3 || h.Cuit != issuer || h.FchProceso != "20261120120000" {
			t.Errorf("header %+v", h)
		}
		for i, d := range answer.FeDetResp.FECAEDetResponse {
			if d.CAE != g.service.invoices[int64(i)+1].CodAutorizacion || d.CAEFchVto != "20261130" || d.Resultado != "A" {
				t.Errorf("invoice %d: %+v", i, d)
			}
		}
		repeated, err := g.issue(t.Context(), request("121", 1, 2, 3), nothingLost)
		if err != nil || repeated.State != once.Approved {
			t.Errorf("the same again: %+v, %v", repeated, err)
		}
	})
}

// TestANumberTwiceInALotIsOneInvoice: the service approves the first of the two and rejects the other, whatever they
// have in common.
func TestANumberTwiceInALotIsOneInvoice(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		result, err := g.issue(t.Context(), request("121.00", 1, 1), answerLost)
		if err != nil {
			t.Fatal(err)
		}
		answer := result.Reply.(*wsfev1.FECAESolicitarAnswer)
		first, second := &answer.FeDetResp.FECAEDetResponse[0], &answer.FeDetResp.FECAEDetResponse[1]
		if answer.FeCabResp.Resultado != "P" || first.Resultado != "A" || first.CAE == "" ||
			second.Resultado != "R" || second.CAE != "" || second.Observaciones == nil || second.Observaciones.Obs[0].Code != 10016 {
			t.Errorf("%+v, %+v, %+v", answer.FeCabResp, first, second)
		}
	})
}

// TestMissingInvoiceIsNotBelievedAtOnce: the service may still be working on it.
func TestMissingInvoiceIsNotBelievedAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		began := time.Now()
		result, err := g.issue(t.Context(), request("100", 1), requestLost)
		if err != nil || result.State != once.Rejected {
			t.Fatalf("%+v, %v", result, err)
		}
		if took := time.Since(began); took < 10*time.Second || took > 20*time.Second {
			t.Errorf("believed after %v", took)
		}
		late := request("100", 1)
		time.AfterFunc(4*time.Second, func() { g.service.issue(late) })
		if result, err := g.issue(t.Context(), late, requestLost); err != nil || result.State != once.Approved {
			t.Errorf("one that was done late: %+v, %v", result, err)
		}
	})
}

func TestNumberOfAnotherInvoiceIsSaidToBeSo(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.issue(request("99.5", 1))
		result, err := g.issue(t.Context(), request("100", 1), requestLost)
		if err != nil || result.State != once.Rejected {
			t.Fatalf("%+v, %v", result, err)
		}
		d := result.Reply.(*wsfev1.FECAESolicitarAnswer).FeDetResp.FECAEDetResponse[0]
		if d.Resultado != "R" || d.CAE != "" || d.Observaciones.Obs[0].Code != 10016 ||
			d.Observaciones.Obs[0].Msg != "El número 1 ya está autorizado para otro comprobante (ImpTotal enviado 100, autorizado 99.5; ImpNeto enviado 100, autorizado 99.5). Consulte FECompUltimoAutorizado y numere de nuevo." {
			t.Errorf("%+v %+v", d, d.Observaciones)
		}
	})
}

func TestHalfALotIsToldFromTheOther(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.issue(request("100", 1))
		g.service.issue(request("100", 2))
		result, err := g.issue(t.Context(), request("100", 1, 2, 3, 4), requestLost)
		if err != nil || result.State != once.Approved {
			t.Fatalf("%+v, %v", result, err)
		}
		answer := result.Reply.(*wsfev1.FECAESolicitarAnswer)
		got := answer.FeCabResp.Resultado
		for _, d := range answer.FeDetResp.FECAEDetResponse {
			got += d.Resultado
		}
		if got != "PAARR" || answer.FeDetResp.FECAEDetResponse[2].Observaciones.Obs[0].Code != 602 {
			t.Errorf("Resultado %s", got)
		}
	})
}

func TestUnknownOutcomeClosesTheSeriesAndIsSettledInTheBackground(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.set(func(s *fakeService) { s.down = true })
		result, err := g.issue(t.Context(), request("100", 1), answerLost)
		if err != nil || result.State != once.Unknown {
			t.Fatalf("%+v, %v", result, err)
		}
		var unsettled *once.UnsettledError
		if _, err := g.issue(t.Context(), request("100", 2), nothingLost); !errors.As(err, &unsettled) || unsettled.Pending.Key.Desde != 1 {
			t.Fatalf("a new number while the service is down: %v, want UnsettledError", err)
		}
		if counts := g.coordinator.Counts(); counts != (once.Counts{Unknown: 1}) {
			t.Errorf("%+v, want one of unknown outcome", counts)
		}
		g.service.set(func(s *fakeService) { s.down = false })
		got := <-g.settled
		record, err := g.store.Get(t.Context(), logName, got.index)
		if got.verdict != once.Recovered || err != nil || record.Kind != audit.KindSettlement || record.Intent != 0 ||
			record.Vouchers[0].Code != "76000000000001" || record.Outcome != "recovered" {
			t.Errorf("%+v: %+v, %v", got, record, err)
		}
		if result, err := g.issue(t.Context(), request("100", 2), nothingLost); err != nil || result.State != once.Approved {
			t.Errorf("the next number: %+v, %v", result, err)
		}
		if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.Kept == nil {
			t.Errorf("the first again: %+v, %v; want it from the trail", result, err)
		}
	})
}

func TestCredentialsThatAreRefusedAreForgotten(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.set(func(s *fakeService) { s.refuses = true })
		if result, err := g.issue(t.Context(), request("100", 1), answerLost); err != nil || result.State != once.Unknown {
			t.Fatalf("%+v, %v", result, err)
		}
		time.Sleep(10 * time.Second) // of the bubble: an attempt or two
		before := g.service.questions()
		time.Sleep(time.Hour)
		if after := g.service.questions(); after != before {
			t.Errorf("%d further questions with credentials that are refused", after-before)
		}
		g.service.set(func(s *fakeService) { s.refuses = false })
		g.coordinator.Meet(issuer, g.service, once.Policy{}) // a client comes with a new ticket
		if got := <-g.settled; got.verdict != once.Recovered {
			t.Errorf("%v", got)
		}
	})
}

// TestAnotherProgramInPlaceOfTheServiceIsAskedOnce: a wrong address does not make a client wait,
// and what was lost is found once the address is mended.
func TestAnotherProgramInPlaceOfTheServiceIsAskedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.set(func(s *fakeService) { s.replaced = true })
		began := time.Now()
		result, err := g.issue(t.Context(), request("100", 1), answerLost)
		synctest.Wait() // the background has asked once more
		if err != nil || result.State != once.Unknown || time.Since(began) != 0 || g.service.questions() != 2 {
			t.Fatalf("%+v, %v after %s and %d questions", result, err, time.Since(began), g.service.questions())
		}
		g.service.set(func(s *fakeService) { s.replaced = false })
		if got := <-g.settled; got.verdict != once.Recovered {
			t.Errorf("%v", got)
		}
	})
}

// TestALotInTheMakingIsNotTakenForEnded: while more of it appears, the service is still
// working.
func TestALotInTheMakingIsNotTakenForEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		lot := request("100", 1, 2, 3, 4, 5, 6)
		g.sentWith.RecoverWithin = time.Minute // half of which it waits for one that is absent
		for n := range int64(6) {
			time.AfterFunc(time.Duration(n)*7*time.Second, func() { g.service.issue(request("100", n+1)) })
		}
		result, err := g.issue(t.Context(), lot, requestLost)
		if err != nil || result.State != once.Approved {
			t.Fatalf("%+v, %v", result, err)
		}
		if h := result.Reply.(*wsfev1.FECAESolicitarAnswer).FeCabResp; h.Resultado != "A" {
			t.Errorf("Resultado %s of a lot that was issued whole", h.Resultado)
		}
	})
}

// TestALargeLotIsSettledBySlowAnswers: asking about all of it takes longer than one attempt
// may, so each attempt continues where the previous one stopped.
func TestALargeLotIsSettledBySlowAnswers(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.takes = 300 * time.Millisecond
		numbers := make([]int64, 250)
		for i := range numbers {
			numbers[i] = int64(i) + 1
		}
		if result, err := g.issue(t.Context(), request("100", numbers...), answerLost); err != nil || result.State != once.Unknown {
			t.Fatalf("%+v, %v; want it unknown at first", result, err)
		}
		select {
		case got := <-g.settled:
			record, err := g.store.Get(t.Context(), logName, got.index)
			if err != nil || got.verdict != once.Recovered || len(record.Vouchers) != 250 || record.Vouchers[249].Code != "76000000000250" {
				t.Errorf("%v, %v: %+v", got, err, record)
			}
		case <-time.After(time.Hour): // of the bubble
			t.Fatalf("not settled after an hour and %d questions", g.service.questions())
		}
		if asked := g.service.questions(); asked > 300 {
			t.Errorf("%d questions about 250 invoices", asked)
		}
	})
}
