package keeping_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const caeOf = "/FeDetResp/FECAEDetResponse/0/CAE"

// goOn lets the gateway of a stopped site go on, and returns the new log.
func goOn(t *testing.T, store string, more ...string) string {
	t.Helper()
	out, errs, err := caddytest.AuditCommand(append([]string{"continue-after-restore", "--store", store, "--reason", "the disk has failed"}, more...)...)
	_, rest, found := strings.Cut(out, "goes on in the log ")
	if log, _, named := strings.Cut(rest, ", "); err == nil && found && named {
		return log
	}
	t.Fatalf("%v\n%s%s", err, out, errs)
	return ""
}

// addresses returns the addresses of all records of a file.
func addresses(t *testing.T, file string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	out, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+file, "--format", "json")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out) {
		var record struct {
			Log   string `json:"log"`
			Index uint64 `json:"index"`
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		all[audit.Address(record.Log, record.Index)] = true
	}
	return all
}

// wantVerified checks that the gateway's key verifies both logs of a restored trail, each with a checkpoint of its own that was kept.
func wantVerified(t *testing.T, store, key string, logs ...string) {
	t.Helper()
	for _, of := range logs {
		file := filepath.Join(t.TempDir(), "kept")
		out, _, err := caddytest.AuditCommand("checkpoint", "--store", "sqlite:"+store, "--log", of)
		if err == nil {
			err = os.WriteFile(file, []byte(out), 0o600)
		}
		if err == nil {
			out, _, err = caddytest.AuditCommand("verify", "--store", "sqlite:"+store, "--key", key, "--checkpoint", file)
		}
		if err != nil || strings.Count(out, "sound: ") != len(logs) || strings.Count(out, "the checkpoint that was kept") != 1 {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestAnOlderCopyDoesNotStartSilently: the start names both sizes. After the command the gateway goes on
// in a new log, gives what was issued meanwhile to who asks again, and no address twice.
func TestAnOlderCopyDoesNotStartSilently(t *testing.T) {
	next := caddytest.WithBackend(t)
	options := []string{"replay on", "recover within 1200ms"}
	s := caddytest.Start(t, next, options...)
	config := s.Config(s.WithAudit(options...), next)
	codes := map[int]string{1: s.Post("FECAESolicitar", caddytest.Invoice(1)).At(t, caeOf)}
	file := backUp(t, s, t.TempDir())
	for _, number := range []int{2, 3} {
		codes[number] = s.Post("FECAESolicitar", caddytest.Invoice(number)).At(t, caeOf)
	}
	log := s.Last().Log
	note, _, err := caddytest.AuditCommand("checkpoint", "--store", "sqlite:"+s.Store)
	kept := filepath.Join(t.TempDir(), "kept")
	if err = errors.Join(err, os.WriteFile(kept, []byte(note), 0o600)); err != nil {
		t.Fatal(err)
	}
	stop := func() {
		t.Helper()
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	restore := func() (aside string) {
		t.Helper()
		stop()
		before, _ := filepath.Glob(s.Store + ".replaced-*Z")
		for _, old := range before {
			if err := os.Rename(old, old+".kept"); err != nil { // a second one may come in the same second
				t.Fatal(err)
			}
		}
		if out, errs, err := caddytest.AuditCommand("restore", "--from", file, "--store", "sqlite:"+s.Store, "--force"); err != nil {
			t.Fatalf("%v\n%s%s", err, out, errs)
		}
		found, err := filepath.Glob(s.Store + ".replaced-*Z")
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v", found, err)
		}
		return found[0]
	}
	lost := addresses(t, restore())
	err = caddytest.LoadCaddyfile(config)
	if err == nil || !strings.Contains(err.Error(), "has 2 records, and had 6") || !strings.Contains(err.Error(), "continue-after-restore") {
		t.Fatalf("an older copy: %v", err)
	}
	wantUngrown := func(log, why string) {
		t.Helper()
		_, _, err := caddytest.AuditCommand("hold", "add", "--store", "sqlite:"+s.Store, "--log", log, "--cuit", "20111111112", "--admin", caddytest.FreeAddress(t))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("a command adds to the log: %v", err)
		}
	}
	wantUngrown(log, "had 6")
	newer := goOn(t, "sqlite:"+s.Store)
	wantUngrown(log, "goes on in the log")
	s.Load(config)
	for _, c := range []struct {
		number  int
		outcome string
	}{{2, "recovered"}, {1, "replayed"}, {3, "recovered"}, {2, "replayed"}, {4, "approved"}} {
		got := s.Post("FECAESolicitar", caddytest.Invoice(c.number))
		code := got.At(t, caeOf)
		if code == "" || codes[c.number] != "" && codes[c.number] != code || got.Header.Get("Wsfev1-Outcome") != c.outcome ||
			!strings.HasPrefix(got.Header.Get("Wsfev1-Record"), newer+"/") {
			t.Errorf("invoice %d: %v %s, want %s in %s", c.number, got.Header, got.Body, codes[c.number], newer)
		}
	}
	for address := range addresses(t, s.Store) {
		if lost[address] && address != log+"/0" && address != log+"/1" {
			t.Errorf("the address %s was given twice", address)
		}
	}
	folder := filepath.Join(t.TempDir(), "invoice-2")
	_, said, err := caddytest.AuditCommand("evidence", "--store", "sqlite:"+s.Store, "--cuit", "20111111112", "--pto-vta", "1", "--cbte-tipo", "6", "--nro", "2", "--output", folder)
	_, key, _ := strings.Cut(strings.TrimSpace(said), " --key ")
	if out, _, failed := caddytest.AuditCommand("verify", "--export", folder, "--key", key); err != nil || failed != nil || !strings.HasPrefix(out, "sound: ") {
		t.Errorf("evidence of both logs: %v %v\n%s%s", err, failed, said, out)
	}
	wantVerified(t, s.Store, key, log, newer)
	first := strings.Join(s.Search("--log", newer, "--kind", "access"), "")
	if out, _, err := caddytest.AuditCommand("show", "--store", "sqlite:"+s.Store, newer+"/0"); err != nil ||
		!strings.Contains(out, "had 6 records") || !strings.Contains(out, "has 2 here") || !strings.Contains(out, "the disk has failed") || first == "" {
		t.Errorf("%v\n%s%s", err, out, first)
	}
	stop()
	for _, name := range []string{log, newer} {
		if out, _, err := caddytest.AuditCommand("verify", "--store", "sqlite:"+s.Store, "--log", name); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		export := caddytest.Exported(t, "sqlite:"+s.Store, "--log", name)
		if said, sound := caddytest.Python(t, caddytest.KeyOf(t, export), export); !sound {
			t.Errorf("another program, of %s: %s", name, said)
		}
	}
	if _, _, err := caddytest.AuditCommand("continue-after-restore", "--store", "sqlite:"+s.Store, "--reason", "again"); err == nil || !strings.Contains(err.Error(), "nothing shows") {
		t.Errorf("nothing is missing: %v", err)
	}
	// The same copy once more: neither log is begun again.
	s.Load(config)
	restore()
	if err := caddytest.LoadCaddyfile(config); err == nil || !strings.Contains(err.Error(), "has 2 records, and had 6") {
		t.Fatalf("the copy once more: %v", err)
	}
	// Where nothing stands beside the key, a checkpoint that was kept elsewhere shows it.
	if err := os.Remove(s.Store + ".key." + log + ".tip"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := caddytest.AuditCommand("continue-after-restore", "--store", "sqlite:"+s.Store, "--reason", "again"); err == nil || !strings.Contains(err.Error(), "nothing shows") {
		t.Errorf("nothing beside the key: %v", err)
	}
	caddytest.Eventually(t, "another second has come, and with it another name", func() bool {
		return time.Now().UTC().Format("20060102T150405Z") != newer[strings.LastIndex(newer, ".")+1:]
	})
	if another := goOn(t, "sqlite:"+s.Store, "--checkpoint", kept); another == newer {
		t.Errorf("the log %s was begun again", newer)
	}
}

// TestAHoldEndsAfterARestoration: the log that has it has ended too, and the end is recorded in the one that goes on.
func TestAHoldEndsAfterARestoration(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	store, elsewhere := "sqlite:"+s.Store, caddytest.FreeAddress(t)
	run := func(line string) string {
		t.Helper()
		out, errs, err := caddytest.AuditCommand(append(strings.Fields(line), "--store", store)...)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return out + errs
	}
	stop := func() {
		t.Helper()
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	config := s.Config(s.WithAudit(), caddytest.WithBackend(t))
	stop()
	run("hold add --cuit 20111111112 --admin " + elsewhere)
	file := filepath.Join(t.TempDir(), "backup.db")
	run("backup --to " + file)
	s.Load(config)
	s.Post("FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`)
	stop()
	run("restore --force --from " + file)
	newer := goOn(t, store)
	if said := run("hold remove --cuit 20111111112 --admin " + elsewhere); said != "no issuer is held\n" {
		t.Errorf("%s", said)
	}
	if out := run("search --kind access --outcome release --format json"); !strings.Contains(out, `"log":"`+newer+`"`) {
		t.Errorf("%s", out)
	}
	run("verify")
}
