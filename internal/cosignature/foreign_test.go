package cosignature_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/testrun"
)

// TestOthersJudgeAProofAsWeDo: torchwood and transparency-dev's formats, unmodified, take a proof with cosignatures, and
// agree about random policies and random signatures.
func TestOthersJudgeAProofAsWeDo(t *testing.T) {
	program := testrun.Foreign(t, "testdata/foreign", ".")
	const log = "gw-1"
	grown := audittest.NewGrown(t, log)
	grown.Grow(7)
	proof, err := audit.Prove(t.Context(), grown.Store, log, grown.Verifier(), 3)
	if err != nil {
		t.Fatal(err)
	}
	newest := bytes.Clone(proof.Checkpoint)
	var witnesses []*cosignature.Key
	for i := range 7 {
		witnesses = append(witnesses, audittest.Witness(t, fmt.Sprintf("w%d.example", i)))
	}
	var cases bytes.Buffer
	var ours []string
	random := rand.New(rand.NewPCG(39, 2))
	for range 200 {
		var signers []*cosignature.Key
		for _, i := range random.Perm(len(witnesses))[:random.IntN(len(witnesses)+1)] {
			signers = append(signers, witnesses[i])
		}
		proof.Checkpoint = audittest.Cosign(t, newest, time.Unix(knownTime, 0), signers...)
		text := randomPolicy(random, grown.Verifier(), witnesses)
		policy, err := cosignature.ParsePolicy([]byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		verdict, err := policy.Judge(proof.Checkpoint, grown.Verifier())
		if err != nil {
			t.Fatal(err)
		}
		ours = append(ours, map[bool]string{true: "yes", false: "no"}[verdict.Satisfied])
		if err := json.NewEncoder(&cases).Encode(map[string]string{"Policy": text, "Proof": string(proof.Marshal())}); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.CommandContext(t.Context(), program)
	run.Stdin = &cases
	output, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	theirs := strings.Split(strings.TrimSpace(string(output)), "\n")
	yes := 0
	for i := range ours {
		if ours[i] != theirs[i] {
			t.Errorf("case %d: we say %s, they %s", i, ours[i], theirs[i])
		}
		if ours[i] == "yes" {
			yes++
		}
	}
	if yes < 20 || yes > 180 {
		t.Errorf("%d of %d proofs have what their policy asks for: too much alike", yes, len(ours))
	}
}

// randomPolicy puts witnesses and groups into groups until one is left, or asks for one of them.
func randomPolicy(random *rand.Rand, log string, witnesses []*cosignature.Key) string {
	var text strings.Builder
	fmt.Fprintln(&text, "log", log)
	var free []string
	for i, w := range witnesses {
		name := fmt.Sprintf("w%d", i)
		fmt.Fprintf(&text, "witness %s %s https://%s/\n", name, w, w.Verifier().Name())
		free = append(free, name)
	}
	for n := 0; len(free) > 1 && random.IntN(6) > 0; n++ {
		random.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
		size := 1 + random.IntN(len(free))
		threshold := []string{"any", "all", fmt.Sprint(1 + random.IntN(size))}[random.IntN(3)]
		name := fmt.Sprintf("g%d", n)
		fmt.Fprintf(&text, "group %s %s %s\n", name, threshold, strings.Join(free[:size], " "))
		free = append(free[size:], name)
	}
	fmt.Fprintln(&text, "quorum", append(free, "none")[random.IntN(len(free)+1)])
	return text.String()
}
