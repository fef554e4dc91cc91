package caddymodule_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/audittest"
)

func init() { caddy.RegisterModule(new(failingStore)) }

// failingStore is a store in memory that fails while it is told to.
type failingStore struct{}

// disk is what the store of the test at hand writes to.
var disk struct {
	sync.Mutex // guards what follows
	memory     *audittest.Memory
	faulty     audit.Store // what is written to in place of memory, nil: memory
	broken     bool
	noSettings bool // settings are refused, records are not
	folder     string
}

var errDisk = errors.New("no space left on device")

func (*failingStore) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1.stores.failing", New: func() caddy.Module { return new(failingStore) }}
}

func (*failingStore) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { d.Next(); return nil }
func (*failingStore) Key() string                                     { return "failing" }
func (*failingStore) Address() string                                 { return "failing" }
func (*failingStore) LogName() string                                 { return "" }

func (*failingStore) KeyFile() string {
	disk.Lock()
	defer disk.Unlock()
	return filepath.Join(disk.folder, "failing.key")
}

func (*failingStore) OpenStore(context.Context, *audit.ContentKey) (audit.Store, error) {
	disk.Lock()
	defer disk.Unlock()
	return &diskStore{Store: disk.memory}, nil
}

type diskStore struct{ audit.Store }

func (s *diskStore) Commit(ctx context.Context, batch audit.Batch) error {
	disk.Lock()
	defer disk.Unlock()
	if disk.broken {
		return errDisk
	}
	if disk.faulty != nil {
		return disk.faulty.Commit(ctx, batch)
	}
	return s.Store.Commit(ctx, batch)
}

func (s *diskStore) Head(ctx context.Context, log string) (audit.Head, error) {
	disk.Lock()
	defer disk.Unlock()
	if disk.faulty != nil {
		return disk.faulty.Head(ctx, log)
	}
	return s.Store.Head(ctx, log)
}

func (s *diskStore) SetSetting(ctx context.Context, name string, value []byte) error {
	disk.Lock()
	defer disk.Unlock()
	if disk.broken || disk.noSettings {
		return errDisk
	}
	return s.Store.SetSetting(ctx, name, value)
}

func (s *diskStore) Close() error { return nil }

func refuseSettings(refused bool) {
	disk.Lock()
	defer disk.Unlock()
	disk.noSettings = refused
}

func breakDisk(broken bool) {
	disk.Lock()
	defer disk.Unlock()
	disk.broken = broken
}

// startFailing runs a gateway on a store that can be broken.
func startFailing(t *testing.T, next string, block ...string) *site {
	t.Helper()
	disk.Lock()
	disk.memory, disk.faulty, disk.broken, disk.folder = audittest.NewMemory(), nil, false, t.TempDir()
	disk.Unlock()
	s := start(t, next)
	s.load(s.config("audit failing {\n"+strings.Join(block, "\n")+"\n}", next))
	return s
}

// failAt makes the n-th commit from now on fail, counted from 1, none if fault is 0.
func failAt(n int, fault audittest.Fault) {
	disk.Lock()
	defer disk.Unlock()
	disk.faulty = nil
	if fault != 0 {
		disk.faulty = audittest.NewFaulty(disk.memory, map[int]audittest.Fault{n: fault})
	}
}

// kept returns the records in memory, oldest first, and verifies the trail.
func kept(t *testing.T) []*audit.Record {
	t.Helper()
	disk.Lock()
	defer disk.Unlock()
	name, err := disk.memory.Secret(t.Context(), "log-name", func() ([]byte, error) { return nil, errDisk })
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := disk.memory.Secret(t.Context(), "verifier-key", func() ([]byte, error) { return nil, errDisk })
	if err != nil {
		t.Fatal(err)
	}
	audittest.VerifyWith(t, disk.memory, string(name), string(verifier))
	head, err := disk.memory.Head(t.Context(), string(name))
	if err != nil {
		t.Fatal(err)
	}
	var records []*audit.Record
	for index := range head.Size {
		r, err := disk.memory.Get(t.Context(), string(name), index)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// TestWithoutATrailNothingPasses: no intent, no forward; no record, no answer.
func TestWithoutATrailNothingPasses(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	s := startFailing(t, proxyTo(upstream.URL))
	breakDisk(true)
	for _, request := range []struct{ operation, body string }{
		{"FECAESolicitar", invoice(1)},
		{"FECompTotXRequest", "{" + authText + "}"},
		{"FENada", "{}"},
	} {
		got := s.post(request.operation, request.body)
		if codes := got.codes(t); got.status != 503 || len(codes) != 1 || codes[0] != "audit.unavailable" {
			t.Errorf("%s: %d %v", request.operation, got.status, codes)
		}
		if got.header.Get("Retry-After") == "" || got.header.Get("Wsfev1-Record") != "" {
			t.Errorf("%s: header %v", request.operation, got.header)
		}
		if sent := strings.Contains(string(got.body), "no se envió"); sent == (request.operation == "FECompTotXRequest") {
			t.Errorf("%s says the wrong thing of what was sent: %s", request.operation, got.body)
		}
		if strings.Contains(string(got.body), "space left") {
			t.Errorf("%s: the inner error is outside: %s", request.operation, got.body)
		}
	}
	if n := upstream.hits.Load(); n > 1 {
		t.Errorf("%d requests went upstream; only the query may have", n)
	}
	breakDisk(false)
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 {
		t.Errorf("after the disk came back: %d %s", got.status, got.body)
	}
	if intents, outcomes := kinds(kept(t)); outcomes != 1 || intents != 1 {
		t.Errorf("%d intents and %d outcomes, want one of each", intents, outcomes)
	}
}

// TestAuthorisationIsNotLostWithTheDisk: the service has answered, the disk fails:
// the client gets its CAE, nothing else is issued until the record is written.
func TestAuthorisationIsNotLostWithTheDisk(t *testing.T) {
	upstream, arrived, release := holding(t)
	s := startFailing(t, proxyTo(upstream.URL))
	done := heldRequest(t, s, arrived)
	breakDisk(true)
	release()
	got := <-done
	if got.status != 200 || string(got.body) != approval {
		t.Fatalf("the client lost its CAE: %d %s", got.status, got.body)
	}
	if got.header.Get("Wsfev1-Record") != "" {
		t.Error("the answer names a record that is not there")
	}
	if value := s.metric("wsfev1_audit_pending_outcomes"); value != "1" {
		t.Errorf("pending outcomes: %s", value)
	}
	if next := s.post("FECAESolicitar", invoice(2)); next.status != 503 {
		t.Errorf("issued although an outcome is owed: %d", next.status)
	}
	breakDisk(false)
	if next := s.post("FECAESolicitar", invoice(2)); next.status != 200 {
		t.Errorf("after the disk came back: %d %s", next.status, next.body)
	}
	intents, outcomes := kinds(kept(t))
	if intents != 2 || outcomes != 2 {
		t.Errorf("%d intents and %d outcomes, want two of each", intents, outcomes)
	}
	if value := s.metric("wsfev1_audit_pending_outcomes"); value != "0" {
		t.Errorf("pending outcomes: %s", value)
	}
}
