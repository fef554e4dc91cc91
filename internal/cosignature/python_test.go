package cosignature_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/audittest"
)

// judgeKnown prints what docs/witnesses.py makes of the note, by the policy of one witness.
const judgeKnown = `
import sys
import witnesses
_, witness, log, note = sys.argv
print(*witnesses.asked([witness], None).judge(note, log), sep="; ")
`

// TestThePythonVerifierKnowsTheAnswer, and no other.
func TestThePythonVerifierKnowsTheAnswer(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	log := audittest.Key(t, "gw-1").Verifier()
	for _, test := range []struct{ note, want string }{
		{knownText + "\n" + knownLine, "testigo.example/w1 at 2026-11-20T15:05:00-03:00; True"},
		{strings.Replace(knownText, "\n2\n", "\n3\n", 1) + "\n" + knownLine, "the signature of the witness testigo.example/w1 is wrong"},
		{knownText + "\n" + strings.Replace(knownLine, "testigo", "otro", 1), "not by testigo.example/w1; a line by a key that was not given: otro.example/w1; False"},
	} {
		cmd := exec.CommandContext(t.Context(), python, "-B", "-c", judgeKnown, knownVkey, log, test.note)
		cmd.Dir = "../../docs"
		if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), test.want) {
			t.Errorf("it says %s, want %s", out, test.want)
		}
	}
}
