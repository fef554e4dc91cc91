package search

import (
	"bytes"
	"strings"
	"testing"
)

// TestATotalInAnotherCurrencySaysWhich: in a column of pesos it would be taken for pesos.
func TestATotalInAnotherCurrencySaysWhich(t *testing.T) {
	store := newStore(t)
	pesos, dollars, hostile := invoice(ours, 6, 1, 0), invoice(ours, 6, 2, 1), invoice(ours, 6, 3, 2)
	dollars.Request = bytes.Replace(dollars.Request, []byte(`"PES"`), []byte(`"DOL"`), 1)
	hostile.Request = bytes.Replace(hostile.Request, []byte(`"PES"`), []byte(`"<b>\u202e`+strings.Repeat("x", 200)+`"`), 1)
	write(t, store, "a", pesos, dollars, hostile)
	m := newWorld(store)
	for _, list := range []string{"invoices", "exchanges"} {
		page := m.get("/search?list=" + list).Body.String()
		wantAll(t, page, `amount">1.234,50</td>`, `amount">DOL 1.234,50</td>`, `amount">&lt;b&gt;\u202ex`)
		wantNone(t, page, strings.Repeat("x", maxText), "PES")
		wantAll(t, m.get("/search.csv?list="+list).Body.String(), ";1234,5;PES;", ";1234,5;DOL;")
	}
}
