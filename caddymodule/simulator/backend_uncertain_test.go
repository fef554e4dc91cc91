package simulator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/backend"
	ledgersqlite "github.com/fielato/fielato/internal/backend/sqlite"
)

func init() { caddy.RegisterModule(new(doubtfulLedger)) }

// doubtfulLedger is a ledger whose first commit has an outcome that nobody learns.
type doubtfulLedger struct {
	// Path is the SQLite database behind it; Kept, whether the first commit happens.
	Path string `json:"path"`
	Kept bool   `json:"kept"`
}

func (*doubtfulLedger) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1_backend.ledgers.doubtful", New: func() caddy.Module { return new(doubtfulLedger) }}
}

func (l *doubtfulLedger) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	var kept string
	if !d.AllArgs(&l.Path, &kept) {
		return d.ArgErr()
	}
	l.Kept = kept == "kept"
	return nil
}

func (l *doubtfulLedger) Key() string     { return "doubtful:" + l.Path }
func (l *doubtfulLedger) Address() string { return l.Key() }

func (l *doubtfulLedger) OpenLedger(context.Context) (backend.Ledger, error) {
	inner, err := ledgersqlite.Open(l.Path)
	if err != nil {
		return nil, err
	}
	return &doubtful{Ledger: inner, kept: l.Kept}, nil
}

type doubtful struct {
	backend.Ledger
	kept bool
	once atomic.Bool
}

var errGone = errors.New("the server is gone")

func (d *doubtful) Update(ctx context.Context, fn func(backend.Tx) error) error {
	if !d.once.CompareAndSwap(false, true) {
		return d.Ledger.Update(ctx, fn)
	}
	if d.kept {
		if err := d.Ledger.Update(ctx, fn); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: %w", backend.ErrUncertain, errGone)
}

func withDoubt(t *testing.T, kept string) string {
	return "wsfev1_backend {\n\t\tledger doubtful " + filepath.Join(t.TempDir(), "ledger.db") + " " + kept + "\n\t}"
}

// TestADoubtOfTheLedgerIsFoundOut: the client is told what became of its invoice, never
// that nothing was issued where it was.
func TestADoubtOfTheLedgerIsFoundOut(t *testing.T) {
	for _, door := range caddytest.Doors {
		for kept, verdict := range map[string]string{"kept": "recovered", "lost": "not_issued"} {
			t.Run(door.Name+"/"+kept, func(t *testing.T) {
				s := door.Start(t, withDoubt(t, kept), caddytest.Exactly...)
				got := s.Post("FECAESolicitar", caddytest.Invoice(1))
				if outcome := got.Header.Get("Wsfev1-Outcome"); outcome != verdict {
					t.Errorf("%s: %d %s", outcome, got.Status, got.Body)
				}
				caddytest.WantTruth(t, s, got, kept == "kept")
			})
		}
	}
}

// TestADoubtOfTheLedgerIsNoAnswer: a client without a gateway gets none.
func TestADoubtOfTheLedgerIsNoAnswer(t *testing.T) {
	s := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t)}
	loadAlone(t, s.URL, withDoubt(t, "kept"))
	got, err := caddytest.Try(s.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(1)))
	if got.Status != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("got %d %s, %v", got.Status, got.Body, err)
	}
	if again := s.Post("FECAESolicitar", caddytest.Invoice(2)); again.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("the next one: %s", again.Body)
	}
}
