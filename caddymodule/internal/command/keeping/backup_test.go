package keeping_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/backup"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// backUp backs a trail up into a folder, and returns the file.
func backUp(t *testing.T, s *caddytest.Site, folder string) string {
	t.Helper()
	out, errs, err := caddytest.AuditCommand("backup", "--store", "sqlite:"+s.Store, "--to", folder)
	if err != nil || !strings.Contains(out, "verified") || !strings.Contains(errs, "private key") {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	file, _, _ := strings.Cut(out, " holds ")
	return file
}

// TestABackupIsMadeWhileTheGatewayWrites: it is one moment of the trail, verifies, and is for its
// owner alone. The gateway shows when it was made.
func TestABackupIsMadeWhileTheGatewayWrites(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	if got := s.Metric("wsfev1_audit_backup_timestamp_seconds"); got != "" {
		t.Errorf("before the first backup: %s", got)
	}
	before := caddytest.SizeOf(t, s.Store)
	var clients sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					s.Post("FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`)
				}
			}
		})
	}
	caddytest.Eventually(t, "records are written", func() bool { return caddytest.SizeOf(t, s.Store) > before+20 })
	file := backUp(t, s, t.TempDir())
	at := caddytest.SizeOf(t, s.Store)
	caddytest.Eventually(t, "the gateway goes on", func() bool { return caddytest.SizeOf(t, s.Store) > at })
	close(done)
	clients.Wait()
	for _, path := range []string{file, backup.ManifestOf(file)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 2 {
		t.Errorf("in the folder: %v, %v", left, err)
	}
	if out, _, err := caddytest.AuditCommand("verify", "--store", "sqlite:"+file); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if got := caddytest.SizeOf(t, file); got <= before+20 || got > at {
		t.Errorf("%d records, of %d to %d", got, before+20, at)
	}
	made, known := backup.MadeAt(s.Store)
	if got := s.Metric("wsfev1_audit_backup_timestamp_seconds"); !known || time.Since(made) > time.Minute || got == "" {
		t.Errorf("made at %v, the gateway shows %q", made, got)
	}
	missing := filepath.Join(t.TempDir(), "unmounted")
	if _, _, err := caddytest.AuditCommand("backup", "--store", "sqlite:"+s.Store, "--to", missing+"/"); err == nil || !strings.Contains(err.Error(), "there is no folder "+missing) {
		t.Errorf("into a folder that is not there: %v", err)
	}
	// A name that is taken stays what it is.
	if _, _, err := caddytest.AuditCommand("backup", "--store", "sqlite:"+s.Store, "--to", file); err == nil || !strings.Contains(err.Error(), "stays as it is") {
		t.Errorf("onto a backup: %v", err)
	}
}

// TestABackupIsRestored into an empty place, where its gateway goes on, and over a trail by force.
func TestABackupIsRestored(t *testing.T) {
	next := caddytest.WithBackend(t)
	s := caddytest.Start(t, next, "replay on")
	code := s.Post("FECAESolicitar", caddytest.Invoice(1)).At(t, "/FeDetResp/FECAEDetResponse/0/CAE")
	file := backUp(t, s, t.TempDir())
	restore := func(more ...string) (string, error) {
		out, errs, err := caddytest.AuditCommand(append([]string{"restore", "--from", file, "--store", "sqlite:" + s.Store}, more...)...)
		return out + errs, err
	}
	if _, err := restore("--force"); err == nil || !strings.Contains(err.Error(), "another process writes this trail") {
		t.Errorf("under a gateway: %v", err)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := restore(); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("over a trail: %v", err)
	}
	said, err := restore("--force")
	if err != nil || !strings.Contains(said, ".replaced-") || !strings.Contains(said, "verified") {
		t.Fatalf("%v\n%s", err, said)
	}
	if aside, err := filepath.Glob(s.Store + ".replaced-*Z"); err != nil || len(aside) != 1 || caddytest.SizeOf(t, aside[0]) != 2 {
		t.Errorf("aside: %v, %v", aside, err)
	}
	if info, err := os.Stat(s.Store); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	s.Load(s.Config(s.WithAudit("replay on"), next))
	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
	if got.At(t, "/FeDetResp/FECAEDetResponse/0/CAE") != code || got.Header.Get("Wsfev1-Outcome") != "replayed" {
		t.Errorf("%v %s", got.Header, got.Body)
	}
}

// TestCopiedFilesAreRestoredWhole: a gateway that has died leaves records in the write-ahead log alone.
func TestCopiedFilesAreRestoredWhole(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	from, to := filepath.Join(t.TempDir(), "audit.db"), filepath.Join(t.TempDir(), "audit.db")
	for source, copied := range map[string]string{s.Store: from, s.Store + "-wal": from + "-wal", s.Store + ".key": to + ".key"} {
		content, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, err := caddytest.AuditCommand("restore", "--from", from, "--store", "sqlite:"+to)
	if err != nil || !strings.Contains(out, "with 2 records, verified") || caddytest.SizeOf(t, to) != 2 {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
	if out, _, err := caddytest.AuditCommand("verify", "--store", "sqlite:"+to); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestABackupThatDoesNotHoldIsNotPutInPlace.
func TestABackupThatDoesNotHoldIsNotPutInPlace(t *testing.T) {
	s, _ := caddytest.StoppedTrail(t)
	file := backUp(t, s, t.TempDir())
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(s.Store + ".key")
	if err != nil {
		t.Fatal(err)
	}
	write := func(path string, content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		change func(store string)
		want   string
	}{
		"the key is not there": {func(string) {}, "put it there first"},
		"another key": {func(store string) {
			write(store+".key", []byte(caddytest.NewKey(t, "another").Private()+"\n"))
		}, "put the one it began with there"},
		"another file": {func(store string) {
			write(store+".key", key)
			write(file, append(slices.Clip(content), 0))
		}, "SHA-256"},
		"not a trail": {func(store string) {
			write(store+".key", key)
			write(file, []byte("nothing"))
		}, "not a SQLite database"},
	} {
		t.Run(name, func(t *testing.T) {
			write(file, content)
			store := filepath.Join(t.TempDir(), "audit.db")
			c.change(store)
			_, _, err := caddytest.AuditCommand("restore", "--from", file, "--store", "sqlite:"+store)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if _, err := os.Stat(store); err == nil {
				t.Error("something was put in place")
			}
		})
	}
	write(file, content)
	caddytest.Tamper(t, file, "UPDATE segments SET summaries = zeroblob(40) WHERE id = (SELECT max(id) FROM segments)")
	if err := os.Remove(backup.ManifestOf(file)); err != nil {
		t.Fatal(err)
	}
	_, _, err = caddytest.AuditCommand("restore", "--from", file, "--store", "sqlite:"+filepath.Join(t.TempDir(), "audit.db"), "--key-elsewhere")
	if err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a changed record: %v", err)
	}
}

// TestADatabaseIsBackedUpByItsOwnTools.
func TestADatabaseIsBackedUpByItsOwnTools(t *testing.T) {
	for _, words := range []string{"backup --to " + t.TempDir(), "restore --from " + filepath.Join(t.TempDir(), "file")} {
		_, _, err := caddytest.AuditCommand(append(strings.Fields(words), "--store", "postgres://edge-1@127.0.0.1:1/invoices")...)
		if err == nil || !strings.Contains(err.Error(), "pg_dump") || !strings.Contains(err.Error(), "audit verify") {
			t.Errorf("%s: %v", words, err)
		}
	}
}
