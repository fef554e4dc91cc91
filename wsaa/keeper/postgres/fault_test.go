package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/wsaa/keeper/postgres"
)

// behindProxy opens a store whose connections can be cut.
func behindProxy(t *testing.T) (*postgres.Store, *postgrestest.Proxy) {
	t.Helper()
	cluster := postgrestest.Shared(t)
	proxy := postgrestest.NewProxy(t, cluster.Address())
	return open(t, proxy.DSN(cluster, postgrestest.DatabaseOf(t, cluster.Database(t)))), proxy
}

// TestADatabaseThatIsAway: a call waits for it as long as its context lets it, and the next one finds
// it again. What was saved is there.
func TestADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	s, proxy := behindProxy(t)
	wantTake(t, s, "a", true)
	proxy.Down()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for what, err := range map[string]error{
		"load": second(s.Load(ctx, name)), "take": second(s.Take(ctx, name, "a", time.Minute)),
		"save": s.Save(ctx, name, "a", []byte("x")), "return": s.Return(ctx, name, "a"),
	} {
		if err == nil || !strings.Contains(err.Error(), "postgres://127.0.0.1:") || strings.Contains(err.Error(), postgrestest.Password) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for drained := false; !drained; { // the leftovers of the calls before
		select {
		case <-proxy.Refused():
		default:
			drained = true
		}
	}
	saved := make(chan error, 1)
	go func() { saved <- s.Save(t.Context(), name, "a", []byte("entry")) }()
	<-proxy.Refused()
	proxy.Up()
	if err := <-saved; err != nil {
		t.Error(err)
	}
	wantEntry(t, s, "entry")
	wantTake(t, s, "b", false)
}

func second[T any](_ T, err error) error { return err }

// TestAnAnswerThatIsLost: the call is done again, and has done what it was asked for.
func TestAnAnswerThatIsLost(t *testing.T) {
	t.Parallel()
	s, proxy := behindProxy(t)
	wantEntry(t, s, "")
	proxy.Mute()
	wantTake(t, s, "a", true)
	proxy.Mute()
	if err := s.Save(t.Context(), name, "a", []byte("entry")); err != nil {
		t.Error(err)
	}
	proxy.Mute()
	wantEntry(t, s, "entry")
	proxy.Mute()
	if err := s.Return(t.Context(), name, "a"); err != nil {
		t.Error(err)
	}
	proxy.Cut()
	wantTake(t, s, "b", true)
}
