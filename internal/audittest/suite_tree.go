package audittest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/fielato/fielato/audit"
)

func checkpointAlone(t *testing.T, open Open) {
	s := open(t)
	first := Seal(t, s, logName)
	if err := s.Commit(t.Context(), first); err != nil {
		t.Fatalf("checkpoint of an empty log: %v", err)
	}
	check(t, s, logName, nil)
	r := NewSource(8).Issue(1)
	must(t, s, logName, 0, r)
	if err := s.Commit(t.Context(), first); !errors.Is(err, audit.ErrConflict) {
		t.Errorf("a checkpoint over a size that the log has passed: %v, want ErrConflict", err)
	}
	if err := s.Commit(t.Context(), Seal(t, s, logName)); err != nil {
		t.Fatalf("checkpoint of one record: %v", err)
	}
	s = reopen(t, s, open)
	defer closeStore(t, s)
	check(t, s, logName, []*audit.Record{r})
}

func tilesOfEachLevel(t *testing.T, open Open) {
	s := open(t)
	batch := Seal(t, s, logName, NewSource(9).Issue(1))
	batch.Tiles = nil
	for level := range 5 {
		for n := range uint64(3) {
			hashes := bytes.Repeat([]byte{byte(level), byte(n)}, audit.TileBytes/2)
			batch.Tiles = append(batch.Tiles, audit.Tile{Level: level, N: n, Hashes: hashes})
		}
	}
	if err := s.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s, open)
	defer closeStore(t, s)
	for _, tile := range batch.Tiles {
		if got, err := s.Tile(t.Context(), logName, tile.Level, tile.N); err != nil || !bytes.Equal(got, tile.Hashes) {
			t.Errorf("tile %d/%d: %v, or other hashes", tile.Level, tile.N, err)
		}
	}
	for _, log := range []string{logName, "another"} {
		if _, err := s.Tile(t.Context(), log, 1, 3); !errors.Is(err, audit.ErrNotFound) {
			t.Errorf("a tile that is not there, of %s: %v, want ErrNotFound", log, err)
		}
		if _, err := s.Leaves(t.Context(), log, 0, 2); !errors.Is(err, audit.ErrNotFound) {
			t.Errorf("leaf hashes that are not there, of %s: %v, want ErrNotFound", log, err)
		}
	}
}
