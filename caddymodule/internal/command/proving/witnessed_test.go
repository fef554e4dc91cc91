package proving_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
)

// witnessedEvidence has in the working folder all that can be verified of a trail of a gateway that two witnesses
// have signed, a.example and b.example, and not c.example: audit.db, proof, folder and export. It returns the log's
// public key.
func witnessedEvidence(t *testing.T) (key string) {
	t.Helper()
	s := caddytest.Evidence(t)
	caddytest.CosignStore(t, s.Store, s.Last().Log, audittest.Witness(t, "a.example"), audittest.Witness(t, "b.example"))
	s.Post("FECAESolicitar", caddytest.Invoice(2)) // the witnesses have not signed it yet
	t.Chdir(t.TempDir())
	for _, arguments := range []string{
		"prove 1 --output proof", "export --output export", "evidence --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 1 --output folder",
		"evidence --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 2 --output younger",
	} {
		if _, errs, err := caddytest.AuditCommand(append(strings.Fields(arguments), "--store", "sqlite:"+s.Store)...); err != nil {
			t.Fatalf("%s: %v\n%s", arguments, err, errs)
		}
	}
	if err := os.Symlink(s.Store, "audit.db"); err != nil {
		t.Fatal(err)
	}
	return caddytest.KeyOf(t, "export")
}

// TestTheSignaturesOfWitnessesAreAskedFor of all that has a checkpoint, and by all that verify. All of them name who has
// signed and when, and who has not.
func TestTheSignaturesOfWitnessesAreAskedFor(t *testing.T) {
	program := filepath.Join(caddytest.Root(t), "docs", "verify.py")
	key := witnessedEvidence(t)
	a, b, c := audittest.Witness(t, "a.example").String(), audittest.Witness(t, "b.example").String(), audittest.Witness(t, "c.example").String()
	policy := func(name, text string) string {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	named := "witness a " + a + "\nwitness b " + b + "\nwitness c " + c + "\n"
	if page, err := os.ReadFile("folder/index.html"); err != nil || !strings.Contains(string(page), "<code>a.example</code>, <code>b.example</code>.") {
		t.Errorf("%v: the page of the evidence does not name the witnesses", err)
	}
	for name, test := range map[string]struct {
		flags []string
		says  []string
		good  bool
	}{
		"nobody":       {nil, []string{"a.example", "b.example"}, true},
		"one":          {[]string{"--witness", a}, []string{"a.example at 2026-11-27T12:00:00-03:00", "b.example"}, true},
		"a file":       {[]string{"--witness", policy("a.pub", a+"\n")}, []string{"a.example at 2026-11-27T12:00:00-03:00"}, true},
		"two of three": {[]string{"--witness", a, "--witness", b, "--witness", c}, []string{"a.example at", "b.example at", "not by c.example"}, true},
		"all three":    {[]string{"--witness", a, "--witness", b, "--witness", c, "--quorum", "3"}, []string{"not by c.example"}, false},
		"another":      {[]string{"--witness", c}, []string{"not by c.example"}, false},
		"a policy":     {[]string{"--policy", policy("good", "log "+key+"\n"+named+"group g any c b\ngroup h all g a\nquorum h\n")}, []string{"a.example at", "b.example at", "not by c.example"}, true},
		"not enough":   {[]string{"--policy", policy("bad", named+"group g all c b\nquorum g\n")}, []string{"not by c.example"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, what := range []string{"check-proof proof", "verify --store sqlite:audit.db", "verify --export export", "verify --export folder"} {
				out, errs, err := caddytest.AuditCommand(append(append(strings.Fields(what), "--key", key), test.flags...)...)
				said := out + errs
				if err != nil {
					said += err.Error()
				}
				wantSaid(t, what, said, err == nil, test.good, test.says)
			}
			for _, path := range []string{"proof", "export", "folder"} {
				cmd := exec.CommandContext(t.Context(), pythonProgram(t), append(append([]string{"-B", program}, test.flags...), key, path)...)
				out, err := cmd.CombinedOutput()
				wantSaid(t, "verify.py "+path, string(out), err == nil, test.good, test.says)
			}
		})
	}
	wantSaid(t, "a record that the witness has not signed yet", verified(t, "--export", "younger", "--key", key, "--witness", a), false, false, []string{"record.tlog-proof"})
}

func verified(t *testing.T, arguments ...string) string {
	t.Helper()
	out, errs, err := caddytest.AuditCommand(append([]string{"verify"}, arguments...)...)
	if err == nil {
		t.Errorf("%v is good:\n%s", arguments, out)
		return out + errs
	}
	return out + errs + err.Error()
}

func wantSaid(t *testing.T, what, said string, good, want bool, says []string) {
	t.Helper()
	if good != want {
		t.Errorf("%s: good is %v, want %v\n%s", what, good, want, said)
	}
	for _, text := range says {
		if !strings.Contains(said, text) {
			t.Errorf("%s does not say %q:\n%s", what, text, said)
		}
	}
	if strings.Contains(said, "Traceback") {
		t.Errorf("%s: %s", what, said)
	}
}

// TestMistakesInWhatIsAskedOfWitnesses give the status 2 and say how to mend it; a missing signature gives 1.
func TestMistakesInWhatIsAskedOfWitnesses(t *testing.T) {
	key := witnessedEvidence(t)
	a := audittest.Witness(t, "a.example").String()
	if err := os.WriteFile("policy", []byte("log "+audittest.Key(t, "gw-7").Verifier()+"\nwitness a "+a+"\nquorum a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]struct {
		status int
		says   string
	}{
		"--witness " + key: {2, "not the public key of a witness"}, "--quorum 1": {2, "give their keys with --witness"},
		"--witness " + a + " --quorum 2": {2, "2 of 1 witnesses"}, "--witness " + a + " --witness " + a: {2, "there twice"},
		"--policy policy --witness " + a: {2, "leave --witness out"}, "--policy policy --quorum 1": {2, "leave --quorum out"}, "--policy missing": {2, "no such file"},
		"--policy policy": {2, "does not name the key of this log"}, "--witness " + audittest.Witness(t, "c.example").String(): {1, "have not signed it"},
	} {
		for _, what := range []string{"check-proof proof", "verify --store sqlite:audit.db", "verify --export export", "verify --export folder"} {
			if out, errs, err := caddytest.AuditCommand(strings.Fields(what + " --key " + key + " " + flags)...); err == nil || !strings.Contains(out+errs+err.Error(), want.says) {
				t.Errorf("%s %s: %v, want %q:\n%s%s", what, flags, err, want.says, out, errs)
			}
			if want.status == 2 && flags != "--policy policy" {
				continue // the wrapper of all commands gives it
			}
			if status, out, errs := runProcess(t, "wsfev1 audit "+what+" --key "+key+" "+flags); status != want.status {
				t.Errorf("%s %s: status %d, want %d:\n%s%s", what, flags, status, want.status, out, errs)
			}
		}
	}
}
