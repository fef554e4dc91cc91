package caddymodule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	auditpostgres "github.com/fielato/fielato/audit/postgres"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// setClockBack: the machine's clock was an hour ahead when a power cut came between the service's
// answer and its record, and is right again when the machine starts. The clock of a process cannot
// be set, so that the trail is written anew with times an hour later, and without that record.
func setClockBack(s *scene) {
	s.issue(2)
	s.gateway.Kill()
	k, shared := s.kept.(*keptInServer)
	if shared { // the claim of the gateway keeps others from writing
		k.cluster.Exec(s.T, k.database, "UPDATE audit_leases SET expires = 0 WHERE name LIKE 'write %'")
	}
	s.lead(time.Hour)
	if shared { // the server's clock was ahead as well
		k.cluster.Exec(s.T, k.database, `UPDATE audit_leases SET expires = (extract(epoch FROM now() + INTERVAL '1 hour 15 seconds') * 1000000)::INT8
			WHERE name LIKE 'write %'; UPDATE audit_series SET expires = expires + INTERVAL '1 hour' WHERE held`)
	}
	s.disaster()
	s.follow("troubleshooting.md", "The clock was set back")
	s.step("Nothing has to be done", "start", s.start)
	s.good()
}

// lead writes a trail anew, with a clock that is ahead and without its last record.
func (s *scene) lead(ahead time.Duration) {
	s.T.Helper()
	log, records := s.records()
	last := len(records) - 1
	if r := records[last]; r.Kind != audit.KindOutcome || r.Outcome != "approved" {
		s.T.Fatalf("the last record is no outcome: %+v", r)
	}
	s.kept.clear()
	tips, err := filepath.Glob(s.kept.key() + ".*.tip")
	s.no(err)
	for _, tip := range tips {
		s.no(os.Remove(tip))
	}
	text, err := os.ReadFile(s.kept.key())
	s.no(err)
	key, err := audit.ParseKey(strings.TrimSpace(string(text)))
	s.no(err)
	store := s.kept.open()
	defer store.Close()
	w, err := audit.Open(s.T.Context(), store, log, key, audit.Options{First: true})
	s.no(err)
	for _, r := range records[:last] {
		r.Time = r.Time.Add(ahead)
		_, err := w.Append(s.T.Context(), r)
		s.no(err)
	}
	s.no(w.Close())
}

// records returns the name and the records of the only log.
func (s *scene) records() (log string, records []*audit.Record) {
	s.T.Helper()
	store := s.kept.open()
	defer store.Close()
	logs, err := store.Logs(s.T.Context())
	if s.no(err); len(logs) != 1 {
		s.T.Fatalf("logs: %v", logs)
	}
	for piece, err := range store.Scan(s.T.Context(), logs[0], 0) {
		s.no(err)
		forms, err := piece.Unpack()
		s.no(err)
		for _, form := range forms {
			r, err := audit.Decode(form)
			s.no(err)
			records = append(records, r)
		}
	}
	return logs[0], records
}

func (k *keptInFile) open() audit.Store {
	k.T.Helper()
	store, err := auditsqlite.Open(k.path)
	k.no(err)
	return store
}

func (k *keptInFile) clear() {
	for _, table := range []string{"segments", "checkpoints"} {
		caddytest.Tamper(k.T.(*testing.T), k.path, "DELETE FROM "+table)
	}
}

func (k *keptInServer) open() audit.Store {
	k.T.Helper()
	store, err := auditpostgres.Open(k.T.Context(), k.cluster.DSN(k.database), auditpostgres.Options{})
	k.no(err)
	return store
}

func (k *keptInServer) clear() {
	k.cluster.Exec(k.T, k.database, "TRUNCATE audit_segments, audit_blocks, audit_postings, audit_runs, audit_lists, audit_tiles, audit_checkpoints")
}
