package witnesscmd_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/witness"
)

// evidence returns the one file that the witness has kept.
func (s *site) evidence() string {
	s.t.Helper()
	files, err := filepath.Glob(s.store + ".evidence/*")
	if err != nil || len(files) != 1 {
		s.t.Fatalf("%q, %v", files, err)
	}
	return files[0]
}

// status returns the exit status of `witness check-evidence`: a status above 1 is in Caddy's own error.
func status(err error) int {
	switch {
	case err == nil:
		return 0
	case strings.Contains(flat(err), "exiting with status 2"):
		return 2
	}
	return 1
}

// flat returns the texts of an error and of all that it wraps.
func flat(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			text += "\n" + flat(one)
		}
		return text
	}
	return text + "\n" + flat(errors.Unwrap(err))
}

// TestEvidenceIsJudgedWithoutTheWitness: what each kind shows, in words, for programs, and as exit status.
func TestEvidenceIsJudgedWithoutTheWitness(t *testing.T) {
	for name, c := range map[string]struct {
		size    uint64
		garbage bool
		verdict witness.Verdict
		status  int
		says    []string
	}{
		"forked":    {5, false, witness.Forked, 0, []string{"one root at one size", "two histories"}},
		"rewritten": {9, false, witness.Rewritten, 0, []string{"root at 5 records: ", "two histories"}},
		"unproven":  {9, true, witness.Unproven, 1, []string{"proves nothing yet", "anybody can send a wrong proof"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.start()
			if got := s.add(s.history, 0, 5); got.status != http.StatusOK {
				t.Fatalf("%+v", got)
			}
			request := witness.Request{Old: 5, Proof: s.rewritten.Prove(t, 5, c.size), Checkpoint: s.rewritten.Signed(t, s.log, logName, c.size)}
			if c.garbage {
				request.Proof[0][0] ^= 1
			}
			if got := s.do(http.MethodPost, "/add-checkpoint", request.Encode()); got.status != http.StatusUnprocessableEntity {
				t.Fatalf("%+v", got)
			}
			file := s.evidence()
			out, _, err := caddytest.RunCommand("witness", "check-evidence", file, "--log", s.log.Verifier(), "--witness", s.public.String())
			if status(err) != c.status {
				t.Errorf("status %d: %v", status(err), err)
			}
			for _, want := range append(c.says, string(c.verdict), "fielato/gw-1", s.history.Root(t, 5).String(), s.rewritten.Root(t, c.size).String(), "cosigned by the witness at 2") {
				if !strings.Contains(out, want) {
					t.Errorf("it lacks %q:\n%s", want, out)
				}
			}
			out, _, err = caddytest.RunCommand("witness", "check-evidence", file, "--log", writeFile(t, s.folder, "gw-1.pub", s.log.Verifier()+"\n"), "--format", "json")
			var object struct {
				Verdict   witness.Verdict `json:"verdict"`
				Rewritten bool            `json:"proves_rewriting"`
				OtherRoot string          `json:"other_root"`
			}
			if failed := json.Unmarshal([]byte(out), &object); failed != nil || status(err) != c.status || object.Verdict != c.verdict || object.Rewritten != (c.status == 0) {
				t.Errorf("%v, %v\n%s", failed, err, out)
			}
			if c.verdict == witness.Rewritten && object.OtherRoot != s.rewritten.Root(t, 5).String() {
				t.Errorf("%s", out)
			}
		})
	}
}

// TestWhatIsNoEvidence: forged, of another log, damaged, and what cannot be checked at all.
func TestWhatIsNoEvidence(t *testing.T) {
	s := newSite(t)
	s.start()
	s.add(s.history, 0, 5)
	s.add(s.rewritten, 5, 9)
	file, log := s.evidence(), s.log.Verifier()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	evidence, err := witness.ParseEvidence(text)
	if err != nil {
		t.Fatal(err)
	}
	other := audittest.Key(t, "gw-2")
	forged := evidence
	forged.Refused = s.history.Signed(t, other, logName, 5)
	honest := evidence
	honest.Refused, honest.Proof = s.history.Signed(t, s.log, logName, 9), s.history.Prove(t, 5, 9)
	write := func(name string, e witness.Evidence) string { return writeFile(t, s.folder, name, string(e.Encode())) }
	stranger, err := audit.NewKey(zeros{}, logName)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file, log string
		more      []string
		status    int
		says      string
	}{
		"signed by another":   {write("forged.txt", forged), log, nil, 1, "no key that this witness knows"},
		"an honest log":       {write("honest.txt", honest), log, nil, 1, "does not prove"},
		"the key of another":  {file, other.Verifier(), nil, 1, "not the log of the key"},
		"another key of it":   {file, stranger.Verifier(), nil, 1, "no key that this witness knows"},
		"another witness":     {file, log, []string{"--witness", "w+9cc02d12+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs"}, 2, "not the public key of a witness"},
		"no key":              {file, "", nil, 2, "--log"},
		"no such file":        {file + "-2", log, nil, 2, "no such file"},
		"something else":      {s.store, log, nil, 2, "not evidence"},
		"cut off":             {writeFile(t, s.folder, "cut.txt", string(text[:len(text)-1])), log, nil, 2, "not evidence"},
		"changed and as long": {writeFile(t, s.folder, "changed.txt", strings.Replace(string(text), "\n9\n", "\n8\n", 1)), log, nil, 1, "not what the key"},
	} {
		arguments := append([]string{"witness", "check-evidence", c.file}, c.more...)
		if c.log != "" {
			arguments = append(arguments, "--log", c.log)
		}
		out, _, err := caddytest.RunCommand(arguments...)
		if status(err) != c.status || !strings.Contains(flat(err), c.says) {
			t.Errorf("%s: status %d: %v\n%s", name, status(err), err, out)
		}
	}
}

// zeros is no random.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
