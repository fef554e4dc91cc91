package audit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"
)

const (
	// proofHeader is the first line of a proof in C2SP's form tlog-proof.
	proofHeader = "c2sp.org/tlog-proof@v1"
	// extraVersion is the first byte of a proof's extra data. Others keep proofs, so another way of
	// packing needs another version.
	extraVersion = 1

	// MaxProof is the length in bytes up to which a proof is read.
	MaxProof = 64 << 20
	// maxProvenRecord leaves space for base64, the hashes and the checkpoint.
	maxProvenRecord = 45 << 20
	// maxHashes is how many hashes there are between a leaf and the root, at most: the
	// size of a tree has 63 bits.
	maxHashes = 63
)

// Marshal returns the proof as text, in C2SP's form tlog-proof. The record is the extra
// data: a version, the presence, the summary with its length in front, and the content.
func (p *Proof) Marshal() []byte {
	extra := append(make([]byte, 0, p.Form.Len()+16), extraVersion, byte(p.Form.Presence))
	extra = append(appendText(extra, p.Form.Summary), p.Form.Content...)
	b := make([]byte, 0, base64.StdEncoding.EncodedLen(len(extra))+128+48*len(p.Hashes)+len(p.Checkpoint))
	b = append(b, proofHeader+"\nextra "...)
	b = base64.StdEncoding.AppendEncode(b, extra)
	b = append(b, "\nindex "...)
	b = append(strconv.AppendUint(b, p.Index, 10), '\n')
	for _, hash := range p.Hashes {
		b = append(base64.StdEncoding.AppendEncode(b, hash[:]), '\n')
	}
	b = append(b, '\n')
	return append(b, p.Checkpoint...)
}

// ParseProof reads what Marshal wrote, and nothing else. It checks the form alone; Check
// decides whether the proof holds. Errors wrap ErrUnproven where data was a proof before it was
// damaged. Others mean that it is none, or one of a newer form.
func ParseProof(data []byte) (*Proof, error) {
	if len(data) > MaxProof {
		return nil, fmt.Errorf("this is not a proof: it has %d bytes, more than %d", len(data), MaxProof)
	}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	switch string(first) {
	case proofHeader:
	case proofHeader + "\r":
		return nil, fmt.Errorf("%w: its line ends were changed on the way", ErrUnproven)
	default:
		return nil, fmt.Errorf("this is not a proof: its first line is not %s", proofHeader)
	}
	line, rest, _ := bytes.Cut(rest, []byte("\n"))
	packed, ok := bytes.CutPrefix(line, []byte("extra "))
	if !ok {
		return nil, errors.New("this is a proof without its record: the line extra is missing")
	}
	p := new(Proof)
	if err := p.unpack(packed); err != nil {
		return nil, err
	}
	line, rest, _ = bytes.Cut(rest, []byte("\n"))
	number, _ := bytes.CutPrefix(line, []byte("index "))
	var err error
	if p.Index, err = strconv.ParseUint(string(number), 10, 63); err != nil {
		return nil, fmt.Errorf("%w: its index is not a number", ErrUnproven)
	}
	for line, rest, _ = bytes.Cut(rest, []byte("\n")); len(line) > 0; line, rest, _ = bytes.Cut(rest, []byte("\n")) {
		hash, err := base64.StdEncoding.AppendDecode(nil, line)
		if err != nil || len(hash) != tlog.HashSize || len(p.Hashes) == maxHashes {
			return nil, fmt.Errorf("%w: its line %d is not a hash", ErrUnproven, len(p.Hashes)+4)
		}
		p.Hashes = append(p.Hashes, tlog.Hash(hash))
	}
	p.Checkpoint = rest
	// base64, numbers and line ends could be written in other ways, but a proof has only one
	// text.
	if !bytes.Equal(p.Marshal(), data) {
		return nil, fmt.Errorf("%w: it is not written as it was", ErrUnproven)
	}
	return p, nil
}

// unpack reads the record out of the extra data.
func (p *Proof) unpack(line []byte) error {
	extra, err := base64.StdEncoding.AppendDecode(nil, line)
	if err != nil {
		return fmt.Errorf("%w: its record is not in base64", ErrUnproven)
	}
	d := decoder{rest: extra}
	if version := d.byte(); d.err == nil && version != extraVersion {
		return fmt.Errorf("the proof packs its record in version %d, this build reads %d", version, extraVersion)
	}
	p.Form.Presence = Presence(d.byte())
	p.Form.Summary = d.take(d.uvarint(), "summary")
	p.Form.Content = d.rest
	if d.err != nil || len(p.Form.Summary) == 0 || p.Form.Presence > Sealed ||
		(p.Form.Presence == Present) != (len(p.Form.Content) > 0) {
		return fmt.Errorf("%w: its record is not whole", ErrUnproven)
	}
	return nil
}
