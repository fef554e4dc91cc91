package publiclog_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
)

// logName is the log of caddytest.KeptTrail.
const logName = "gateway-1"

// place is a gateway's trail, and the site that serves it.
type place struct {
	*caddytest.Site
	// log is the prefix of the log, as a client is given it.
	log string
}

// newPlace makes a trail of some records, written as a gateway writes them: all are alike but for their salts. It
// is not served yet.
func newPlace(t *testing.T, records int) *place {
	t.Helper()
	var all []*audit.Record
	for range records {
		all = append(all, &audit.Record{Kind: audit.KindExchange, Operation: "FEDummy"})
	}
	kept := caddytest.KeptTrail(t, all...)
	p := &place{Site: caddytest.NewSite(t)}
	p.Store, p.log = kept.Store, p.URL+"/log/"+logName+"/"
	return p
}

// grow stops the gateway, and appends records to the trail in few commits.
func (p *place) grow(records int) {
	p.T.Helper()
	if err := caddy.Stop(); err != nil {
		p.T.Fatal(err)
	}
	store, err := auditsqlite.Open(p.Store)
	if err != nil {
		p.T.Fatal(err)
	}
	defer store.Close()
	var all []*audit.Record
	for range records {
		r := &audit.Record{Kind: audit.KindExchange, Operation: "FEDummy"}
		_, _ = rand.Read(r.Salt[:]) // it never fails
		all = append(all, r)
	}
	for len(all) > 0 {
		some := all[:min(len(all), 10_000)]
		all = all[len(some):]
		if err := store.Commit(p.T.Context(), audittest.Seal(p.T, store, logName, some...)); err != nil {
			p.T.Fatal(err)
		}
	}
}

// serve starts a gateway on the trail, with these options of its audit block.
func (p *place) serve(options ...string) {
	p.T.Helper()
	p.Load(p.Config(p.WithAudit(options...), "wsfev1_log\n\t"+caddytest.WithBackend(p.T)))
}

// get asks for a path below the log's prefix.
func (p *place) get(path string, header ...string) caddytest.Response {
	p.T.Helper()
	return p.do(http.MethodGet, p.log+path, header...)
}

func (p *place) do(method, url string, header ...string) caddytest.Response {
	p.T.Helper()
	r, err := http.NewRequestWithContext(p.T.Context(), method, url, nil)
	if err != nil {
		p.T.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got, err := caddytest.Try(r)
	if err != nil {
		p.T.Fatal(err)
	}
	return got
}

// verifier is the public key of the log.
func (p *place) verifier() string {
	p.T.Helper()
	return audittest.Key(p.T, logName).Verifier()
}

// checkpoint reads the served checkpoint, and verifies it.
func (p *place) checkpoint() (signed []byte, at audit.Checkpoint) {
	p.T.Helper()
	got := p.get("checkpoint")
	at, err := audit.OpenCheckpoint(got.Body, p.verifier())
	if err != nil || got.Status != http.StatusOK {
		p.T.Fatalf("the checkpoint: %d, %v\n%s", got.Status, err, got.Body)
	}
	return got.Body, at
}

// leaves computes the leaf hashes of the log from its records, as another program keeps them: with the hashes of
// all subtrees, in the order of x/mod.
func (p *place) leaves() (stored hashes, leaves []tlog.Hash) {
	p.T.Helper()
	store, err := auditsqlite.OpenReader(p.Store)
	if err != nil {
		p.T.Fatal(err)
	}
	defer store.Close()
	for piece, err := range store.Scan(p.T.Context(), logName, 0) {
		if err != nil {
			p.T.Fatal(err)
		}
		forms, err := piece.Unpack()
		if err != nil {
			p.T.Fatal(err)
		}
		for _, form := range forms {
			leaf := form.Leaf()
			more, err := tlog.StoredHashesForRecordHash(int64(len(leaves)), leaf, stored)
			if err != nil {
				p.T.Fatal(err)
			}
			stored, leaves = append(stored, more...), append(leaves, leaf)
		}
	}
	return stored, leaves
}

// hashes are those of all whole subtrees.
type hashes []tlog.Hash

// ReadHashes implements tlog.HashReader.
func (h hashes) ReadHashes(indexes []int64) (all []tlog.Hash, err error) {
	for _, i := range indexes {
		if i >= int64(len(h)) {
			return nil, fmt.Errorf("there is no hash %d", i)
		}
		all = append(all, h[i])
	}
	return all, nil
}

// pathOf is the path of a tile as C2SP has it: x/mod writes the height into it.
func pathOf(tile tlog.Tile) string {
	return strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", audit.TileHeight), "tile/", 1)
}
