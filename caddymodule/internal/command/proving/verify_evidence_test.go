package proving_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// evidenceOf writes the evidence of an invoice that was refused and then issued, and returns
// where it is and the key that the command names.
func evidenceOf(t *testing.T, name string) (path, key string) {
	t.Helper()
	s := caddytest.Evidence(t)
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), "121.00", "150.00", 1))
	path = filepath.Join(t.TempDir(), name)
	_, said, err := caddytest.AuditCommand("evidence", "--store", "sqlite:"+s.Store, "--cuit", "20111111112", "--pto-vta", "1",
		"--cbte-tipo", "6", "--nro", "1", "--output", path)
	if err != nil {
		t.Fatal(err)
	}
	next := regexp.MustCompile(`verify it with: fielato wsfev1 audit verify --export (\S+) --key (\S+)\n$`).FindStringSubmatch(said)
	if next == nil || next[1] != path {
		t.Fatalf("said %s", said)
	}
	return path, next[2]
}

// TestEvidenceIsVerifiedAsAWhole by the command that evidence names, also as a zip file.
func TestEvidenceIsVerifiedAsAWhole(t *testing.T) {
	for _, name := range []string{"factura-1", "factura-1.zip"} {
		path, key := evidenceOf(t, name)
		out, _, err := caddytest.AuditCommand("verify", "--export", path, "--key", key)
		if err != nil || !strings.HasPrefix(out, "sound: 3 records proven, signed by "+key) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if out, _, err := caddytest.AuditCommand("verify", "--export", path); err == nil || out != "" || !strings.Contains(err.Error(), "give --key") {
			t.Errorf("%s without a key: %v\n%s", name, err, out)
		}
		out, _, err = caddytest.AuditCommand("verify", "--export", path, "--key", key, "--format", "json")
		if err != nil || !strings.Contains(out, `"sound":true`) || !strings.Contains(out, `"public_key_from":"flag"`) {
			t.Errorf("%s as JSON: %v\n%s", name, err, out)
		}
	}
	path, key := evidenceOf(t, "factura-1")
	if said, sound := caddytest.Python(t, key, path); !sound || !strings.Contains(said, "sound: 3 records") {
		t.Errorf("verify.py: %s", said)
	}
}

// TestChangedEvidenceIsNamed by both programs.
func TestChangedEvidenceIsNamed(t *testing.T) {
	sound, key := evidenceOf(t, "factura-1")
	other := caddytest.NewKey(t, "gateway-1").Verifier()
	for name, test := range map[string]struct {
		change   func(t *testing.T, folder string)
		key      string
		want, py string
	}{
		"an answer":                       {func(t *testing.T, f string) { edit(t, onlyFile(t, f, "answer.json"), `"CAE": "9`, `"CAE": "8`) }, key, "answer.json was changed", "answer.json"},
		"a proof":                         {func(t *testing.T, f string) { edit(t, onlyFile(t, f, "record.tlog-proof"), "index ", "index 1") }, key, "record.tlog-proof", "record.tlog-proof"},
		"a proof that is none":            {func(t *testing.T, f string) { edit(t, onlyFile(t, f, "record.tlog-proof"), "extra ", "") }, key, "record.tlog-proof", "record.tlog-proof"},
		"a proof's base64":                {func(t *testing.T, f string) { edit(t, onlyFile(t, f, "intent.tlog-proof"), "extra ", "extra *") }, key, "not in base64", "intent.tlog-proof"},
		"a proof's first line":            {func(t *testing.T, f string) { edit(t, onlyFile(t, f, "record.tlog-proof"), "c2sp", "C2SP") }, key, "record.tlog-proof", "record.tlog-proof"},
		"no file":                         {func(t *testing.T, f string) { remove(t, onlyFile(t, f, "intent.tlog-proof")) }, key, "intent.tlog-proof is missing", "intent.tlog-proof"},
		"another key":                     {func(*testing.T, string) {}, other, "is not signed by the key", "record.tlog-proof"},
		"a request without its proof":     {forgeRequest(true), key, "record.tlog-proof is of the log", "record.tlog-proof: it is of the log"},
		"a request without proof or name": {forgeRequest(false), key, "intent.tlog-proof is missing", "intent.tlog-proof"},
		"a forged sum":                    {forgeAnswer, key, "answer.json is not what the record holds", "answer.json"},
	} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(sound)); err != nil {
			t.Fatal(err)
		}
		test.change(t, folder)
		out, _, err := caddytest.AuditCommand("verify", "--export", folder, "--key", test.key)
		if err == nil || !strings.Contains(err.Error(), "the evidence is broken") || !strings.Contains(out, test.want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if said, sound := caddytest.Python(t, test.key, folder); sound || !strings.Contains(said, test.py) {
			t.Errorf("%s: verify.py: %s", name, said)
		}
	}
}

