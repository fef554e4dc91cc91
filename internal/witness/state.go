package witness

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/fielato/fielato/internal/cosignature"
)

const (
	stateHead = "fielato witness state 1\n"
	// maxState is the most bytes of a state: heads of some thousand logs.
	maxState = 64 << 20
)

// State is the content of a witness's store: the newest head of each log, sorted by origin. Each has the witness's
// own signature, so that nobody can change the file without its key.
type State struct {
	Witness *cosignature.Verifier
	Heads   []Head
}

var errState = errors.New("this is not the store of a witness, or it was changed or cut off")

// Encode returns the text of the file.
func (s State) Encode() []byte {
	text := fmt.Appendf(nil, "%switness %s\nlogs %d\n", stateHead, s.Witness, len(s.Heads))
	for _, head := range s.Heads {
		text = appendNote(text, "head", head.Signed)
	}
	return text
}

// ParseState reads what Encode writes, and nothing else. It verifies the witness's signatures.
func ParseState(text []byte) (s State, err error) {
	rest, found := bytes.CutPrefix(text, []byte(stateHead))
	if !found || len(text) > maxState {
		return s, errState
	}
	if s.Witness, rest, err = cutWitness(rest); err != nil {
		return s, fmt.Errorf("%w: %w", errState, err)
	}
	line, rest, whole := bytes.Cut(rest, []byte("\n"))
	number, isNumber := strings.CutPrefix(string(line), "logs ")
	logs, err := parseSize(number)
	if err != nil || !isNumber || !whole {
		return s, fmt.Errorf("%w: it does not say how many logs it has", errState)
	}
	for len(rest) > 0 {
		var signed []byte
		if signed, rest, err = cutNote(rest, "head"); err != nil {
			return s, fmt.Errorf("%w: %w", errState, err)
		}
		head, err := readHead(signed, s.Witness)
		if err != nil {
			return s, fmt.Errorf("%w: %w", errState, err)
		}
		if n := len(s.Heads); n > 0 && s.Heads[n-1].Origin >= head.Origin {
			return s, fmt.Errorf("%w: its logs are not in order", errState)
		}
		s.Heads = append(s.Heads, head)
	}
	if uint64(len(s.Heads)) != logs {
		return s, fmt.Errorf("%w: it has %d logs and says %d", errState, len(s.Heads), logs)
	}
	return s, nil
}

// cutWitness reads the line with the public key of the witness.
func cutWitness(text []byte) (*cosignature.Verifier, []byte, error) {
	line, rest, found := bytes.Cut(text, []byte("\n"))
	key, isKey := strings.CutPrefix(string(line), "witness ")
	if !found || !isKey {
		return nil, nil, errors.New("it does not name its witness")
	}
	witness, err := cosignature.ParseVerifier(key)
	return witness, rest, err
}
