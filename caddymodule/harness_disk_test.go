package caddymodule_test

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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

func (*failingStore) Key() string { return "failing" }

func (*failingStore) Address() string { return "failing" }

func (*failingStore) LogName() string { return "" }

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

// searchPanics has the failing store panic while it is searched.
var searchPanics atomic.Bool

func (s *diskStore) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	if searchPanics.Load() {
		panic("a search with " + token)
	}
	return s.Store.Search(ctx, query)
}
