package proving_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// pythonProgram is the interpreter's path. Without one the test is skipped, except in .ci/run.
func pythonProgram(t *testing.T) string {
	t.Helper()
	return testrun.Installed(t, "python3")
}

// purgedTrail is one of which two months were purged but for an issuer that was held then
// and is not any more.
func purgedTrail(t *testing.T, options ...auditsqlite.Option) (store string) {
	t.Helper()
	store = "sqlite:" + caddytest.OldTrail(t, options...)
	for _, arguments := range [][]string{
		{"hold", "add", "--cuit", "30000000007"}, {"purge", "--before", "2011-08", "--yes"}, {"hold", "remove", "--cuit", "30000000007"},
	} {
		if _, errs, err := caddytest.AuditCommand(append(arguments, "--store", store)...); err != nil {
			t.Fatalf("%v: %v\n%s", arguments, err, errs)
		}
	}
	return store
}

// TestAnotherProgramVerifiesExports of all kinds, with docs/format.md and docs/verify.py alone.
func TestAnotherProgramVerifiesExports(t *testing.T) {
	content, err := audit.NewContentKey(bytes.NewReader(bytes.Repeat([]byte{7}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		export func(t *testing.T) string
		want   []string
	}{
		"of a gateway": {func(t *testing.T) string { return caddytest.Exported(t, "sqlite:"+caddytest.Evidence(t).Store) }, []string{"8 records", "8 with content", "bodies as they came"}},
		"compressed": {func(t *testing.T) string {
			return caddytest.Exported(t, "sqlite:"+caddytest.Evidence(t).Store, "--zstd")
		}, []string{"8 records"}},
		"purged": {func(t *testing.T) string { return caddytest.Exported(t, purgedTrail(t)) }, []string{"11 records", "2 purged", "9 with content"}},
		"encrypted": {func(t *testing.T) string {
			return caddytest.Exported(t, purgedTrail(t, auditsqlite.WithContentKey(content)))
		}, []string{"2 purged"}},
		"of an earlier build": {func(*testing.T) string {
			return filepath.Join(caddytest.Root(t), "audit", "sqlite", "testdata", "earlier", "export")
		}, []string{"20 records", "6 purged before purges were recorded"}},
		"with fields in hiding": {func(t *testing.T) string { return caddytest.Exported(t, "sqlite:"+hiding(t).Store) }, []string{"2 records", "with parts replaced"}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "encrypted" {
				t.Setenv("FIELATO_ENCRYPTION_KEY", "")
			}
			path := test.export(t)
			said, sound := caddytest.Python(t, caddytest.KeyOf(t, path), path)
			if !sound || !strings.HasPrefix(said, "sound: ") {
				t.Fatal(said)
			}
			for _, want := range test.want {
				if !strings.Contains(said, want) {
					t.Errorf("%q, want %q", said, want)
				}
			}
			if said, sound := caddytest.Python(t, audittest.Key(t, "other").Verifier(), path); sound || !strings.Contains(said, "not signed by this key") {
				t.Errorf("another key: %s", said)
			}
		})
	}
}

// hiding is a gateway that hides a field, with an invoice.
func hiding(t *testing.T) *caddytest.Site {
	t.Helper()
	s := caddytest.Start(t, caddytest.WithBackend(t), caddytest.RedactDocNro)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	return s
}

// TestAnotherProgramNamesWhatWasChanged in an export, as this one does.
func TestAnotherProgramNamesWhatWasChanged(t *testing.T) {
	t.Parallel()
	original := caddytest.Exported(t, purgedTrail(t))
	key := caddytest.KeyOf(t, original)
	const lines = "records-000000000000-000000000010.jsonl"
	verify := pythonMany(t)
	for name, test := range map[string]struct {
		file, from, to string
		want, ours     string
	}{
		"an issuer":              {lines, `"index":4,"kind":"exchange"`, `"index":4,"kind":"intent"`, lines + ":5: record 4: it was changed", lines + ":5: record 4"},
		"a body":                 {lines, `{\"a\":\"body\"}`, `{\"a\":\"bode\"}`, lines + ":2: record 1: it was changed", lines + ":2: record 1"},
		"a member that is none":  {lines, `"index":4,`, `"index":4,"note":"x",`, lines + ":5: record 4: it has what no record has", lines + ":5:"},
		"a finding that is none": {lines, `"text":"quoted"`, `"text":"quoted","more":"x"`, lines + ":2: record 1: it has what no record has", lines + ":2:"},
		"a client's body":        {lines, `"answer":"<b/>"`, `"answer":"<c/>"`, lines + ":2: record 1: it was changed", lines + ":2: record 1"},
		"a client's member":      {lines, `{"form":"soap12",`, `{"form":"soap12","note":"x",`, lines + ":2: record 1: it has a leg that is none", lines + ":2:"},
		"a member twice":         {lines, `"index":4,`, `"index":4,"index":4,`, lines + ":5: record 4: it has a member twice", lines + ":5:"},
		"a purged body":          {lines, `"content":"purged",`, `"content":"purged","request":"{}",`, lines + ":1: record 0: it has what no record has", lines + ":1:"},
		"a log of the intent":    {lines, `"index":9,"kind":"access",`, `"index":9,"kind":"access","intent_log":"other",`, lines + ":10: record 9: it was changed", lines + ":10:"},
		"the place":              {lines, `"index":4,`, `"index":5,`, lines + ":5: record 5: it stands in the place of record 4", lines + ":5:"},
		"the checkpoint":         {"manifest.json", `gateway-1\n11\n`, `gateway-1\n12\n`, "the signature of the checkpoint is wrong", "manifest.json"},
		"what is recorded":       {"manifest.json", `purges recorded from 0`, `purges recorded from 9`, "the signature of the checkpoint is wrong", "manifest.json"},
		"the proof of a purge":   {"manifest.json", `index 9\n`, `index 8\n`, "record 8 is not in the tree that was signed", "purges: number 2 proves nothing"},
		"all proofs":             {"manifest.json", `"purges": [`, `"purges": [], "x": [`, "record 0: its content is gone, and no purge in the log took it", "manifest.json"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "export")
			if err := os.CopyFS(path, os.DirFS(original)); err != nil {
				t.Fatal(err)
			}
			edit(t, filepath.Join(path, test.file), test.from, test.to)
			if said, sound := verify(t, key, path); sound || !strings.Contains(said, test.want) {
				t.Errorf("%s\nwant %s", said, test.want)
			}
			if out, _, err := caddytest.AuditCommand("verify", "--export", path, "--key", key); err == nil || !strings.Contains(out, test.ours) {
				t.Errorf("ours: %v\n%s\nwant %s", err, out, test.ours)
			}
		})
	}
}

