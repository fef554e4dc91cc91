package witness

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/durable"
)

const (
	signedHeadLine = "fielato witness signed 1\n"
	signedSuffix   = ".signed"
)

// SignedTree is the newest tree that a key has signed of a log.
type SignedTree struct {
	Origin string
	Size   uint64
	Root   tlog.Hash
}

// SignedTrees is the content of the file beside a witness's key: the trees that the key has signed, sorted by origin. It is
// made before the key is.
type SignedTrees struct {
	Witness *cosignature.Verifier
	Trees   []SignedTree
}

var errSigned = errors.New("this is not the list of what a witness has signed, or it was changed or cut off")

// SignedFile returns the path of the file beside a key.
func SignedFile(key string) string { return key + signedSuffix }

// Encode returns the text of the file.
func (s SignedTrees) Encode() []byte {
	text := fmt.Appendf(nil, "%switness %s\nlogs %d\n", signedHeadLine, s.Witness, len(s.Trees))
	for _, tree := range s.Trees {
		text = fmt.Appendf(text, "%d %s %s\n", tree.Size, tree.Root, tree.Origin)
	}
	return text
}

// ParseSigned reads what Encode writes, and nothing else.
func ParseSigned(text []byte) (s SignedTrees, err error) {
	rest, found := bytes.CutPrefix(text, []byte(signedHeadLine))
	if !found || len(text) > maxState {
		return s, errSigned
	}
	if s.Witness, rest, err = cutWitness(rest); err != nil {
		return s, fmt.Errorf("%w: %w", errSigned, err)
	}
	lines := strings.SplitAfter(string(rest), "\n")
	if lines[len(lines)-1] != "" || lines[0] != fmt.Sprintf("logs %d\n", len(lines)-2) {
		return s, fmt.Errorf("%w: it has not as many lines as it says", errSigned)
	}
	for _, line := range lines[1 : len(lines)-1] {
		tree, err := parseSignedTree(strings.TrimSuffix(line, "\n"))
		if n := len(s.Trees); err != nil || n > 0 && s.Trees[n-1].Origin >= tree.Origin {
			return s, fmt.Errorf("%w: %.200q", errSigned, line)
		}
		s.Trees = append(s.Trees, tree)
	}
	return s, nil
}

func parseSignedTree(line string) (tree SignedTree, err error) {
	parts := strings.SplitN(line, " ", 3)
	if len(parts) < 3 || parts[2] == "" {
		return tree, errSigned
	}
	if tree.Size, err = parseSize(parts[0]); err != nil {
		return tree, err
	}
	root, err := base64.StdEncoding.Strict().DecodeString(parts[1])
	if err != nil || len(root) != tlog.HashSize || strings.Contains(parts[1], "\r") {
		return tree, errSigned
	}
	tree.Root, tree.Origin = tlog.Hash(root), parts[2]
	return tree, nil
}

// readSigned reads the file beside a key. An error wraps fs.ErrNotExist if there is none.
func readSigned(file string) (SignedTrees, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return SignedTrees{}, err
	}
	signed, err := ParseSigned(text)
	if err != nil {
		return signed, fmt.Errorf("%s: %w", file, err)
	}
	return signed, nil
}

// Begin makes the file beside a key that is about to be made. It refuses if a key whose file is gone has signed
// something.
func Begin(keyFile string, witness *cosignature.Verifier) error {
	file := SignedFile(keyFile)
	before, err := readSigned(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(before.Trees) > 0:
		return fmt.Errorf("the private key %s is not there, but %s says that it has signed the log %s with %d records: put the key back. "+
			"If it is lost, move %s away and keep it: a new key is made then, and the operators of the logs need its public key",
			keyFile, file, before.Trees[0].Origin, before.Trees[0].Size, file)
	}
	return durable.Replace(file, SignedTrees{Witness: witness}.Encode(), 0o600)
}
