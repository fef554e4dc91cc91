package caddytest

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
	"github.com/fielato/fielato/internal/audittest"
)

func init() { caddy.RegisterModule(new(failingStore)) }

// failingStore is a store in memory that fails while it is told to.
type failingStore struct{}

// Disk is the store of the test at hand.
var Disk struct {
	sync.Mutex // guards what follows
	Memory     *audittest.Memory
	Faulty     audit.Store // takes the records in place of Memory, unless it is nil
	broken     bool
	NoSettings bool // settings are refused, records are not
	folder     string
}

// ErrDisk is the error of a broken disk.
var ErrDisk = errors.New("no space left on device")

func (*failingStore) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1.stores.failing", New: func() caddy.Module { return new(failingStore) }}
}

func (*failingStore) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { d.Next(); return nil }

func (*failingStore) Key() string { return "failing" }

func (*failingStore) Address() string { return "failing" }

func (*failingStore) LogName() string { return "" }

func (*failingStore) KeyFile() string {
	Disk.Lock()
	defer Disk.Unlock()
	return filepath.Join(Disk.folder, "failing.key")
}

func (*failingStore) OpenStore(context.Context, *audit.ContentKey) (audit.Store, error) {
	Disk.Lock()
	defer Disk.Unlock()
	return &diskStore{Store: Disk.Memory}, nil
}

type diskStore struct{ audit.Store }

func (s *diskStore) Commit(ctx context.Context, batch audit.Batch) error {
	Disk.Lock()
	defer Disk.Unlock()
	if Disk.broken {
		return ErrDisk
	}
	if Disk.Faulty != nil {
		return Disk.Faulty.Commit(ctx, batch)
	}
	return s.Store.Commit(ctx, batch)
}

func (s *diskStore) Head(ctx context.Context, log string) (audit.Head, error) {
	Disk.Lock()
	defer Disk.Unlock()
	if Disk.Faulty != nil {
		return Disk.Faulty.Head(ctx, log)
	}
	return s.Store.Head(ctx, log)
}

func (s *diskStore) SetSetting(ctx context.Context, name string, value []byte) error {
	Disk.Lock()
	defer Disk.Unlock()
	if Disk.broken || Disk.NoSettings {
		return ErrDisk
	}
	return s.Store.SetSetting(ctx, name, value)
}

func (s *diskStore) Close() error { return nil }

// BreakDisk breaks the store of StartFailing, or mends it.
func BreakDisk(broken bool) {
	Disk.Lock()
	defer Disk.Unlock()
	Disk.broken = broken
}

// StartFailing runs a gateway on a store that can be broken.
func StartFailing(t *testing.T, next string, block ...string) *Site {
	t.Helper()
	Disk.Lock()
	Disk.Memory, Disk.Faulty, Disk.broken, Disk.folder = audittest.NewMemory(), nil, false, t.TempDir()
	Disk.Unlock()
	s := NewSite(t)
	s.Load(s.Config("audit failing {\n"+strings.Join(block, "\n")+"\n}", next))
	return s
}

// Kept returns the records in memory, oldest first, and verifies the trail.
func Kept(t *testing.T) []*audit.Record {
	t.Helper()
	Disk.Lock()
	defer Disk.Unlock()
	name, err := Disk.Memory.Secret(t.Context(), "log-name", func() ([]byte, error) { return nil, ErrDisk })
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := Disk.Memory.Secret(t.Context(), "verifier-key", func() ([]byte, error) { return nil, ErrDisk })
	if err != nil {
		t.Fatal(err)
	}
	audittest.VerifyWith(t, Disk.Memory, string(name), string(verifier))
	head, err := Disk.Memory.Head(t.Context(), string(name))
	if err != nil {
		t.Fatal(err)
	}
	var records []*audit.Record
	for index := range head.Size {
		r, err := Disk.Memory.Get(t.Context(), string(name), index)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// SearchPanics has the failing store panic while it is searched.
var SearchPanics atomic.Bool

func (s *diskStore) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	if SearchPanics.Load() {
		panic("a search with " + Token)
	}
	return s.Store.Search(ctx, query)
}
