package cosigned_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/witness"
)

const logName = "gw-1"

// trail is a log as a Source.
type trail struct {
	t      *testing.T
	store  audit.Store
	key    *audit.Key
	writer *audit.Writer
	keeper *cosigned.Keeper
	tip    sentinel.Tip
}

// newTrail returns a log with some records. Two have other salts, so each is another history.
func newTrail(t *testing.T, records int) *trail {
	t.Helper()
	s := trailOver(t, audittest.NewMemory())
	s.grow(records)
	return s
}

// trailOver returns the log in a store.
func trailOver(t *testing.T, store audit.Store) *trail {
	t.Helper()
	s := &trail{t: t, store: store, key: audittest.Key(t, logName), tip: sentinel.TipOf(filepath.Join(t.TempDir(), "the.key"), logName)}
	var err error
	if s.writer, err = audit.Open(t.Context(), s.store, logName, s.key, audit.Options{First: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.writer.Close() })
	s.reopen()
	return s
}

// reopen forgets all that the keeper has in memory, as a restart does.
func (s *trail) reopen() {
	s.t.Helper()
	var err error
	if s.keeper, err = cosigned.NewKeeper(s.t.Context(), cosigned.Log{
		Name: logName, Verifier: s.key.Verifier(), Store: s.store, Tip: s.tip, Logger: zap.NewNop(),
	}); err != nil {
		s.t.Fatal(err)
	}
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

func (s *trail) Verifier() string { return s.key.Verifier() }

func (s *trail) Cosigned() *cosigned.Keeper { return s.keeper }

// size returns the size of a signed checkpoint, 0 for none.
func (s *trail) size(signed []byte) uint64 {
	s.t.Helper()
	if signed == nil {
		return 0
	}
	checkpoint, err := audit.OpenCheckpoint(signed, s.Verifier())
	if err != nil {
		s.t.Fatalf("%v\n%s", err, signed)
	}
	return checkpoint.Size
}

// place is a witness at a URL, ours or a false one.
type place struct {
	t      *testing.T
	key    *cosignature.Key
	url    string
	answer http.HandlerFunc // in place of the witness's own, if it is not nil
	own    *witness.Witness
	files  *witness.Files
	folder string

	mu       sync.Mutex // guards requests
	requests int
}

// newPlace runs a witness of the log until the test ends.
func newPlace(t *testing.T, name string, seed byte, log string) *place {
	t.Helper()
	key, err := cosignature.NewKey(bytes.NewReader(bytes.Repeat([]byte{seed}, ed25519.SeedSize)), name)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, key: key, folder: t.TempDir()}
	if err := witness.Begin(p.folder+"/key", key.Verifier()); err != nil {
		t.Fatal(err)
	}
	p.open(log)
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// open opens the witness's files, as a start does.
func (p *place) open(log string) {
	p.t.Helper()
	var err error
	if p.files, err = witness.OpenFiles(p.folder+"/state", p.folder+"/key", p.key.Verifier()); err != nil {
		p.t.Fatal(err)
	}
	if p.own, err = witness.New(p.key, []string{log}, p.files, time.Now); err != nil {
		p.t.Fatal(err)
	}
}

// asked returns how many requests have come.
func (p *place) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

func (p *place) options() cosigned.Options {
	return cosigned.Options{Key: p.key.String(), URL: p.url}
}

// group asks witnesses, at turns that the test gives.
type group struct {
	*cosigned.Group
	t       *testing.T
	of      *trail
	members int
	turns   chan time.Time
	waits   chan time.Duration
	logs    *observer.ObservedLogs
	mu      sync.Mutex // guards now
	now     time.Time
}

func newGroup(t *testing.T, of *trail, quorum int, require bool, places ...*place) *group {
	t.Helper()
	var all []cosigned.Options
	for _, p := range places {
		all = append(all, p.options())
	}
	return groupOf(t, of, cosigned.Settings{Witnesses: all, Quorum: quorum, Require: require}, len(places))
}

func groupOf(t *testing.T, of *trail, settings cosigned.Settings, members int) *group {
	t.Helper()
	policy, err := settings.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zap.InfoLevel)
	g := &group{t: t, of: of, members: members, turns: make(chan time.Time), waits: make(chan time.Duration, 100), logs: logs, now: time.Now()}
	g.Group = cosigned.New(policy, cosigned.Handle{Key: "trail", Enter: func(context.Context) (cosigned.Source, func(), error) {
		return of, func() {}, nil
	}}, zap.New(core), cosigned.Clock{Now: g.clock, After: func(d time.Duration) <-chan time.Time {
		g.waits <- d
		return g.turns
	}})
	return g
}

func (g *group) clock() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now
}

func (g *group) pass(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now = g.now.Add(d)
}

// start asks for the first time, and starts.
func (g *group) start() error {
	err := g.First(g.t.Context(), g.of)
	g.Start()
	g.t.Cleanup(g.Stop)
	for range g.members {
		<-g.waits
	}
	return err
}

// turn gives the witness that has waited longest a turn, and returns how long it waits for the next one.
func (g *group) turn() time.Duration {
	g.turns <- g.clock()
	return <-g.waits
}

// said returns the newest error in the log, empty if there is none.
func (g *group) said() string {
	for _, entry := range g.logs.TakeAll() {
		if entry.Level == zap.ErrorLevel {
			text, _ := entry.ContextMap()["error"].(string)
			return text
		}
	}
	return ""
}

// verified opens a note that must be signed by log and witness.
func verified(t *testing.T, signed []byte, of *trail, by *place) *note.Note {
	t.Helper()
	opened, err := note.Open(signed, note.VerifierList(by.key.Verifier()))
	if err != nil {
		t.Fatalf("%v\n%s", err, signed)
	}
	of.size(signed)
	return opened
}

// lineOf signs the checkpoint of a request by a key.
func lineOf(t *testing.T, body []byte, by note.Signer) string {
	t.Helper()
	request, err := witness.ParseRequest(body)
	if err != nil {
		t.Error(err)
		return ""
	}
	text, _, _ := bytes.Cut(request.Checkpoint, []byte("\n\n"))
	signed, err := note.Sign(&note.Note{Text: string(text) + "\n"}, by)
	if err != nil {
		t.Error(err)
	}
	_, line, _ := bytes.Cut(signed, []byte("\n\n"))
	return string(line)
}

// atTime signs as a witness whose clock shows the seconds, 0 too.
func atTime(key *cosignature.Key, secret ed25519.PrivateKey, seconds uint64) note.Signer {
	return &timeless{key.Verifier(), secret, seconds}
}

type timeless struct {
	*cosignature.Verifier
	secret  ed25519.PrivateKey
	seconds uint64
}

func (s *timeless) Sign(text []byte) ([]byte, error) {
	return signAt(s.secret, s.seconds, text), nil
}

// refusalOf returns why the witness has refused.
func refusalOf(err error) (refusal *witness.RefusalError, restored bool) {
	refusal, _ = errors.AsType[*witness.RefusalError](err)
	_, restored = errors.AsType[*witness.RestoredError](err)
	return refusal, restored
}