// TestEvidenceOfTwoLogsNeedsBothKeys: neither program calls it sound by one of them, as anybody can name a log of his own
// beside it.
func TestEvidenceOfTwoLogsNeedsBothKeys(t *testing.T) {
	s, folder := caddytest.TwoNodes(t), filepath.Join(t.TempDir(), "factura-1")
	_, said, err := s.Run("evidence", "--cuit", "20111111112", "--pto-vta", "1", "--cbte-tipo", "6", "--nro", "2", "--output", folder)
	keys := regexp.MustCompile(`--key (\S+?),? `).FindAllStringSubmatch(said+" ", -1)
	if err != nil || len(keys) == 0 {
		t.Fatalf("%v %s", err, said)
	}
	for _, key := range keys {
		out, _, err := caddytest.AuditCommand("verify", "--export", folder, "--key", key[1])
		if out != "" || err == nil || !strings.Contains(err.Error(), "check again with their --key") {
			t.Errorf("%v\n%s", err, out)
		}
		if said, sound := caddytest.Python(t, key[1], folder); sound || !strings.HasPrefix(said, "not all of it is checked: ") || !strings.Contains(said, "of another log, which needs its own key") {
			t.Errorf("verify.py: %s", said)
		}
	}
}

// onlyFile returns the file of this name of the invoice's issuing exchange.
func onlyFile(t *testing.T, folder, name string) string {
	t.Helper()
	intents, err := filepath.Glob(filepath.Join(folder, "exchanges", "*", "intent.json"))
	if err != nil || len(intents) != 1 {
		t.Fatalf("%v %v", intents, err)
	}
	return filepath.Join(filepath.Dir(intents[0]), name)
}

// forge copies evidence, and changes a file of its only exchange, with its digest in the manifest.
func forge(t *testing.T, folder, name, from, to string) (forged string) {
	t.Helper()
	forged = t.TempDir()
	if err := os.CopyFS(forged, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	path := onlyFile(t, forged, name)
	before := digestOf(t, path)
	edit(t, path, from, to)
	edit(t, filepath.Join(forged, "manifest.json"), before, digestOf(t, path))
	return forged
}

// verifiedByBoth fails the test unless this program and verify.py call all of the folders sound.
func verifiedByBoth(t *testing.T, key string, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		if out, _, err := caddytest.AuditCommand("verify", "--export", folder, "--key", key); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if said, sound := caddytest.Python(t, key, folder); !sound {
			t.Errorf("verify.py: %s", said)
		}
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// forgeAnswer changes an answer, and its sum in the manifest with it.
func forgeAnswer(t *testing.T, folder string) {
	t.Helper()
	path := onlyFile(t, folder, "answer.json")
	before := digestOf(t, path)
	edit(t, path, `"CAE": "9`, `"CAE": "8`)
	edit(t, filepath.Join(folder, "manifest.json"), before, digestOf(t, path))
}

// forgeRequest changes a request, removes the proof of it from the folder and from the manifest, and names another log, so
// that the proof is not asked for.
func forgeRequest(named bool) func(t *testing.T, folder string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		path, manifest := onlyFile(t, folder, "request.json"), filepath.Join(folder, "manifest.json")
		before := digestOf(t, path)
		edit(t, path, `"ImpTotal": 121.00`, `"ImpTotal": 921.00`)
		edit(t, manifest, before, digestOf(t, path))
		remove(t, onlyFile(t, folder, "intent.tlog-proof"))
		text, err := os.ReadFile(manifest)
		if err != nil {
			t.Fatal(err)
		}
		text = regexp.MustCompile(`(?s)\{[^{}]*intent\.tlog-proof[^{}]*\},\s*`).ReplaceAll(text, nil)
		if named {
			text = regexp.MustCompile(`"log": "[^"]*"`).ReplaceAll(text, []byte(`"log": "another"`))
		}
		if err := os.WriteFile(manifest, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func digestOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
