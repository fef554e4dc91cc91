package month

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
)

// TestTheInvoicesOfAMonthAreATable with the columns of the VAT book, named for its issuer and month.
func TestTheInvoicesOfAMonthAreATable(t *testing.T) {
	w := newWorld(t, issued(production, 6, 2, taxed), issued("wsfev1_backend", 6, 1, taxed))
	got := w.get("/month.csv?cuit=20-11111111-2&month=2026-10", "es")
	if name, kind := got.Header().Get("Content-Disposition"), got.Header().Get("Content-Type"); name != `attachment; filename="fielato-20111111112-2026-10.csv"` || kind != "text/csv; charset=utf-8" {
		t.Error(name, kind)
	}
	lines := strings.Split(strings.TrimSuffix(got.Body.String(), "\r\n"), "\r\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "\ufeffFecha;Tipo;Comprobante;") {
		t.Fatal(got.Body)
	}
	const want = "15/10/2026;6;Factura B;1;2;2;76420000000002;25/10/2026;80;20222222223;1;PES;;;;;;;;;10202,21;2142,46;;;10202,21;;;1,00;2142,46;12345,67;;20111111112;producción;;gateway-1/1"
	if lines[1] != want {
		t.Errorf("%s\nwant\n%s", lines[1], want)
	}
	if !strings.HasSuffix(lines[2], ";servicio incorporado;;gateway-1/3") {
		t.Error(lines[2])
	}
	w.MaskAll = true
	if got := w.get("/month.csv", "es"); strings.Contains(got.Body.String(), "20222222223") || got.Header().Get("Content-Disposition") != `attachment; filename="fielato-2026-10.csv"` {
		t.Error(got.Header(), got.Body)
	}
}

// TestATableEndsWhenItsReaderMayNoLongerSeeIt, and says that it is not whole.
func TestATableEndsWhenItsReaderMayNoLongerSeeIt(t *testing.T) {
	store := audittest.NewMemory()
	var records []*audit.Record
	for number := range int64(2 * checked) {
		records = append(records, withIntents(uint64(2*number), issued(production, 6, number+1, taxed))...)
	}
	if err := store.Commit(t.Context(), audittest.Seal(t, store, log, records...)); err != nil {
		t.Fatal(err)
	}
	w := &world{newRoom(siteOf(store)), t, store}
	asked := 0
	w.ReaderScope = func(*http.Request) (site.Scope, error) {
		if asked++; asked > 2 { // by the request and by its read
			return site.Scope{}, site.ErrNoReader
		}
		return site.Everything, nil
	}
	table := w.get("/month.csv", "en").Body.String()
	if lines := strings.Count(table, "\n"); lines != checked+1 || !strings.HasSuffix(table, "The file is incomplete: the trail could not be read.\r\n") {
		t.Errorf("%d lines, %s", lines, table[max(0, len(table)-300):])
	}
	w.ReaderScope = nil
	if table = w.get("/month.csv", "en").Body.String(); strings.Count(table, "\n") != 2*checked+1 {
		t.Errorf("%d lines", strings.Count(table, "\n"))
	}
}
