package search

import (
	"context"
	"encoding/csv"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// tableOf reads a table.
func tableOf(t *testing.T, text string) [][]string {
	t.Helper()
	text, ok := strings.CutPrefix(text, "\ufeff")
	if !ok {
		t.Error("Excel would not take it for UTF-8")
	}
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.FieldsPerRecord = ';', -1
	lines, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestATableToDownload has the same data as the page, as Excel reads it, and all rows.
func TestATableToDownload(t *testing.T) {
	store := newStore(t)
	var batch []*audit.Record
	for i := range 2*exportPart + 7 {
		batch = append(batch, invoice(ours, 6, int64(i+1), i/3))
	}
	batch = append(batch, invoice(theirs, 6, 1, 9))
	write(t, store, "a", batch...)
	m := newWorld(store)
	answered := m.exchanges("/search.csv?cuit=20-11111111-2")
	if got := answered.Header().Get("Content-Disposition"); got != `attachment; filename="fielato-2026-11-22-1300.csv"` {
		t.Error(got)
	}
	if got := answered.Header().Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Error(got)
	}
	lines := tableOf(t, answered.Body.String())
	if len(lines) != 2*exportPart+8 {
		t.Fatalf("%d lines", len(lines))
	}
	want := []string{"2026-11-22 12:05:35", "Factura B 0001-00001007", "20-11111111-2", "CUIT 30-00000000-7", "1234,5", "PES", "aprobado", "76470000001007", "", "FECAESolicitar", "el servicio respondió", "a/1006", "00000000-0000-4000-8000-000000001007"}
	if !slices.Equal(lines[1], want) {
		t.Errorf("%q", lines[1])
	}
	seen := map[string]bool{}
	for _, line := range lines[1:] {
		seen[line[11]] = true
	}
	if len(seen) != len(lines)-1 {
		t.Errorf("%d different", len(seen))
	}
	m.exportRows = exportPart + 3
	lines = tableOf(t, m.exchanges("/search.csv?cuit=20-11111111-2").Body.String())
	if len(lines) != m.exportRows+2 || !strings.HasPrefix(lines[len(lines)-1][0], "Hay más: el archivo termina en 503 filas") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	m.exportTime = 0
	lines = tableOf(t, m.exchanges("/search.csv?cuit=20-11111111-2").Body.String())
	if len(lines) != exportPart+2 || !strings.HasPrefix(lines[len(lines)-1][0], "Hay más: la búsqueda llevó demasiado") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	ending := make(chan struct{})
	close(ending)
	m.Ending = ending // a reload: a narrower search would help nobody
	lines = tableOf(t, m.exchanges("/search.csv?cuit=20-11111111-2").Body.String())
	if len(lines) != exportPart+2 || !strings.HasPrefix(lines[len(lines)-1][0], "El archivo está incompleto: la configuración") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	for range cap(m.exports) {
		m.exports <- struct{}{}
	}
	if answered := m.get("/search.csv"); answered.Code != http.StatusServiceUnavailable {
		t.Errorf("one export too many: %d", answered.Code)
	}
}

// TestATableHasNoFormula: a program for tables carries out what looks like one.
func TestATableHasNoFormula(t *testing.T) {
	store := newStore(t)
	for _, begin := range []string{"=", "+", "-", "@", "\t=", "\r=", "＝", "\u202e=", "a\n="} {
		r := invoice(ours, 6, 1, 0)
		r.ID, r.Operation, r.Outcome, r.Vouchers[0].Code = begin+"cmd", begin+"cmd", audit.Outcome(begin+"cmd"), begin+"cmd"
		r.Findings = []audit.Finding{{Code: begin + "cmd", Action: "refuse"}}
		write(t, store, "a", r)
	}
	for _, line := range tableOf(t, newWorld(store).exchanges("/search.csv").Body.String())[1:] {
		for _, cell := range line {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") || strings.HasPrefix(cell, "＝") || strings.ContainsAny(cell, "\t\r\n\u202e") {
				t.Errorf("a formula: %q", cell)
			}
		}
	}
}

// TestReceiversAreHiddenWhereTheConsoleHidesThem, and a trail that cannot be opened is no empty one.
func TestReceiversAreHiddenWhereTheConsoleHidesThem(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0))
	m := newWorld(store)
	m.MaskAll = true
	for _, path := range []string{"/search", "/search.csv"} {
		text := m.get(path).Body.String()
		wantAll(t, text, "oculto")
		wantNone(t, text, "30-00000000-7")
	}
	m.Open = func(context.Context, func([]site.Source) error) error { return errors.New("broken") }
	for _, path := range []string{"/search", "/search.csv", "/search/live"} {
		if answered := m.get(path); answered.Code != http.StatusInternalServerError {
			t.Errorf("%s: %d", path, answered.Code)
		}
	}
}
