package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestEachReportedInvoiceIsRecordedWithItsOwnCAEA: at the turn of a fortnight a lot has invoices of two. Before the
// service has answered, and where the gateway refuses it, the request alone tells which.
func TestEachReportedInvoiceIsRecordedWithItsOwnCAEA(t *testing.T) {
	const before, after = "36460000000104", "36460000000117"
	upstream := caddytest.NewMoody(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "recover off")
	upstream.Set(true)
	report := strings.NewReplacer("FeCAEReq", "FeCAEARegInfReq", "FECAEDetRequest", "FECAEADetRequest", `"PtoVta":1`, `"PtoVta":3`).Replace(caddytest.LotText(0, 1, 2))
	for _, code := range []string{before, after} {
		report = strings.Replace(report, `{"Concepto"`, fmt.Sprintf(`{"CAEA":"%s","CbteFchHsGen":"20261116101500","CbteFch":"20261116", "Concepto"`, code), 1)
	}
	s.Post("FECAEARegInformativo", report)
	s.Post("FECAEARegInformativo", strings.Replace(report, "20261116101500", "x", 1))
	records := s.Records()
	if !slices.ContainsFunc(records, func(r *audit.Record) bool { return r.Outcome == audit.OutcomeRefused }) {
		t.Errorf("%+v: none was refused", records)
	}
	for _, r := range records {
		if len(r.Vouchers) != 2 || r.Vouchers[0].Code != before || r.Vouchers[1].Code != after {
			t.Errorf("%s %s: %+v", r.Kind, r.Outcome, r.Vouchers)
		}
	}
}
