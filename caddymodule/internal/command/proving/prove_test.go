package proving_test

import (
	"bytes"
	"errors"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// provenSite is a stopped gateway's trail with one invoice and a query, and the proof of
// the outcome in factura.tlog-proof of the working folder.
func provenSite(t *testing.T) (s *caddytest.Site, key string) {
	t.Helper()
	t.Chdir(t.TempDir())
	s = caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	s.Post("FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`)
	_, errs, err := caddytest.AuditCommand("prove", "1", "--store", "sqlite:"+s.Store, "--output", "factura.tlog-proof")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`(?m)^factura(\.intent)?\.tlog-proof proves record ([01]); check it with: fielato wsfev1 audit check-proof factura(\.intent)?\.tlog-proof --key (\S+)$`)
	found := said.FindAllStringSubmatch(errs, -1)
	if len(found) != 2 || strings.Count(errs, "\n") != 2 {
		t.Fatalf("said %q", errs)
	}
	return s, found[0][4]
}

// TestProofIsCheckedWithoutTheTrail: both halves, whose bodies are complete.
func TestProofIsCheckedWithoutTheTrail(t *testing.T) {
	s, key := provenSite(t)
	log := regexp.QuoteMeta(s.Last().Log)
	if err := os.WriteFile("log.pub", []byte(key+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]string{
		"factura.tlog-proof": {
			`record +` + log + `/1 \(outcome\)`, `index +1`, `intent +` + log + `/0`, `outcome +approved`, ` +"CAE": "\d{14}",`,
		},
		"factura.intent.tlog-proof": {`record +` + log + `/0 \(intent\)`, `index +0`, ` +"Token": "hmac-sha256:[0-9a-f]{32}",`},
	} {
		for _, key := range []string{key, "log.pub"} {
			out, errs, err := caddytest.AuditCommand("check-proof", file, "--key", key)
			if err != nil || errs != "" {
				t.Fatalf("%s: %v %s", file, err, errs)
			}
			for _, want := range append(want, `proof +holds: the record is in the log, unchanged and in its place`, `log +`+log, `tree size +3`, `signed by +\S+\+\S+\+\S+`) {
				if !regexp.MustCompile("(?m)^" + want + "$").MatchString(out) {
					t.Errorf("%s: no line %s:\n%s", file, want, out)
				}
			}
			if strings.Contains(out, "no outcome is recorded") {
				t.Errorf("%s: it says what it cannot know:\n%s", file, out)
			}
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v %v", file, info, err)
		}
	}
	out, _, err := caddytest.AuditCommand("check-proof", "factura.tlog-proof", "--key", key, "--format", "json")
	object := caddytest.Response{Body: []byte(out)}
	if err != nil || object.At(t, "/proven") != "true" || object.At(t, "/tree_size") != "3" || object.At(t, "/content") != `"present"` ||
		object.At(t, "/record/answer/FeCabResp/Resultado") != `"A"` {
		t.Errorf("%v %s", err, out)
	}
}

// TestProveWritesToTheOutput the same as into a file, by the record's address too.
func TestProveWritesToTheOutput(t *testing.T) {
	s, _ := provenSite(t)
	want, err := os.ReadFile("factura.tlog-proof")
	if err != nil {
		t.Fatal(err)
	}
	address := s.Last().Log + "/1"
	out, errs, err := caddytest.AuditCommand("prove", address, "--store", "sqlite:"+s.Store)
	if err != nil || out != string(want) || !strings.Contains(errs, "the outcome of the intent "+s.Last().Log+"/0") {
		t.Errorf("%v %q\n%s\nwant\n%s", err, errs, out, want)
	}
	if out, errs, err := caddytest.AuditCommand("prove", "2", "--store", "sqlite:"+s.Store); err != nil || errs != "" || !strings.Contains(out, "\nindex 2\n") {
		t.Errorf("a query: %v %q %s", err, errs, out)
	}
	for _, test := range []struct {
		arguments []string
		says      string
	}{
		{[]string{"prove", "9"}, "has no record 9"},
		{[]string{"prove", "elsewhere/0"}, "there is no log elsewhere: the store has " + s.Last().Log},
		{[]string{"prove", "first"}, "is not an index"},
		{[]string{"prove", "1", "--output", "factura.tlog-proof"}, "factura.tlog-proof is there already, and stays as it is: name another file"},
		{[]string{"prove", "1", "--output", "no/folder"}, "no such file"},
	} {
		if _, _, err := caddytest.AuditCommand(append(test.arguments, "--store", "sqlite:"+s.Store)...); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v: %v, want %s", test.arguments, err, test.says)
		}
	}
	// The intent's file is there already: neither of the two is left.
	if err := os.Rename("factura.tlog-proof", "moved"); err != nil {
		t.Fatal(err)
	}
	_, _, err = caddytest.AuditCommand("prove", "1", "--store", "sqlite:"+s.Store, "--output", "factura.tlog-proof")
	if _, missing := os.Stat("factura.tlog-proof"); err == nil || !errors.Is(missing, fs.ErrNotExist) {
		t.Errorf("half of it was made: %v", err)
	}
}

// TestProveOfATrailThatWasChanged gives nothing, and says that it proves nothing.
func TestProveOfATrailThatWasChanged(t *testing.T) {
	s, _ := provenSite(t)
	if err := caddytest.LoadCaddyfile("{\n admin off\n persist_config off\n}\n"); err != nil {
		t.Fatal(err)
	}
	caddytest.Tamper(t, s.Store, "UPDATE segments SET leaves = zeroblob(length(leaves)) WHERE id & 1 = 0")
	out, _, err := caddytest.AuditCommand("prove", "1", "--store", "sqlite:"+s.Store)
	if out != "" || !errors.Is(err, audit.ErrUnproven) {
		t.Errorf("%v %s", err, out)
	}
}

// TestCheckProofEndsWithTheRightStatus through Caddy's own main function.
func TestCheckProofEndsWithTheRightStatus(t *testing.T) {
	s, key := provenSite(t)
	text, err := os.ReadFile("factura.tlog-proof")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"changed": strings.Replace(string(text), "index 1", "index 0", 1), "crlf": strings.ReplaceAll(string(text), "\n", "\r\n"),
		"damaged": string(bytes.Replace(text, []byte("\n\n"), []byte("\nAAAA\n\n"), 1)), "letter": "Estimados:\n", "log.pub": key,
		"bent": strings.Replace(string(text), "\n3\n", "\n2\n", 1),
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other := caddytest.NewKey(t, "other").Verifier()
	for arguments, want := range map[string]struct {
		status int
		says   string
	}{
		"factura.tlog-proof --key log.pub":             {0, ""},
		"changed --key log.pub":                        {1, "the proof does not hold: the record, its index or its hashes are not those of the tree"},
		"bent --key log.pub":                           {1, "the proof does not hold: its checkpoint is not signed by the key"},
		"damaged --key log.pub":                        {1, "is not a hash"},
		"factura.tlog-proof --key " + other:            {1, "not signed by the key " + other},
		"crlf --key log.pub":                           {1, "crlf: the proof does not hold: its line ends were changed on the way"},
		"letter --key log.pub":                         {2, "letter: this is not a proof: its first line is not c2sp.org/tlog-proof@v1"},
		"none --key log.pub":                           {2, "open none: no such file"},
		"factura.tlog-proof":                           {2, "--key is missing"},
		"factura.tlog-proof --key none.pub":            {2, "this is neither a public key of the form NAME+HASH+KEY nor a file"},
		"factura.tlog-proof --key letter":              {2, "letter holds no public key"},
		"factura.tlog-proof --key " + s.Store + ".key": {2, "holds the private key"},
		"factura.tlog-proof --key " + caddytest.NewKey(t, "other").Private(): {2, "this is a private key"},
		"factura.tlog-proof --key log.pub --format xml":                      {2, "use table or json"},
		"--key log.pub":                    {2, "FILE is missing"},
		"factura.tlog-proof --kye log.pub": {2, "unknown flag"},
	} {
		process := caddytest.CommandProcess(t, "wsfev1 audit check-proof "+arguments)
		out, err := process.CombinedOutput()
		if process.ProcessState == nil {
			t.Fatal(err)
		}
		if got := process.ProcessState.ExitCode(); got != want.status || !strings.Contains(string(out), want.says) {
			t.Errorf("%s: status %d, want %d with %q:\n%s", arguments, got, want.status, want.says, out)
		}
		if strings.Contains(string(out), "PRIVATE+KEY+") {
			t.Errorf("%s: the key is in what is said:\n%s", arguments, out)
		}
	}
}

// TestEvidenceProvesEachRecord by the public key in its manifest, and without the
// credentials.
func TestEvidenceProvesEachRecord(t *testing.T) {
	s, key := provenSite(t)
	output := filepath.Join(t.TempDir(), "evidence")
	if err := evidenceFor(s, output); err != nil {
		t.Fatal(err)
	}
	files := filesOf(t, output)
	if got := (caddytest.Response{Body: []byte(files["manifest.json"])}).At(t, "/public_key"); got != `"`+key+`"` {
		t.Errorf("public key of the manifest: %s", got)
	}
	if !strings.Contains(html.UnescapeString(files["index.html"]), key) || !strings.Contains(files["index.html"], "audit check-proof") {
		t.Errorf("the page does not say how to check:\n%s", files["index.html"])
	}
	var proven []audit.Kind
	for name, content := range files {
		if !strings.HasSuffix(name, ".tlog-proof") {
			continue
		}
		proof, err := audit.ParseProof([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		record, err := proof.Check(key)
		if err != nil {
			t.Fatal(err)
		}
		proven = append(proven, record.Kind)
		for _, secret := range []string{caddytest.Token, caddytest.Sign} {
			if bytes.Contains(proof.Form.Summary, []byte(secret)) || bytes.Contains(proof.Form.Content, []byte(secret)) {
				t.Errorf("%s holds credentials", name)
			}
		}
	}
	if slices.Sort(proven); !slices.Equal(proven, []audit.Kind{audit.KindIntent, audit.KindOutcome}) {
		t.Errorf("proven: %v", proven)
	}
}
