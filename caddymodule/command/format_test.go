package command_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// objects decodes what a command printed: one object a line, and nothing else.
func objects(t *testing.T, line string) (all []map[string]jsontext.Value) {
	t.Helper()
	got := words(line + " --format json")
	if got.err != nil {
		t.Errorf("%s: %v", line, got.err)
	}
	for text := range strings.Lines(got.out) {
		var object map[string]jsontext.Value
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Errorf("%s: %v\n%s", line, err, got.out)
		}
		all = append(all, object)
	}
	return all
}

// TestEveryCommandReportsAsJSON: one object a line on the standard output.
func TestEveryCommandReportsAsJSON(t *testing.T) {
	path, folder := trailOf(t, exchange(), exchange()), t.TempDir()
	t.Chdir(folder)
	t.Setenv("FIELATO_STORE", "sqlite:"+path)
	kept := words("audit checkpoint").out
	key := keyOf(t)
	for name, content := range map[string]string{
		"kept.txt": kept, "newer.txt": kept, "request.json": `{"Auth":{"Token":"a","Sign":"b","Cuit":20111111112}}`,
		"ledger.jsonl": `{"kind":"ledger","form":"fielato-ledger","version":1}` + "\n" + `{"kind":"end"}` + "\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		line    string
		objects int
		// members are the names in the first object.
		members string
	}{
		{"audit search", 2, "log index operation cuit outcome certainty request answer"},
		{"audit show 0", 1, "log index request answer"},
		{"audit stats", 1, "key count operations outcomes"},
		{"audit verify", 1, "log sound records flaws"},
		{"audit checkpoint", 1, "log size checkpoint"},
		{"audit consistency kept.txt newer.txt", 1, "log consistent old_checkpoint new_checkpoint public_key public_key_from"},
		{"audit prove 0", 1, "record proof public_key"},
		{"audit prove 0 --output 0.tlog-proof", 1, "record file public_key"},
		{"audit check-proof 0.tlog-proof --key " + key, 1, "proven record"},
		{"audit export --output export", 1, "output log records purged sealed public_key"},
		{"audit verify --export export --key " + key, 1, "log sound public_key public_key_from checkpoint records invoices faults"},
		{"audit copy --from sqlite:" + path + " --to sqlite:copy.db --key-file " + path + ".key", 1, "log store records root public_key verified"},
		{"audit purge --before 2026-01 --dry-run", 1, "log before dry_run purged held bytes keys months"},
		{"audit new-key", 1, "id key"},
		{"audit new-key key", 1, "id file"},
		{"audit outages", 0, ""},
		{"audit hold list", 0, ""},
		{"ledger import --ledger sqlite:ledger.db ledger.jsonl", 1, "ledger invoices caeas sin_movimiento"},
		{"ledger export --ledger sqlite:ledger.db --output again.jsonl", 1, "ledger invoices caeas sin_movimiento"},
		{"ledger reset --ledger sqlite:ledger.db --yes", 1, "ledger series_removed"},
		{"migrate", 1, "component database from newest changed dry_run"},
		{"rules 10048", 1, "code operations"},
		{"check --operation FEParamGetTiposDoc request.json", 1, "file line operation refused unreadable findings"},
		{"ticket --cuit 20111111112", 1, "Token Sign Cuit"},
	} {
		line := test.line
		if strings.HasPrefix(line, "audit verify") && !strings.Contains(line, "--export") {
			if got := words(line + " --format json"); got.err != nil || !strings.HasPrefix(got.out, "{\n") {
				t.Errorf("%s: %v\n%s", line, got.err, got.out) // one log: one document over many lines
			}
			continue
		}
		all := objects(t, line)
		if len(all) != test.objects {
			t.Errorf("%s: %d objects, want %d", line, len(all), test.objects)
			continue
		}
		for member := range strings.FieldsSeq(test.members) {
			if all[0][member] == nil {
				t.Errorf("%s: no %s in %v", line, member, all[0])
			}
		}
	}
}

// keyOf returns the public key of the log, from the report of its export.
func keyOf(t *testing.T) string {
	t.Helper()
	got := words("audit export --output " + filepath.Join(t.TempDir(), "export"))
	found := regexp.MustCompile(`--key (\S+)`).FindStringSubmatch(got.errs)
	if got.err != nil || found == nil {
		t.Fatalf("%v\n%s", got.err, got.errs)
	}
	return found[1]
}

// TestABrokenExportIsReportedAsJSON, with the status of a broken one.
func TestABrokenExportIsReportedAsJSON(t *testing.T) {
	t.Setenv("FIELATO_STORE", "sqlite:"+trailOf(t, exchange()))
	key, folder := keyOf(t), filepath.Join(t.TempDir(), "export")
	if got := words("audit export --output " + folder); got.err != nil {
		t.Fatal(got.err)
	}
	files, err := filepath.Glob(folder + "/*.csv")
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte("other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := words("audit verify --format json --export " + folder + " --key " + key)
	if got.status() != 1 || !strings.Contains(got.out, `"sound":false`) || !strings.Contains(got.out, `"faults_listed":["`) {
		t.Errorf("status %d: %v\n%s", got.status(), got.err, got.out)
	}
	got = words("audit verify --format json --export " + folder)
	if got.status() != 1 || !strings.Contains(got.out, `"public_key_from":"export"`) {
		t.Errorf("without a key: status %d: %v\n%s", got.status(), got.err, got.out)
	}
}

// TestTheExportOfALedgerKeepsItsStandardOutput: a report among its lines would spoil them.
func TestTheExportOfALedgerKeepsItsStandardOutput(t *testing.T) {
	if got := words("ledger export --format json"); got.status() != 2 || !strings.Contains(got.err.Error(), "give --output FILE") {
		t.Errorf("status %d: %v", got.status(), got.err)
	}
}
