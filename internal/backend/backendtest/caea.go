package backendtest

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/wsfev1"
)

func advance(code string, cuit wsfev1.CUIT, orden int16) backend.CAEA {
	return backend.CAEA{
		Code: code, Cuit: cuit, Periodo: 202611, Orden: orden,
		FchVigDesde: "20261101", FchVigHasta: "20261115", FchTopeInf: "20261123", FchProceso: "20261106103015",
	}
}

func addCAEA(t *testing.T, ledger backend.Ledger, caea backend.CAEA) error {
	return ledger.Update(t.Context(), func(tx backend.Tx) error { return tx.AddCAEA(t.Context(), caea) })
}

func caeaIsGivenOnce(t *testing.T, open Open) {
	ledger := opened(t, open)
	const cuit = 20267565393
	granted := advance("46450000000010", cuit, 1)
	for name, caea := range map[string]backend.CAEA{
		"same fortnight": advance("46450000000099", cuit, 1),
		"same digits":    advance(granted.Code, cuit+1, 2),
	} {
		if err := addCAEA(t, ledger, granted); err != nil && !errors.Is(err, backend.ErrExists) {
			t.Fatal(err)
		}
		wantError(t, addCAEA(t, ledger, caea), backend.ErrExists, name)
	}
	for _, caea := range []backend.CAEA{advance("46450000000022", cuit, 2), advance("46450000000034", cuit+1, 1)} {
		if err := addCAEA(t, ledger, caea); err != nil {
			t.Errorf("another fortnight, another issuer: %v", err)
		}
	}
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		byCode, err := r.CAEA(ctx, granted.Code)
		if err != nil {
			return err
		}
		byFortnight, err := r.CAEAOf(ctx, cuit, 202611, 1)
		if err != nil {
			return err
		}
		if *byCode != granted || *byFortnight != granted {
			t.Errorf("kept as %+v and %+v, want %+v", *byCode, *byFortnight, granted)
		}
		_, err = r.CAEA(ctx, "46450000000099")
		wantError(t, err, backend.ErrNotFound, "refused code")
		_, err = r.CAEAOf(ctx, cuit, 202612, 1)
		wantError(t, err, backend.ErrNotFound, "another fortnight")
		return nil
	})
}

func caeaUseIsKnown(t *testing.T, open Open) {
	ledger := opened(t, open)
	const code = "46450000000010"
	reported := invoice(1, 1, "20261106")
	reported.Code, reported.EmisionTipo = code, backend.EmisionCAEA
	second := reported
	second.CbteDesde, second.CbteHasta = 2, 2
	appendTo(t, ledger, backend.Series{Cuit: 20267565393, PtoVta: 3, CbteTipo: 6}, reported, second)
	authorised := invoice(1, 1, "20261106")
	authorised.Code = code
	appendTo(t, ledger, backend.Series{Cuit: 20267565393, PtoVta: 1, CbteTipo: 6}, authorised)
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		for ptoVta, want := range map[int32]bool{3: true, 4: false, 1: false} {
			got, err := r.CAEAUsed(ctx, code, ptoVta)
			if err != nil {
				return err
			}
			if got != want {
				t.Errorf("use at point of sale %d is %v, want %v", ptoVta, got, want)
			}
		}
		return nil
	})
}

func sinMovimientoIsListed(t *testing.T, open Open) {
	ledger := opened(t, open)
	const code = "46450000000010"
	declare := func(ptoVta int32) error {
		return ledger.Update(t.Context(), func(tx backend.Tx) error {
			return tx.AddSinMovimiento(t.Context(), backend.SinMovimiento{CAEA: code, PtoVta: ptoVta, FchProceso: "20261106"})
		})
	}
	for _, ptoVta := range []int32{4, 3} {
		if err := declare(ptoVta); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, declare(4), backend.ErrExists, "second declaration")
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		got, err := r.SinMovimiento(ctx, code)
		want := []backend.SinMovimiento{{CAEA: code, PtoVta: 3, FchProceso: "20261106"}, {CAEA: code, PtoVta: 4, FchProceso: "20261106"}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("declared %+v, want %+v", got, want)
		}
		other, otherErr := r.SinMovimiento(ctx, "46450000000022")
		if len(other) != 0 {
			t.Errorf("another code has %+v", other)
		}
		return errors.Join(err, otherErr)
	})
}
