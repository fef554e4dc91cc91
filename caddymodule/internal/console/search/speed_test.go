package search

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// firstByte is when the page begins to show at the latest.
const firstByte = 100 * time.Millisecond

// TestAnswersBeginAtOnce among many records: 2,000 in the short form, a million from a factor of 2 on. It
// prints how long each search takes.
func TestAnswersBeginAtOnce(t *testing.T) {
	store := newStore(t)
	records := testrun.Size(t, 2_000, testrun.Whole(t, 40_000, 1_000_000))
	source := audittest.NewSource(5)
	var old *audit.Record // an invoice of the oldest tenth
	for size := 0; size < records; {
		batch := make([]*audit.Record, 0, 1000)
		for range cap(batch) {
			r := source.Next(uint64(size + len(batch)))
			for i := range r.Vouchers { // a range is the exception
				if v := &r.Vouchers[i]; v.CbteHasta%100 > 0 {
					v.CbteHasta = v.CbteDesde
				}
			}
			if old == nil && size+len(batch) > records/10 && r.Kind == audit.KindOutcome && r.Outcome == "approved" {
				old = r
			}
			batch = append(batch, r)
		}
		write(t, store, "gateway-1", batch...)
		size += len(batch)
	}
	server := httptest.NewServer(newWorld(store))
	defer server.Close()
	number := old.Vouchers[0].CbteDesde
	for _, search := range []struct{ name, parameters string }{
		{"the newest", ""},
		{"the newest exchanges", "list=exchanges"},
		{"CAE", "q=" + old.Vouchers[0].Code},
		{"no such CAE", "q=76470000000018"},
		{"voucher", fmt.Sprintf("q=%d-%d-%d", old.CbteTipo, old.PtoVta, number)},
		{"voucher and class", "q=" + url.QueryEscape(fmt.Sprintf("%s %04d-%08d", map[int32]string{1: "A", 6: "B"}[old.CbteTipo], old.PtoVta, number))},
		{"voucher without type", fmt.Sprintf("q=%04d-%08d", old.PtoVta, number)},
		{"voucher and issuer", fmt.Sprintf("q=%d+%d-%d-%d", old.Cuit, old.CbteTipo, old.PtoVta, number)},
		{"no such voucher", "q=11-1-77777777"},
		{"CUIT", fmt.Sprintf("q=%d", old.Cuit)},
		{"no such CUIT", "q=30-71234567-1"},
		{"code", "finding=shape.required"},
		{"no such code", "q=10048"},
		{"date", "q=" + old.Time.Format("2006-01-02")},
		{"exchange", "id=" + old.ID},
		{"open", "outcome=open"},
		{"by client, which no index has", "client=192.0.2.9"},
	} {
		first, whole, rows := timed(t, server.URL+"/consola/search?"+search.parameters)
		t.Logf("%-30s first byte %7.1f ms, whole page %7.1f ms, %d rows", search.name, ms(first), ms(whole), rows)
		if testrun.Factor(t) > 0 && first > firstByte {
			t.Errorf("%s: the first byte takes %s", search.name, first)
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// timed returns how long it takes until an answer begins, and until it ends.
func timed(t *testing.T, address string) (first, whole time.Duration, rows int) {
	t.Helper()
	began := time.Now()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	buffer, page := make([]byte, 1<<20), ""
	for {
		n, err := answer.Body.Read(buffer)
		if page += string(buffer[:n]); first == 0 && n > 0 {
			first = time.Since(began)
		}
		if err != nil {
			break
		}
	}
	return first, time.Since(began), strings.Count(page, "<tr data-record")
}
