package backend

import (
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

func TestRatesRiseInDateAndNameKnownCurrencies(t *testing.T) {
	for currency, figures := range tables.cotizacion {
		if !wsfev1.IsMoneda(currency) || currency == pesos {
			t.Errorf("there is a rate for %s", currency)
		}
		for i, f := range figures {
			if !f.FchCotiz.Valid() || f.MonCotiz.Sign() <= 0 || i > 0 && f.FchCotiz <= figures[i-1].FchCotiz {
				t.Errorf("rate %d of %s: %+v", i, currency, f)
			}
		}
	}
}

func TestDeadlinesFollowTheEndOfTheFortnight(t *testing.T) {
	for _, test := range []struct {
		periodo  int32
		orden    int16
		deadline wsfev1.Date
	}{
		// Recorded.
		{201011, 1, "20101215"},
		{201102, 1, "20110317"},
		{202602, 2, "20260305"},
		{202610, 1, "20261020"},
		// Inferred.
		{201807, 2, "20180830"},
		{201808, 1, "20180820"},
		{202107, 1, "20210720"},
		{202402, 2, "20240305"},
		{202601, 1, "20260120"},
		{202607, 2, "20260805"},
		{202608, 1, "20260820"},
		{202612, 2, "20270105"},
	} {
		f, ok := wsfev1.FortnightOf(test.periodo, test.orden)
		if got := deadline(f); !ok || got != test.deadline {
			t.Errorf("%d/%d: %s %t, want %s", test.periodo, test.orden, got, ok, test.deadline)
		}
	}
}
