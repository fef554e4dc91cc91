package once_test

import (
	"testing"

	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// TestAServiceBehindItsTimeHidesNoRepeat: an approved request is found even if the service
// reports an earlier last number for the series.
func TestAServiceBehindItsTimeHidesNoRepeat(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		for n := range int64(6) {
			if _, err := g.issue(t.Context(), request("100", n+1), nothingLost); err != nil {
				t.Fatal(err)
			}
		}
		turn := enter(t, g, request("100", 8))
		if err := turn.Confirm(t.Context(), saying{&wsfev1.FECompUltimoAutorizadoAnswer{PtoVta: 1, CbteTipo: 6, CbteNro: 1}}); err != nil {
			t.Fatal(err)
		}
		if p := turn.Prediction; p == nil || p.Last != 1 || !p.Sure {
			t.Errorf("%+v, want what the service says", p)
		}
		turn.Leave(once.Result{State: once.NotSent})
		if result, err := g.issue(t.Context(), request("100", 2), nothingLost); err != nil || result.Kept == nil {
			t.Errorf("the same as an approved one: %+v, %v", result, err)
		}
	})
}
