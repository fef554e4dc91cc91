package publiclog_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestTilesAreThoseOfAnIndependentComputation by x/mod, from the records: at sizes where tiles and levels begin and
// end. Nothing is there that the log has not reached.
func TestTilesAreThoseOfAnIndependentComputation(t *testing.T) {
	p, size := newPlace(t, 0), 0
	for _, more := range []int{0, 1, 254, 1, 1, 256, 65_536 - 513 - 2, 1 + 2, 1} {
		p.grow(more)
		size += more
		p.serve()
		wantTree(t, p, size)
	}
}

// wantTree fails the test unless the whole tree is served.
func wantTree(t *testing.T, p *place, size int) {
	t.Helper()
	stored, leaves := p.leaves()
	_, at := p.checkpoint()
	root, err := tlog.TreeHash(int64(size), stored)
	if err != nil || len(leaves) != size || at.Size != uint64(size) || at.Root != root {
		t.Fatalf("%d records: the checkpoint has %d and %s, want %s (%v)", len(leaves), at.Size, at.Root, root, err)
	}
	last := map[int]tlog.Tile{}
	for _, tile := range tlog.NewTiles(audit.TileHeight, 0, int64(size)) {
		wantTile(t, p, stored, tile)
		last[tile.L] = tile
	}
	for level := range 4 {
		tile, there := last[level]
		if !there {
			tile = tlog.Tile{H: audit.TileHeight, L: level}
		}
		for _, width := range []int{1, tile.W / 2, tile.W - 1} {
			if smaller := tile; width > 0 && width < tile.W {
				smaller.W = width
				wantTile(t, p, stored, smaller)
			}
		}
		wantNoTile(t, p, level, tile)
	}
}

func wantTile(t *testing.T, p *place, stored hashes, tile tlog.Tile) {
	t.Helper()
	want, err := tlog.ReadTileData(tile, stored)
	if err != nil {
		t.Fatal(err)
	}
	got := p.get(pathOf(tile))
	if got.Status != http.StatusOK || !bytes.Equal(got.Body, want) || got.Header.Get("Content-Type") != "application/octet-stream" ||
		got.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Fatalf("%s: %d, %d bytes, %v", pathOf(tile), got.Status, len(got.Body), got.Header)
	}
}

// wantNoTile fails the test if the level has more than this last tile.
func wantNoTile(t *testing.T, p *place, level int, last tlog.Tile) {
	t.Helper()
	full, next := last, last
	full.W = 1 << audit.TileHeight
	next.N++
	absent := []string{pathOf(next)}
	if last.W < full.W {
		absent = append(absent, pathOf(full))
		if last.W++; last.W < full.W {
			absent = append(absent, pathOf(last))
		}
	}
	next.W, next.N = 1, 1<<40
	for _, path := range append(absent, pathOf(next)) {
		if got := p.get(path); got.Status != http.StatusNotFound || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("level %d: %s: %d %q", level, path, got.Status, got.Body)
		}
	}
}

// TestTheTreeStaysWhenContentIsPurged.
func TestTheTreeStaysWhenContentIsPurged(t *testing.T) {
	p := newPlace(t, 300)
	_, before := p.leaves()
	if out, errs, err := caddytest.AuditCommand("purge", "--store", "sqlite:"+p.Store, "--before", "2026-01", "--yes"); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	p.serve()
	_, at := p.checkpoint()
	if at.Size != 301 {
		t.Fatalf("the purge is not recorded: %d records", at.Size)
	}
	wantTree(t, p, 301)
	want := make([]byte, 0, audit.TileBytes)
	for _, leaf := range before[:audit.TileWidth] {
		want = append(want, leaf[:]...)
	}
	if got := p.get("tile/0/000"); !bytes.Equal(got.Body, want) {
		t.Error("a purge has changed hashes of leaves")
	}
}

// TestHashesTellNothingOfRecords: two logs of the same records have no hash in common, as each record has a salt.
func TestHashesTellNothingOfRecords(t *testing.T) {
	seen := map[string]string{}
	for i := range 2 {
		p := newPlace(t, 300)
		p.serve()
		for _, path := range []string{"tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1"} {
			body := p.get(path).Body
			for n := 0; n < len(body); n += tlog.HashSize {
				at := fmt.Sprintf("log %d, %s, hash %d", i, path, n/tlog.HashSize)
				if other, known := seen[string(body[n:n+tlog.HashSize])]; known {
					t.Fatalf("%s is %s", at, other)
				}
				seen[string(body[n:n+tlog.HashSize])] = at
			}
		}
	}
}
