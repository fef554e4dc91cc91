package proof_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/testrun"
)

// judgeByScript runs the two scripts of the page as they are shipped, and has them judge each note that comes in.
const judgeByScript = `
const fs = require("fs"), vm = require("vm");
const window = { crypto: require("crypto").webcrypto, isSecureContext: true };
const page = vm.createContext({ window, crypto: window.crypto, TextEncoder, TextDecoder, atob, btoa, document: { documentElement: { lang: "es" } } });
for (const script of ["proof-verify.js", "proof-witnesses.js"]) { vm.runInContext(fs.readFileSync("assets/" + script, "utf8"), page); }
(async function () {
  const found = [];
  for (const { witness, note } of JSON.parse(fs.readFileSync(0, "utf8"))) {
    const steps = [], policy = await window.fielatoWitnesses.read(witness, "");
    await window.fielatoWitnesses.judge(steps, "\n\n" + note, policy, "");
    found.push(steps.map(s => [s.name, s.computed, s.said, s.ok].join(" ")).join("; "));
  }
  console.log(JSON.stringify(found));
})();`

// knownCase is a note that the scripts judge by the public key of a witness.
type knownCase struct {
	Witness string `json:"witness"`
	Note    string `json:"note"`
	want    string
}

// knownCases are the known answer of a cosignature, and it with any one bit changed, which nobody has signed.
func knownCases(t *testing.T) []knownCase {
	t.Helper()
	var known struct{ Witness, Text, Line string }
	text, err := os.ReadFile("../../../../internal/cosignature/testdata/known.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	name, encoded, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(known.Line, "— "), "\n"), " ")
	blob, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	signed := known.Text + "\n" + known.Line
	other, err := cosignature.NewKey(strings.NewReader(strings.Repeat("k", 32)), name)
	if err != nil {
		t.Fatal(err)
	}
	// The line says that it is by the other key, which has not signed it.
	borrowed := bytes.Clone(blob)
	id := other.Verifier().KeyHash()
	copy(borrowed, []byte{byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)})
	line := func(blob []byte) string {
		return fmt.Sprintf("%s\n— %s %s\n", known.Text, name, base64.StdEncoding.EncodeToString(blob))
	}
	const when, none, refused = "20/11/2026, 15:05:00 (UTC−3)", "quorum 0 1 false", "witness invalid "
	cases := []knownCase{
		{known.Witness, signed, "witness valid " + name + " · " + when + " true; quorum 1 1 true"},
		{known.Witness, strings.Replace(signed, "\n2\n", "\n3\n", 1), refused + name + " · " + when + " false; " + none},
		{other.String(), signed, "witness  " + name + " ; " + none},
		{other.String(), line(borrowed), refused + name + " · " + when + " false; " + none},
	}
	for bit := 32; bit < 8*len(blob); bit++ { // behind the key's hash
		changed := bytes.Clone(blob)
		changed[bit/8] ^= 1 << (bit % 8)
		cases = append(cases, knownCase{known.Witness, line(changed), refused + name + " · "})
	}
	return cases
}

// TestThePageKnowsTheAnswer of a cosignature that Go and verify.py are held to, and no other.
func TestThePageKnowsTheAnswer(t *testing.T) {
	node := testrun.Installed(t, "node")
	cases := knownCases(t)
	input, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), node, "-e", judgeByScript)
	run.Stdin = bytes.NewReader(input)
	out, err := run.Output()
	var found []string
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil || len(found) != len(cases) {
		t.Fatalf("%v: %d of %d\n%s", err, len(found), len(cases), out)
	}
	for i, c := range cases {
		if !strings.HasPrefix(found[i], c.want) || i > 0 && !strings.HasSuffix(found[i], "quorum 0 1 false") {
			t.Errorf("%s\nthe page says %s, want %s", c.Note, found[i], c.want)
		}
	}
}
