package proving_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
)

// grownTrail makes a trail of 300 records, and the folder of the test with what was kept of it:
// the checkpoint after 100 records in old.txt, the newest in new.txt, the public key in
// key.pub, and a copy of the store with 100 records in old.db.
func grownTrail(t *testing.T) string {
	t.Helper()
	source := audittest.NewSource(5)
	var index uint64
	next := func(n int) (records []*audit.Record) {
		for range n {
			records = append(records, source.Next(index))
			index++
		}
		return records
	}
	s := caddytest.KeptTrail(t, next(100)...)
	t.Chdir(filepath.Dir(s.Store))
	keep := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	copied, err := os.ReadFile(s.Store)
	if err != nil {
		t.Fatal(err)
	}
	keep("old.db", string(copied))
	keep("old.txt", newestCheckpoint(t))
	store, err := auditsqlite.Open(s.Store)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	key := audittest.Key(t, "gateway-1")
	trail, err := audit.Open(t.Context(), store, "gateway-1", key, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	for _, r := range next(200) {
		if _, err := trail.Append(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	keep("new.txt", newestCheckpoint(t))
	keep("key.pub", key.Verifier()+"\n")
	keep("other.pub", audittest.Key(t, "other").Verifier()+"\n")
	return s.Store
}

func newestCheckpoint(t *testing.T) string {
	t.Helper()
	out, errs, err := caddytest.AuditCommand("checkpoint", "--store", "sqlite:audit.db")
	if err != nil || errs != "" {
		t.Fatalf("%v %s", err, errs)
	}
	return out
}

// TestCheckpointPrintsTheSignedNote and nothing else.
func TestCheckpointPrintsTheSignedNote(t *testing.T) {
	grownTrail(t)
	opened, err := audit.OpenCheckpoint([]byte(newestCheckpoint(t)), audittest.Key(t, "gateway-1").Verifier())
	if err != nil || opened.Size != 300 || opened.Origin != "fielato/gateway-1" {
		t.Errorf("%+v, %v", opened, err)
	}
}

func TestVerifyPrintsWhatItFound(t *testing.T) {
	store := grownTrail(t)
	verify := func(arguments ...string) (string, error) {
		t.Helper()
		out, errs, err := caddytest.AuditCommand(append([]string{"verify", "--store", "sqlite:" + store}, arguments...)...)
		if errs != "" {
			t.Errorf("%v: said %s", arguments, errs)
		}
		return out, err
	}
	lines := func(text string) string { return regexp.MustCompile(` {2,}`).ReplaceAllString(text, " ") }
	out, err := verify()
	pattern := `^log gateway-1\npublic key fielato/gateway-1\+\S+ \(named by the store itself; .*--key.*\)\n` +
		`checkpoint 300 records, root \S+=, signed by the key\nrecords 300 read, 0 purged, 0 encrypted\n` +
		`open intents \d+: [\d, …]+\n\nsound: every record is what was signed\n$`
	if err != nil || !regexp.MustCompile(pattern).MatchString(lines(out)) {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = verify("--checkpoint", "old.txt", "--key", "key.pub")
	if err != nil || !strings.Contains(out, "(given with --key)") || !strings.Contains(lines(out), "\nkept 100 records, root ") ||
		!strings.HasSuffix(out, "and the log is an extension of the checkpoint that was kept\n") {
		t.Errorf("%v\n%s", err, out)
	}
	bent := strings.Replace(newestCheckpoint(t), "\n300\n", "\n299\n", 1)
	if err := os.WriteFile("bent.txt", []byte(bent), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = verify("--checkpoint", "bent.txt")
	if err == nil || !strings.Contains(out, "\nflaws: 1\n") || !strings.Contains(out, "BROKEN: the trail is not sound: the checkpoint that was kept was changed after it was signed") {
		t.Errorf("%v\n%s", err, out)
	}
	caddytest.Tamper(t, store, "INSERT INTO blocks VALUES (1, 0, 300, 0, 0, x'', x'')")
	if out, err = verify(); err == nil || !strings.Contains(out, "blocks: ") || !strings.Contains(out, "BROKEN: ") {
		t.Errorf("a search index that hides all records: %v\n%s", err, out)
	}
	caddytest.Tamper(t, store, "DELETE FROM blocks")
	caddytest.Tamper(t, store, "DELETE FROM segments WHERE id IN (1 << 40 | 17, 1 << 40 | 203)")
	out, err = verify()
	if err == nil || !strings.Contains(out, "\nflaws: 2\n  record 17 was removed\n  record 203 was removed\n\nBROKEN: record 17 was removed\n") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err = verify("--checkpoint", "old.txt"); err == nil || !strings.Contains(out, "\nflaws: 2\n") {
		t.Errorf("what was removed does not make another history: %v\n%s", err, out)
	}
	out, err = verify("--format", "json")
	pattern = `^\{\n\t"log": "gateway-1",\n\t"sound": false,\n\t"public_key": "fielato/gateway-1\+\S+",\n\t"public_key_from": "store",\n` +
		`\t"checkpoint": \{\n\t\t"size": 300,\n\t\t"root": "\S+="\n\t\},\n\t"kept_checkpoint": null,\n\t"witnesses": null,\n\t"records": 298,(?s:.*)` +
		`"flaws": 2,\n\t"flaws_listed": \[\n\t\t\{\n\t\t\t"kind": "removed",\n\t\t\t"first": 17,\n\t\t\t"last": 17,\n\t\t\t"text": "record 17 was removed"\n`
	if err == nil || !regexp.MustCompile(pattern).MatchString(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestVerifyAndConsistencyEndWithTheRightStatus: the whole way through Caddy's own main
// function.
func TestVerifyAndConsistencyEndWithTheRightStatus(t *testing.T) {
	store := grownTrail(t)
	other := audittest.Key(t, "other").Verifier()
	copyOf := func(name string, statements ...string) {
		t.Helper()
		content, err := os.ReadFile("old.db")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, statement := range statements {
			caddytest.Tamper(t, name, statement)
		}
	}
	copyOf("changed.db", "UPDATE segments SET content = x'00' WHERE id = 1 << 40 | 17")
	copyOf("cut.db", "DELETE FROM segments WHERE id > 1 << 40 | 90")
	copyOf("unsigned.db", "DELETE FROM secrets WHERE name = 'verifier-key'")
	copyOf("otherkey.db", "UPDATE secrets SET value = CAST('"+other+"' AS BLOB) WHERE name = 'verifier-key'")
	copyOf("nokey.db", "UPDATE secrets SET value = x'00' WHERE name = 'verifier-key'")
	copyOf("nolog.db", "DELETE FROM logs")
	if err := os.WriteFile("text.db", []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("old.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("bent.txt", []byte(strings.Replace(string(kept), "\n100\n", "\n99\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]struct {
		status int
		says   string
	}{
		"verify":                                                               {0, ""},
		"verify --checkpoint new.txt":                                          {0, ""},
		"verify --key key.pub --format json":                                   {0, ""},
		"verify --store sqlite:old.db":                                         {0, ""},
		"verify --store sqlite:old.db --checkpoint new.txt":                    {1, ""},
		"verify --store sqlite:changed.db":                                     {1, ""},
		"verify --store sqlite:cut.db":                                         {1, ""},
		"verify --store sqlite:otherkey.db":                                    {1, ""},
		"verify --store sqlite:otherkey.db --key key.pub":                      {1, ""},
		"verify --store sqlite:unsigned.db --key key.pub":                      {1, ""},
		"verify --store sqlite:nokey.db":                                       {1, ""},
		"verify --store sqlite:unsigned.db":                                    {2, "no public key is known"},
		"verify --store sqlite:nolog.db":                                       {2, "no gateway has written to this store"},
		"verify --store sqlite:none.db":                                        {2, "there is no trail at"},
		"verify --store sqlite:text.db":                                        {2, "not a SQLite database"},
		"verify --store x":                                                     {2, "give sqlite:PATH"},
		"verify --key other.pub":                                               {1, ""},
		"verify --key none.pub":                                                {2, "neither a public key of the form NAME+HASH+KEY"},
		"verify --key new.txt":                                                 {2, "holds no public key"},
		"verify --key audit.db.key":                                            {2, "holds the private key"},
		"verify --checkpoint none.txt":                                         {2, "none.txt"},
		"verify --checkpoint key.pub":                                          {2, "not a checkpoint of the log"},
		"verify --checkpoint bent.txt":                                         {1, ""},
		"consistency bent.txt new.txt":                                         {1, "the checkpoint that was kept was changed after it was signed"},
		"consistency old.txt bent.txt":                                         {1, "the checkpoint that was kept was changed after it was signed"},
		"consistency old.txt key.pub":                                          {2, "not a checkpoint of the log"},
		"verify --key=":                                                        {2, "--key has no value"},
		"verify --checkpoint=":                                                 {2, "--checkpoint has no value"},
		"verify --nope":                                                        {2, "unknown flag"},
		"verify --format csv":                                                  {2, "use table or json"},
		"verify more":                                                          {2, "takes flags and no arguments"},
		"consistency old.txt new.txt":                                          {0, ""},
		"consistency old.txt --key key.pub old.txt":                            {0, ""},
		"consistency old.txt new.txt --store sqlite:old.db":                    {1, "the newer checkpoint is over 300"},
		"consistency new.txt old.txt":                                          {2, "the other way round"},
		"consistency old.txt":                                                  {2, "NEW is missing"},
		"consistency old.txt none.txt":                                         {2, "none.txt"},
		"consistency old.txt new.txt --key other.pub":                          {1, "is not signed by the key"},
		"consistency old.txt new.txt --store sqlite:unsigned.db":               {2, "no public key is known"},
		"consistency old.txt new.txt --store sqlite:unsigned.db --key key.pub": {1, "has 100 records"},
	} {
		t.Run(arguments, func(t *testing.T) {
			if !strings.Contains(arguments, "--store") {
				arguments += " --store sqlite:" + store
			}
			status, out, errs := runProcess(t, "wsfev1 audit "+arguments)
			if status != want.status || !strings.Contains(errs, want.says) || want.says == "" && errs != "" {
				t.Errorf("status %d, want %d, saying %q, want %q\n%s", status, want.status, errs, want.says, out)
			}
			if strings.Contains(out+errs, "PRIVATE") {
				t.Error("it prints a private key")
			}
		})
	}
}

// runProcess runs the command line in a process of its own.
func runProcess(t *testing.T, line string) (status int, out, errs string) {
	t.Helper()
	process := caddytest.CommandProcess(t, line)
	var stdout, stderr strings.Builder
	process.Stdout, process.Stderr = &stdout, &stderr
	err := process.Run()
	if exited := new(exec.ExitError); err != nil && !errors.As(err, &exited) {
		t.Fatal(err)
	}
	return process.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// TestVerifyBesideAGatewayAtWork: a log that grows meanwhile is sound.
func TestVerifyBesideAGatewayAtWork(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			request := s.Request(context.Background(), "FECAESolicitar", caddytest.Invoice(n))
			if _, err := caddytest.Try(request); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for began, runs := time.Now(), 0; runs < 3 || time.Since(began) < 300*time.Millisecond; runs++ {
		out, errs, err := caddytest.AuditCommand("verify", "--store", "sqlite:"+s.Store)
		if err != nil {
			t.Fatalf("%v %s\n%s", err, errs, out)
		}
	}
	close(stop)
	<-stopped
}
