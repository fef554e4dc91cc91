package evidence

import (
	"bytes"
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// madeUp is a store whose records are made when they are asked for, each with an answer
// of a mebibyte.
type madeUp struct{ audit.Store }

func (madeUp) Get(_ context.Context, log string, index uint64) (*audit.Record, error) {
	return &audit.Record{
		Log: log, Index: index, Kind: audit.KindExchange, Time: time.Unix(int64(index), 0), Operation: "FECAESolicitar",
		Decision: audit.DecisionForward, Answer: []byte(`{"Text":"` + strings.Repeat("a", 1<<20) + `"}`),
	}, nil
}

// heapGauge is a writer that takes note of the largest heap while it is written to.
type heapGauge struct {
	largest uint64
	written int
}

func (g *heapGauge) Write(p []byte) (int, error) {
	g.written += len(p)
	if len(p) >= 1<<20 {
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		g.largest = max(g.largest, now.HeapAlloc)
	}
	return len(p), nil
}

// TestEvidenceHoldsOneExchangeInMemory, and not all of them.
func TestEvidenceHoldsOneExchangeInMemory(t *testing.T) {
	exchanges := make([]*story.Entry, 16)
	for i := range exchanges {
		record, _ := madeUp{}.Get(t.Context(), "gateway-1", uint64(i))
		exchanges[i] = story.EntryOf(record, 1)
	}
	path := filepath.Join(t.TempDir(), "evidence.zip")
	out, err := newOutput(path)
	if err != nil {
		t.Fatal(err)
	}
	bundle := &evidenceBundle{store: madeUp{}, out: out, made: time.Unix(0, 0), logs: []evidenceLog{{Log: "gateway-1"}}}
	if err := bundle.write(t.Context(), exchanges); err != nil {
		t.Fatal(err)
	}
	if err := out.finish(); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	gauge := &heapGauge{}
	if err := bundle.writePage(t.Context(), gauge, exchanges); err != nil {
		t.Fatal(err)
	}
	if gauge.written < 16<<20 {
		t.Fatalf("a page of %d bytes", gauge.written)
	}
	if more := int64(gauge.largest) - int64(before.HeapAlloc); more > 12<<20 {
		t.Errorf("%d KiB of memory for exchanges of 1024", more>>10)
	}
}

// TestPageTellsWhyContentIsMissing.
func TestPageTellsWhyContentIsMissing(t *testing.T) {
	for presence, want := range map[audit.Presence]string{
		audit.Purged: "ya no se conserva", audit.Sealed: "cifrado: no se dio la clave",
	} {
		record := &audit.Record{
			Kind: audit.KindExchange, Presence: presence, RequestLength: 5,
			Findings: []audit.Finding{{Code: "10048", Action: "refuse"}},
		}
		var page bytes.Buffer
		bundle := &evidenceBundle{}
		invoice := bundle.invoice([]*story.Entry{story.EntryOf(record, 1)})
		if err := evidencePageTemplate.ExecuteTemplate(&page, "exchange", bundle.pageOf(invoice, 0, &evidenceExchange{Exchange: story.Exchange{At: record}})); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(page.String(), want); n != 4 { // content, finding, request, answer
			t.Errorf("%s: said %d times in\n%s", want, n, &page)
		}
		if strings.Contains(page.String(), "no era JSON") || strings.Contains(page.String(), "SHA-256") {
			t.Errorf("what is not known is said:\n%s", &page)
		}
	}
}
