package evidence

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/internal/timestamp"
)

// consistencyFile stands beside the files of a time-stamp in the folder of an exchange: the proof that the checkpoint that
// was stamped and the checkpoint of the record's proof are of one history.
const consistencyFile = "timestamp.consistency"

// stamp returns the files of the earliest time-stamp that is over a record, none if there is none. proof is the file with
// the record's proof, nil for none.
func (b *evidenceBundle) stamp(ctx context.Context, r *audit.Record, proof []byte) ([]file, *timestamped.Kept, error) {
	if proof == nil {
		return nil, nil, nil
	}
	verifier := b.keyOf(r.Log)
	kept, err := timestamped.Shelf{Store: b.store, Log: r.Log, Verifier: verifier}.Covering(ctx, r.Index, r.Time)
	if errors.Is(err, timestamped.ErrNone) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	parsed, err := audit.ParseProof(proof)
	if err != nil {
		return nil, nil, err
	}
	tree, err := parsed.Tree(verifier)
	if err != nil {
		return nil, nil, err
	}
	stamped, err := audit.OpenLogCheckpoint(kept.Checkpoint, verifier, r.Log)
	if err != nil {
		return nil, nil, err
	}
	older, newer := inOrder(stamped, tree)
	hashes, err := audit.ProveExtension(ctx, b.store, r.Log, older, newer)
	if err != nil {
		return nil, nil, fmt.Errorf("comparing it with what was stamped: %w", err)
	}
	return []file{{timestamp.DocumentFile, kept.Checkpoint}, {timestamp.ReplyFile, kept.Reply}, {consistencyFile, consistencyText(older, newer, hashes)}}, kept, nil
}

func inOrder(a, b audit.Checkpoint) (older, newer audit.Checkpoint) {
	if a.Size > b.Size {
		return b, a
	}
	return a, b
}

// consistencyText writes a proof: both sizes in the first line, and a hash in base64 on each other one.
func consistencyText(older, newer audit.Checkpoint, proof tlog.TreeProof) []byte {
	text := []byte(consistencyHead(older, newer))
	for _, hash := range proof {
		text = append(append(text, hash.String()...), '\n')
	}
	return text
}

func consistencyHead(older, newer audit.Checkpoint) string {
	return fmt.Sprintf("consistency %d %d\n", older.Size, newer.Size)
}

// errConsistency: a file is no proof of consistency of two checkpoints.
var errConsistency = errors.New("it is no proof that one checkpoint continues the other")

// checkConsistency checks such a file.
func checkConsistency(text string, older, newer audit.Checkpoint) error {
	hashes, ok := strings.CutPrefix(text, consistencyHead(older, newer))
	if !ok {
		return errConsistency
	}
	var proof tlog.TreeProof
	for line := range strings.Lines(hashes) {
		hash, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSuffix(line, "\n"))
		if err != nil || len(hash) != tlog.HashSize || base64.StdEncoding.EncodeToString(hash)+"\n" != line {
			return errConsistency
		}
		proof = append(proof, tlog.Hash(hash))
	}
	if tlog.CheckTree(proof, int64(newer.Size), newer.Root, int64(older.Size), older.Root) != nil {
		return errConsistency
	}
	return nil
}

// CheckedStamp is a time-stamp that is over a proven record. Whether its authority is one to trust was not looked at.
type CheckedStamp struct {
	// Folder is where its files are.
	Folder string
	// Checkpoint is the signed note that was stamped, over so many Records, and Reply the authority's answer.
	Checkpoint, Reply []byte
	Records           uint64
	// Time and Authority are as in the stamp.
	Time      time.Time
	Authority string
}

// errStamp: the time-stamp in a folder does not show when a record existed.
var errStamp = errors.New("the time-stamp does not hold")

// IsStampFault reports whether an error of CheckStamp is about the files, and not about reading them.
func IsStampFault(err error) bool { return errors.Is(err, errStamp) }

// CheckStamp checks the time-stamp in the folder of a proof, nil for none: that the log's key has signed the checkpoint,
// that it is of one history with the proof's and over the record, and that the stamp is for it.
func CheckStamp(folder fs.FS, at string, r *audit.Record, tree audit.Checkpoint, verifier string) (*CheckedStamp, error) {
	var content [3][]byte
	missing := 0
	for i, name := range []string{timestamp.DocumentFile, timestamp.ReplyFile, consistencyFile} {
		text, err := readStampFile(folder, path.Join(at, name))
		if errors.Is(err, fs.ErrNotExist) {
			missing++
			continue
		}
		if err != nil {
			return nil, err
		}
		content[i] = text
	}
	if missing == len(content) {
		return nil, nil
	}
	fault := func(name string, err error) error {
		return fmt.Errorf("%s: %w: %w", path.Join(at, name), errStamp, err)
	}
	stamped, err := audit.OpenLogCheckpoint(content[0], verifier, r.Log)
	if err != nil || content[0] == nil {
		return nil, fault(timestamp.DocumentFile, errors.New("there is no checkpoint that the log's key has signed"))
	}
	if stamped.Size <= r.Index {
		return nil, fault(timestamp.DocumentFile, fmt.Errorf("it is over %d records, and the record is number %d", stamped.Size, r.Index))
	}
	older, newer := inOrder(stamped, tree)
	if err := checkConsistency(string(content[2]), older, newer); err != nil {
		return nil, fault(consistencyFile, err)
	}
	stamp, err := timestamp.Look(content[1], content[0])
	if err != nil {
		return nil, fault(timestamp.ReplyFile, err)
	}
	return &CheckedStamp{at, content[0], content[1], stamped.Size, stamp.Time, stamp.Authority}, nil
}

func readStampFile(folder fs.FS, name string) ([]byte, error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, timestamp.MaxFile))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return text, nil
}

// stamp checks the time-stamp of an exchange. Its record was proven last.
func (c *checker) stamp(at string, r *audit.Record) error {
	of := c.Proofs[len(c.Proofs)-1]
	stamp, err := CheckStamp(c.folder, at, r, of.Tree, of.Key)
	switch {
	case IsStampFault(err):
		c.fault("%v", err)
	case err != nil:
		return err
	case stamp == nil:
		c.Unstamped = append(c.Unstamped, of.Name)
	default:
		c.Stamps = append(c.Stamps, *stamp)
	}
	return nil
}
