package trail

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/internal/audittest"
)

// TestALogThatHasLostSomethingIsNotGoneOnWith by a gateway that has seen more of it.
func TestALogThatHasLostSomethingIsNotGoneOnWith(t *testing.T) {
	t1, _ := lentTrail(t, audittest.NewMemory())
	t2, _ := lentTrail(t, audittest.NewMemory())
	t1.record(t, 3)
	t2.record(t, 1)
	for name, test := range map[string]struct {
		before *Trail
		now    audit.Store
		goesOn bool
	}{
		"the same":           {t1, t1.Store, true},
		"without its newest": {t1, t2.Store, false},
		"another history":    {t2, t1.Store, false},
	} {
		if err := test.before.checkGoesOn(t.Context(), test.now); (err == nil) != test.goesOn || err != nil && !errors.Is(err, audit.ErrUnsound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := t1.checkGoesOn(t.Context(), audittest.NewMemory()); !errors.Is(err, errShortened) {
		t.Errorf("nothing is left: %v", err)
	}
	if t1.shortened.Store(true); !errors.Is(t1.Ready(t.Context(), time.Now()), errShortened) {
		t.Error("a trail whose log has lost its end is ready")
	}
}

// lentTrail returns a trail over s that is open until the test ends, and its handle.
func lentTrail(t *testing.T, s audit.Store) (*Trail, *app.Handle[*Trail]) {
	t.Helper()
	const name = "gateway-1"
	if _, err := s.Secret(t.Context(), LogNameKey, func() ([]byte, error) { return []byte(name), nil }); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "the.key")
	if err := os.WriteFile(file, []byte(audittest.Key(t, name).Private()), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, err := signingkey.New("", file)
	if err != nil {
		t.Fatal(err)
	}
	l := app.NewHandle(caddy.NewUsagePool(), "key", func() (*Trail, error) {
		return claimTrail(t.Context(), s, "", &Options{keys: keys}, nil)
	})
	if err := l.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Stop)
	opened, leave, err := l.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	leave()
	return opened, l
}

// record appends a number of records.
func (t *Trail) record(of *testing.T, records int) {
	of.Helper()
	for range records {
		if _, err := t.Append(&audit.Record{Kind: audit.KindExchange, Operation: "FEDummy"}, nil); err != nil {
			of.Fatal(err)
		}
	}
}
