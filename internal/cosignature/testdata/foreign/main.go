// Command foreign verifies proofs by policies. It reads a JSON object from each line of its input, and prints a line
// for each: "yes" if torchwood and transparency-dev's formats both find that the proof has what the policy asks for,
// "no" if neither does, and what they say if they differ.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"filippo.io/torchwood"
	"github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/formats/witness"
	"golang.org/x/mod/sumdb/tlog"
)

const maxLine = 1 << 20

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var one struct{ Policy, Proof string }
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(verdict(one.Policy, one.Proof))
	}
}

func verdict(policy, text string) string {
	a, b := byTorchwood(policy, text), byFormats(policy, text)
	switch {
	case a == nil && b == nil:
		return "yes"
	case a != nil && b != nil:
		return "no"
	}
	return fmt.Sprintf("torchwood: %v, formats: %v", a, b)
}

func byTorchwood(policy, text string) error {
	p, err := torchwood.ParsePolicy([]byte(policy))
	if err != nil {
		return err
	}
	leaf, err := leafOf(text)
	if err != nil {
		return err
	}
	return torchwood.VerifyProof(p, leaf, []byte(text))
}

// byFormats looks at the witnesses alone: this library knows nothing of the log in a policy.
func byFormats(policy, text string) error {
	group, err := witness.ParsePolicy([]byte(policy))
	if err != nil {
		return err
	}
	var parsed proof.TLogProof
	if err := parsed.Unmarshal([]byte(text)); err != nil {
		return err
	}
	if !group.Satisfied(parsed.Checkpoint) {
		return errors.New("the witnesses are not those of the policy")
	}
	return nil
}

// leafOf returns the hash of the record's summary, which is in the extra data behind a version, a mark and a length.
func leafOf(text string) (tlog.Hash, error) {
	_, rest, _ := strings.Cut(text, "\nextra ")
	line, _, _ := strings.Cut(rest, "\n")
	extra, err := base64.StdEncoding.DecodeString(line)
	if err != nil || len(extra) < 3 {
		return tlog.Hash{}, errors.New("the proof has no record")
	}
	length, n := binary.Uvarint(extra[2:])
	if n <= 0 || length > uint64(len(extra)-2-n) {
		return tlog.Hash{}, errors.New("the proof has no record")
	}
	return tlog.Hash(sha256.Sum256(append([]byte{0}, extra[2+n:2+n+int(length)]...))), nil
}