// TestAnotherProgramRefusesBorrowedBytes: two digests that stand side by side in the content are
// as long as they are, though the content has the same bytes when one lends the other some.
func TestAnotherProgramRefusesBorrowedBytes(t *testing.T) {
	path := caddytest.Exported(t, "sqlite:"+caddytest.Evidence(t).Store)
	files, err := filepath.Glob(filepath.Join(path, "records-*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	digests := regexp.MustCompile(`"request_sha256":"([0-9a-f]{64})","answer_sha256":"([0-9a-f]{2})`).FindStringSubmatch(string(text))
	if digests == nil {
		t.Fatalf("no outcome in\n%s", text)
	}
	edit(t, files[0], digests[0], `"request_sha256":"`+digests[1]+digests[2]+`","answer_sha256":"`)
	if said, sound := caddytest.Python(t, caddytest.KeyOf(t, path), path); sound || !strings.Contains(said, "it has hexadecimal of another length") {
		t.Error(said)
	}
	if out, _, err := caddytest.AuditCommand("verify", "--export", path, "--key", caddytest.KeyOf(t, path)); err == nil || !strings.Contains(out, filepath.Base(files[0])+":") {
		t.Errorf("ours: %v\n%s", err, out)
	}
}

// edit replaces the first of such texts in a file.
func edit(t *testing.T, path, from, to string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s has no %s:\n%s", path, from, text)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAnotherProgramChecksTheProofOfItsDocument: the example can be tried out as it stands.
func TestAnotherProgramChecksTheProofOfItsDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(caddytest.Root(t), "docs", "format.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)The public key is `(.*?)`.*?```text\n(.*?)```").FindStringSubmatch(string(text))
	if found == nil {
		t.Fatal("there is no example")
	}
	path := filepath.Join(t.TempDir(), "example.tlog-proof")
	if err := os.WriteFile(path, []byte(found[2]), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, sound := caddytest.Python(t, found[1], path); !sound || !strings.Contains(said, "86013409462920") {
		t.Error(said)
	}
}

// TestAnotherProgramChecksProofs of records that are whole, purged, and encrypted.
func TestAnotherProgramChecksProofs(t *testing.T) {
	t.Parallel()
	content, err := audit.NewContentKey(bytes.NewReader(bytes.Repeat([]byte{7}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	plain, sealed := purgedTrail(t), purgedTrail(t, auditsqlite.WithContentKey(content))
	folder := t.TempDir()
	key := audittest.Key(t, "gateway-1").Verifier()
	for name, test := range map[string]struct{ store, index, want string }{
		"purged": {plain, "0", `"content": "purged"`}, "whole": {plain, "1", `{\"a\":\"body\"}`},
		"sealed": {sealed, "1", `"content": "sealed"`}, "purge": {plain, "9", `"held_records": 2`},
	} {
		path := filepath.Join(folder, name+".tlog-proof")
		if _, errs, err := caddytest.AuditCommand("prove", test.index, "--store", test.store, "--output", path); err != nil {
			t.Fatalf("%v\n%s", err, errs)
		}
		if said, sound := caddytest.Python(t, key, path); !sound || !strings.Contains(said, test.want) {
			t.Errorf("%s: %s", name, said)
		}
		edit(t, path, "\nindex "+test.index, "\nindex 7")
		if said, sound := caddytest.Python(t, key, path); sound || !strings.Contains(said, "record 7 is not in the tree that was signed") {
			t.Errorf("%s, changed: %s", name, said)
		}
	}
}

// TestAnotherProgramChecksTheProofsOfABundle of evidence.
func TestAnotherProgramChecksTheProofsOfABundle(t *testing.T) {
	s := caddytest.Evidence(t)
	bundle := filepath.Join(t.TempDir(), "bundle")
	if _, errs, err := caddytest.AuditCommand("evidence", "--store", "sqlite:"+s.Store, "--cuit", "20111111112", "--pto-vta", "1", "--cbte-tipo", "6", "--nro", "1", "--output", bundle); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	proofs := 0
	if err := filepath.Walk(bundle, func(path string, _ os.FileInfo, err error) error {
		if err == nil && strings.HasSuffix(path, ".tlog-proof") {
			proofs++
			if said, sound := caddytest.Python(t, caddytest.KeyOf(t, caddytest.Exported(t, "sqlite:"+s.Store)), path); !sound || !strings.Contains(said, "FECAESolicitar") {
				t.Errorf("%s: %s", path, said)
			}
		}
		return err
	}); err != nil || proofs != 2 {
		t.Errorf("%d proofs, %v", proofs, err)
	}
}
