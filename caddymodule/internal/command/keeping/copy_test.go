package keeping_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/command/keeping"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// same says of a copy whether commands print the same of it.
func same(t *testing.T, one, other string, commands ...string) {
	t.Helper()
	for _, command := range commands {
		words := strings.Fields(command)
		want, _, err := caddytest.AuditCommand(append(words, "--store", one)...)
		got, _, failed := caddytest.AuditCommand(append(words, "--store", other)...)
		if err != nil || failed != nil || got != want || want == "" {
			t.Errorf("%s: %v %v\n got %s\nwant %s", command, err, failed, got, want)
		}
	}
}

// TestATrailIsCopiedThereAndBack: its records, proofs and checkpoints stay what they are, and
// its gateway goes on with its key.
func TestATrailIsCopiedThereAndBack(t *testing.T) {
	s, kept := caddytest.StoppedTrail(t)
	t.Parallel() // from here on no gateway runs in this process
	log := s.Last().Log
	caddytest.CosignStore(t, s.Store, log, audittest.Witness(t, "testigo.example/w1"))
	database := caddytest.EmptyDatabase(t)
	out, errs, err := caddytest.AuditCommand("copy", "--from", "sqlite:"+s.Store, "--to", database)
	if err != nil || !strings.Contains(out, "the log "+log+" is in postgres://127.0.0.1:") || !strings.Contains(out, "8 records") || !strings.Contains(out, "verified") ||
		strings.Contains(out+errs, postgrestest.Password) {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	back := "sqlite:" + filepath.Join(t.TempDir(), "back.db")
	for _, way := range [][2]string{{"sqlite:" + s.Store, database}, {database, back}, {database, back}} { // again is no harm
		if out, errs, err := caddytest.AuditCommand("copy", "--from", way[0], "--to", way[1]); err != nil {
			t.Fatalf("%v\n%s%s", err, out, errs)
		}
		same(t, way[0], way[1], "checkpoint", "search", "search --nro 1 --format json", "show 6 --raw", "prove 1", "verify --checkpoint "+kept)
	}
	gateway := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t)}
	process := caddytest.StartReady(t, "{\n admin off\n persist_config off\n}\n"+gateway.URL+" {\n bind "+caddytest.Loopback+"\n wsfev1 {\n  audit postgres {env.FIELATO_TEST_DSN} {\n"+
		"   node "+log+"\n   key "+s.Store+".key\n  }\n }\n wsfev1_backend {\n  ledger sqlite "+filepath.Join(t.TempDir(), "ledger.db")+"\n }\n}\n",
		"FIELATO_TEST_DSN="+strings.TrimPrefix(database, "postgres:"))
	got := gateway.Post("FECAESolicitar", caddytest.Invoice(1))
	if got.Header.Get("Wsfev1-Outcome") != "replayed" || got.Header.Get("Wsfev1-Record") != log+"/8" {
		t.Errorf("what was issued before the copy: %v %s", got.Header, got.Body)
	}
	process.End()
	if out, _, err := caddytest.AuditCommand("verify", "--store", database, "--checkpoint", kept, "--witness", audittest.Witness(t, "testigo.example/w1").String()); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if _, _, err := caddytest.AuditCommand("copy", "--from", "sqlite:"+s.Store, "--to", database); err == nil || !strings.Contains(err.Error(), "the copy has been continued") {
		t.Errorf("onto a copy that has gone on: %v", err)
	}
}

// TestACopyAsksForTheGatewayToBeStopped.
func TestACopyAsksForTheGatewayToBeStopped(t *testing.T) {
	s := caddytest.Evidence(t)
	_, _, err := caddytest.AuditCommand("copy", "--from", "sqlite:"+s.Store, "--to", "sqlite:"+filepath.Join(t.TempDir(), "copy.db"))
	if err == nil || !strings.Contains(err.Error(), "must be stopped") {
		t.Errorf("%v", err)
	}
}

