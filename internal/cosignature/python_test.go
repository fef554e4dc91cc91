package cosignature_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// judgeKnown prints what docs/witnesses.py makes of the known answer, in which a text was replaced by another one.
const judgeKnown = `
import json
import sys
import witnesses
_, log, old, new = sys.argv
with open("../internal/cosignature/testdata/known.json", encoding="utf-8") as file:
    known = json.load(file)
note = (known["text"] + "\n" + known["line"]).replace(old, new)
print(*witnesses.asked([known["witness"]], None).judge(note, log), sep="; ")
`

// TestThePythonVerifierKnowsTheAnswer, and no other.
func TestThePythonVerifierKnowsTheAnswer(t *testing.T) {
	python := testrun.Installed(t, "python3")
	log := audittest.Key(t, "gw-1").Verifier()
	for _, test := range []struct{ old, with, want string }{
		{"\n", "\n", "testigo.example/w1 at 2026-11-20T15:05:00-03:00; True"},
		{"\n2\n", "\n3\n", "the signature of the witness testigo.example/w1 is wrong"},
		{"testigo", "otro", "not by testigo.example/w1; a line by a key that was not given: otro.example/w1; False"},
	} {
		cmd := exec.CommandContext(t.Context(), python, "-B", "-c", judgeKnown, log, test.old, test.with)
		cmd.Dir = "../../docs"
		if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), test.want) {
			t.Errorf("it says %s, want %s", out, test.want)
		}
	}
}
