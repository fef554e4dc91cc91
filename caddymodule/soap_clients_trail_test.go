package caddymodule_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// issuerTrail sums up the trail's records of an issuer's requests to change something.
type issuerTrail struct {
	intents  map[uint64]string // what each is about, by its index
	outcomes map[uint64]int    // how many each intent has
	became   map[string]int    // the outcomes, those found later included
	issued   map[int64]string  // the codes of the invoices with a CAE, by number
}

func (c *soapClient) trailOf(t *testing.T, records []*audit.Record, cuit wsfev1.CUIT) issuerTrail {
	t.Helper()
	form := map[string]string{"1.1": audit.FormSOAP11, "1.2": audit.FormSOAP12}[c.version]
	trail := issuerTrail{map[uint64]string{}, map[uint64]int{}, map[string]int{}, map[int64]string{}}
	for _, r := range records {
		if r.Cuit != cuit {
			continue
		}
		if r.Decision != "ask" && r.Kind != audit.KindSettlement && (r.Client == nil || r.Client.Form != form) {
			t.Errorf("%s: record %d: %+v, want %s", c, r.Index, r.Client, form)
		}
		switch r.Kind {
		case audit.KindIntent:
			trail.intents[r.Index] = fmt.Sprint(r.Operation, r.PtoVta, r.Vouchers)
			continue
		case audit.KindOutcome:
			trail.outcomes[r.Intent]++
		case audit.KindSettlement:
		default:
			continue
		}
		trail.became[strings.Replace(string(r.Outcome), "observed", "approved", 1)]++
		for _, v := range r.Vouchers {
			if r.Operation != "FECAESolicitar" || v.Resultado != "A" {
				continue
			}
			if trail.issued[v.CbteDesde] != "" {
				t.Errorf("%s: number %d was issued twice", c, v.CbteDesde)
			}
			trail.issued[v.CbteDesde] = v.Code
		}
	}
	return trail
}

// wantTrail wants one intent and one outcome for each request to issue, in the form of the client,
// and the codes that the client got.
func (c *soapClient) wantTrail(t *testing.T, steps []soapStep, records []*audit.Record, issuers []soapIssuer) {
	t.Helper()
	for _, issuer := range issuers {
		_, day := dayOf(issuer, steps)
		trail := c.trailOf(t, records, issuer.Cuit)
		for index, intent := range trail.intents {
			if trail.outcomes[index] != 1 {
				t.Errorf("%s: %s has %d outcomes", c, intent, trail.outcomes[index])
			}
		}
		different := slices.Compact(slices.Sorted(maps.Values(trail.intents)))
		if len(different) != len(trail.intents) || len(trail.outcomes) != len(trail.intents) {
			t.Errorf("%s: %d intents, %d of them different, and outcomes of %d", c, len(trail.intents), len(different), len(trail.outcomes))
		}
		if want := c.outcomes(issuer); !maps.Equal(trail.became, want) {
			t.Errorf("%s: outcomes %v, want %v", c, trail.became, want)
		}
		var codes []string
		for _, number := range slices.Sorted(maps.Keys(trail.issued)) {
			codes = append(codes, trail.issued[number])
		}
		if want := day.codes(); !slices.Equal(codes, want) {
			t.Errorf("%s: the trail has %q, and the client %q", c, codes, want)
		}
	}
}

// outcomes counts the outcomes of an issuer's requests. For an issuer whose answers are lost, the
// gateway finds the answers again: for the first invoice, for the lot or its first, for the
// advance code, and in the end for the lost one.
func (c *soapClient) outcomes(issuer soapIssuer) map[string]int {
	requests := 3 + c.issues
	if c.alone {
		requests += 2
	}
	recovered := 3
	if c.strict {
		requests += 2
		recovered += 2
	}
	if issuer.Lost == 0 {
		return map[string]int{"approved": requests}
	}
	want := map[string]int{"recovered": recovered + 1, "unknown": 1}
	if approved := requests - recovered; approved > 0 {
		want["approved"] = approved
	}
	return want
}

// wantSoundTrail verifies the trail as an operator does.
func (p *soapPlace) wantSoundTrail(t *testing.T) {
	t.Helper()
	if out, errs, err := caddytest.AuditCommand("verify", "--store", "sqlite:"+p.site.Store); err != nil {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
}