// TestAllLogsAreCopied, or one of them.
func TestAllLogsAreCopied(t *testing.T) {
	s := caddytest.TwoNodes(t)
	database := caddytest.EmptyDatabase(t)
	from := "postgres:" + s.DSN
	if _, _, err := caddytest.AuditCommand("copy", "--from", from, "--to", database); err == nil || !strings.Contains(err.Error(), "--log, or copy --all: north, south") {
		t.Errorf("%v", err)
	}
	if out, _, err := caddytest.AuditCommand("copy", "--from", from, "--to", database, "--log", "south"); err != nil || strings.Contains(out, "north") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, _, err := caddytest.AuditCommand("copy", "--from", from, "--to", database, "--all"); err != nil || strings.Count(out, "verified\n") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
	same(t, from, database, "search", "verify", "prove south/1", "stats")
	// In a file only one is its gateway's.
	file := "sqlite:" + filepath.Join(t.TempDir(), "both.db")
	if out, _, err := caddytest.AuditCommand("copy", "--from", from, "--to", file, "--all"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	same(t, from, file, "search", "verify", "prove south/1")
}

// TestACopyDoesNotMixWhatDoesNotBelongTogether.
func TestACopyDoesNotMixWhatDoesNotBelongTogether(t *testing.T) {
	s, _ := caddytest.StoppedTrail(t)
	from := "sqlite:" + s.Store
	other := caddytest.Share(t, "north") // has a fingerprint key
	log := s.Last().Log
	for to, want := range map[string]string{
		"postgres:" + other.DSN: "fingerprint key of its own",
		from:                    "the same store",
		"postgres:host=127.0.0.1 port=1 connect_timeout=1": "--to:",
	} {
		if _, _, err := caddytest.AuditCommand("copy", "--from", from, "--to", to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, flags := range []string{"--from " + from, "--to " + from, "--from " + from + " --to sqlite:x --all --log " + log, "--from sqlite:/none --to sqlite:x"} {
		if _, _, err := caddytest.AuditCommand(append([]string{"copy"}, strings.Fields(flags)...)...); err == nil {
			t.Errorf("%s was taken", flags)
		}
	}
}

// TestEncryptedContentIsCopiedWithItsKey, and stays encrypted.
func TestEncryptedContentIsCopiedWithItsKey(t *testing.T) {
	from := filepath.Join(t.TempDir(), "audit.db")
	key, err := audit.NewContentKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	store, err := auditsqlite.Open(from, auditsqlite.WithContentKey(key))
	if err != nil {
		t.Fatal(err)
	}
	signing := caddytest.NewKey(t, "north")
	trail, err := audit.Open(t.Context(), store, "north", signing, audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := trail.Append(t.Context(), caddytest.Consultation(i, 1)); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"verifier-key": signing.Verifier(), "fingerprint-key": strings.Repeat("k", 32), "log-name": "north"} {
		if _, err := store.Secret(t.Context(), name, func() ([]byte, error) { return []byte(value), nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	database := caddytest.EmptyDatabase(t)
	if _, _, err := caddytest.AuditCommand("copy", "--from", "sqlite:"+from, "--to", database); err == nil || !strings.Contains(err.Error(), "--encryption-key") {
		t.Errorf("without the key: %v", err)
	}
	t.Setenv("FIELATO_ENCRYPTION_KEY", key.Private())
	if out, _, err := caddytest.AuditCommand("copy", "--from", "sqlite:"+from, "--to", database); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	same(t, "sqlite:"+from, database, "checkpoint", "verify", "show 2 --raw", "prove 1")
	t.Setenv("FIELATO_ENCRYPTION_KEY", "")
	if out, errs, err := caddytest.AuditCommand("show", "2", "--store", database); err != nil || strings.Contains(out, "ResultGet") || !strings.Contains(errs, "content is encrypted") {
		t.Errorf("without the key: %v %s\n%s", err, errs, out)
	}
}

// TestHalfACopySaysHowItIsFinished: to verify, with a key and without one, and to a gateway that would go on there.
func TestHalfACopySaysHowItIsFinished(t *testing.T) {
	large := make([]byte, 6<<20) // a batch of its own
	s := caddytest.KeptTrail(t, caddytest.Consultation(0, 1), &audit.Record{Kind: audit.KindExchange, Operation: "FEDummy", Request: large}, caddytest.Consultation(1, 1))
	store, err := auditsqlite.Open(s.Store)
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Secret(t.Context(), "fingerprint-key", func() ([]byte, error) { return make([]byte, 32), nil })
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(s.Store + ".key")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(copied+".key", key, 0o600); err != nil {
		t.Fatal(err)
	}
	cut := errors.New("the power went")
	err = keeping.Copy(t.Context(), "sqlite:"+s.Store, "sqlite:"+copied, func(index uint64) error {
		if index == 2 {
			return cut
		}
		return nil
	})
	if !errors.Is(err, cut) {
		t.Fatal(err)
	}
	signing, err := audit.ParseKey(strings.TrimSpace(string(key)))
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range []string{"", " --key " + signing.Verifier()} {
		out, errs, err := caddytest.AuditCommand(strings.Fields("verify --store sqlite:" + copied + flags)...)
		if err == nil || !strings.Contains(err.Error(), "run the audit copy that began it again") ||
			!strings.Contains(out, "NOT FINISHED: record 2 was not copied yet: this copy of the log has 2 of its 3 records") || strings.Contains(out, "BROKEN") {
			t.Errorf("%q: %v\n%s%s", flags, err, out, errs)
		}
	}
	if out, errs, err := caddytest.AuditCommand("copy", "--from", "sqlite:"+s.Store, "--to", "sqlite:"+copied); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	same(t, "sqlite:"+s.Store, "sqlite:"+copied, "verify", "checkpoint", "search")
}
