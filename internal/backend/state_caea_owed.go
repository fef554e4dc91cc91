package backend

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// Rule 15014 checks the fortnights of the twelve months before the requested one, and finds two
// in a row that are owed, or four in all (docs/sources.md#caea). Until 2026-07-31 the service counted
// months; this counts as the service does since then.
const (
	owedFortnights  = 24
	owedInARow      = 2
	owedAlternately = 4
)

// owedReport is a point of sale without any report under an advance code although the time
// for it is over.
type owedReport struct {
	fortnightName
	// back is how many fortnights before the one asked for it is.
	back   int
	ptoVta int32
}

// owedReports returns the reports that the issuer owes, the latest fortnight first.
func owedReports(ctx context.Context, ledger Reader, issuer *Taxpayer, today wsfev1.Date, asked fortnightName) ([]owedReport, error) {
	var owed []owedReport
	for back := 1; back <= owedFortnights; back++ {
		asked = asked.before()
		caea, err := ledger.CAEAOf(ctx, issuer.Cuit, asked.periodo, asked.orden)
		if errors.Is(err, ErrNotFound) || err == nil && today <= caea.FchTopeInf {
			continue
		}
		if err != nil {
			return nil, err
		}
		silent, err := silentPoints(ctx, ledger, issuer, caea)
		if err != nil {
			return nil, err
		}
		for _, number := range silent {
			owed = append(owed, owedReport{asked, back, number})
		}
	}
	return owed, nil
}

// silentPoints returns the points of sale that were in use in the code's fortnight and
// have neither an invoice under it nor a declaration that there is none.
func silentPoints(ctx context.Context, ledger Reader, issuer *Taxpayer, caea *CAEA) ([]int32, error) {
	declared, err := ledger.SinMovimiento(ctx, caea.Code)
	if err != nil {
		return nil, err
	}
	var silent []int32
	for i := range issuer.Points {
		p := &issuer.Points[i]
		if !p.forCAEA() || !p.activeDuring(caea.FchVigDesde, caea.FchVigHasta) || declares(declared, p.Number) {
			continue
		}
		used, err := ledger.CAEAUsed(ctx, caea.Code, p.Number)
		if err != nil {
			return nil, err
		}
		if !used {
			silent = append(silent, p.Number)
		}
	}
	return silent, nil
}

func owesTooMuch(owed []owedReport) bool {
	total, row, last := 0, 0, 0
	for _, o := range owed {
		switch o.back {
		case last:
			continue
		case last + 1:
			row++
		default:
			row = 1
		}
		total++
		last = o.back
		if row >= owedInARow || total >= owedAlternately {
			return true
		}
	}
	return false
}

// listed names the reports as the service does, periodo;orden;punto de venta.
func listed(owed []owedReport) string {
	texts := make([]string, len(owed))
	for i, o := range owed {
		texts[i] = fmt.Sprintf("%d;%d;%d", o.periodo, o.orden, o.ptoVta)
	}
	return strings.Join(texts, ", ")
}
