package witness

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

const (
	// MaxRequest is the most bytes of a request. The longest proof takes 3 kB, and a checkpoint with all its
	// signatures rarely as much.
	MaxRequest = 64 << 10
	// maxProof is the most hashes of a proof: one for each bit of a size.
	maxProof = 63
)

// Request asks a witness for a cosignature: the body of add-checkpoint.
type Request struct {
	// Old is the size that the witness has signed last, as far as the client knows.
	Old uint64
	// Proof shows that the checkpoint continues the log as it was with Old records (RFC 6962, section 2.1.2).
	Proof tlog.TreeProof
	// Checkpoint is the signed note.
	Checkpoint []byte
}

var errRequest = errors.New("the request has not the form of add-checkpoint")

// ParseRequest reads a request, which must be written as Encode writes it. It does not look into the checkpoint.
func ParseRequest(body []byte) (r Request, err error) {
	if len(body) > MaxRequest {
		return r, fmt.Errorf("%w: it has more than %d bytes", errRequest, MaxRequest)
	}
	first, rest, found := bytes.Cut(body, []byte("\n"))
	text, isOld := strings.CutPrefix(string(first), "old ")
	if !found || !isOld {
		return r, fmt.Errorf(`%w: its first line is not "old" and a size`, errRequest)
	}
	if r.Old, err = parseSize(text); err != nil {
		return r, fmt.Errorf("%w: its old size %w", errRequest, err)
	}
	if r.Proof, rest, err = parseProof(rest); err != nil {
		return r, fmt.Errorf("%w: %w", errRequest, err)
	}
	if r.Checkpoint = rest; len(rest) == 0 {
		return r, fmt.Errorf("%w: there is no checkpoint", errRequest)
	}
	return r, nil
}

// Encode returns the body of the request.
func (r Request) Encode() []byte {
	body := fmt.Appendf(nil, "old %d\n", r.Old)
	return append(appendProof(body, r.Proof), r.Checkpoint...)
}

// parseSize reads a decimal number, which has one way to be written.
func parseSize(text string) (uint64, error) {
	size, err := strconv.ParseUint(text, 10, 63)
	if err != nil || strconv.FormatUint(size, 10) != text {
		return 0, fmt.Errorf("%.40q is not a number", text)
	}
	return size, nil
}

// appendProof adds the hashes of a proof, a line each, and an empty line.
func appendProof(text []byte, proof tlog.TreeProof) []byte {
	for _, hash := range proof {
		text = append(base64.StdEncoding.AppendEncode(text, hash[:]), '\n')
	}
	return append(text, '\n')
}

// parseProof reads what appendProof writes, and returns the rest of the text.
func parseProof(text []byte) (proof tlog.TreeProof, rest []byte, err error) {
	for {
		line, rest, found := bytes.Cut(text, []byte("\n"))
		if !found {
			return nil, nil, errors.New("the proof does not end with an empty line")
		}
		if text = rest; len(line) == 0 {
			return proof, rest, nil
		}
		if len(proof) == maxProof {
			return nil, nil, fmt.Errorf("the proof has more than %d hashes", maxProof)
		}
		hash, err := base64.StdEncoding.Strict().DecodeString(string(line))
		if err != nil || len(hash) != tlog.HashSize || bytes.ContainsRune(line, '\r') {
			return nil, nil, fmt.Errorf("line %d of the proof is not a hash", len(proof)+1)
		}
		proof = append(proof, tlog.Hash(hash))
	}
}
