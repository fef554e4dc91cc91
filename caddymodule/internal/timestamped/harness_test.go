package timestamped_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/timestamp"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

const logName = "gw-1"

// trail is a log as a Source.
type trail struct {
	t      *testing.T
	store  audit.Store
	key    *audit.Key
	writer *audit.Writer
}

func newTrail(t *testing.T, records int) *trail {
	t.Helper()
	s := &trail{t: t, store: audittest.NewMemory(), key: audittest.Key(t, logName)}
	var err error
	if s.writer, err = audit.Open(t.Context(), s.store, logName, s.key, audit.Options{First: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.writer.Close() })
	s.grow(records)
	return s
}

func (s *trail) grow(records int) {
	s.t.Helper()
	for range records {
		if _, err := s.writer.Append(s.t.Context(), &audit.Record{Kind: audit.KindExchange, Operation: "FEDummy"}); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *trail) Checkpoint() []byte { return s.writer.Checkpoint() }

func (s *trail) Timestamps() timestamped.Shelf {
	return timestamped.Shelf{Store: s.store, Log: logName, Verifier: s.key.Verifier()}
}

// newest returns the newest stamp, nil for none. It verifies with the roots.
func (s *trail) newest(roots string) *timestamped.Kept {
	s.t.Helper()
	kept, err := s.Timestamps().Newest(s.t.Context())
	if errors.Is(err, timestamped.ErrNone) {
		return nil
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.verify(kept, roots)
	return kept
}

// verify verifies a stamp that is kept as a stranger does: with the roots, and the public key of the log.
func (s *trail) verify(kept *timestamped.Kept, roots string) {
	s.t.Helper()
	content, err := os.ReadFile(roots)
	if err != nil {
		s.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(content)
	stamp, err := (&timestamp.Authority{Roots: pool}).Open(kept.Reply, kept.Checkpoint)
	if err != nil || !stamp.Time.Equal(kept.Time) || stamp.Authority != kept.Authority {
		s.t.Errorf("what is kept does not verify: %v", err)
	}
	checkpoint, err := audit.OpenLogCheckpoint(kept.Checkpoint, s.key.Verifier(), logName)
	if err != nil || checkpoint.Size != kept.Records {
		s.t.Errorf("what is stamped does not verify: %v", err)
	}
}

// place is an authority at a URL.
type place struct {
	*tsatest.Authority
	t   *testing.T
	url string

	mu       sync.Mutex // guards what follows
	requests int
	answer   http.HandlerFunc // in place of its own, if it is not nil
}

// newPlace runs an authority until the test ends.
func newPlace(t *testing.T, kind tsatest.Kind) *place {
	t.Helper()
	p := &place{Authority: tsatest.New(t, kind, "Sello de prueba"), t: t}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL + "/tsr"
	return p
}

// be lets it answer so from now on.
func (p *place) be(answer http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

func (p *place) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

// ServeHTTP implements http.Handler.
func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests++
	answer := p.answer
	p.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/tsr" || r.Header.Get("Content-Type") != "application/timestamp-query" {
		p.t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
	}
	p.replying(p.Reply)(w, r)
}

// replying answers with the reply that is made of a query.
func (p *place) replying(of func(query []byte) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		query, err := io.ReadAll(r.Body)
		if err != nil {
			p.t.Error(err)
			return
		}
		w.Header().Set("Content-Type", "application/timestamp-reply")
		_, _ = w.Write(of(query))
	}
}

func (p *place) options() timestamped.Options {
	return timestamped.Options{URL: p.url, Roots: p.Roots}
}

// stamper has turns that the test gives.
type stamper struct {
	*timestamped.Stamper
	t     *testing.T
	turns chan time.Time
	waits chan time.Duration
	logs  *observer.ObservedLogs
	mu    sync.Mutex // guards now
	now   time.Time
}

// start starts a stamper of the log, and returns after its first turn.
func start(t *testing.T, of *trail, options timestamped.Options) *stamper {
	t.Helper()
	s := prepare(t, of, options)
	s.Start()
	<-s.waits
	return s
}

// prepare returns a stamper that stops with the test.
func prepare(t *testing.T, of *trail, options timestamped.Options) *stamper {
	t.Helper()
	authority, err := options.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zap.InfoLevel)
	s := &stamper{t: t, turns: make(chan time.Time), waits: make(chan time.Duration, 100), logs: logs, now: time.Now()}
	source := timestamped.Handle{Key: "trail", Enter: func(context.Context) (timestamped.Source, func(), error) { return of, func() {}, nil }}
	s.Stamper = timestamped.New(authority, source, zap.New(core), timestamped.Clock{Now: s.clock, After: func(d time.Duration) <-chan time.Time {
		s.waits <- d
		return s.turns
	}})
	t.Cleanup(s.Stop)
	return s
}

func (s *stamper) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *stamper) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// turn gives it a turn, and returns how long it waits for the next one.
func (s *stamper) turn() time.Duration {
	s.turns <- s.clock()
	return <-s.waits
}

// said returns the newest error in the log, empty if there is none.
func (s *stamper) said() (text string) {
	for _, entry := range s.logs.TakeAll() {
		if entry.Level == zap.ErrorLevel {
			text, _ = entry.ContextMap()["error"].(string)
		}
	}
	return text
}
