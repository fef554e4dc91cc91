package export

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// Witnessed is the newest checkpoint that witnesses had cosigned when the export was made. It covers the first records
// of the export, or all of them: witnesses sign a log some minutes later.
type Witnessed struct {
	// Checkpoint is the signed note with the lines of the witnesses.
	Checkpoint string `json:"checkpoint"`
	// Consistency proves that the checkpoint of the export continues this one: the hashes of RFC 6962, section 2.1.2,
	// in base64. It is empty if both are over the same records.
	Consistency []string `json:"consistency,omitempty"`
}

// witness sets the cosigned checkpoint of the export, and reports whether it is another one than before.
func (e *exporter) witness(ctx context.Context) (changed bool, err error) {
	before := e.state.Witnessed
	if e.cosigned == nil {
		e.state.Witnessed = nil
		return before != nil, nil
	}
	if before != nil && before.Checkpoint == string(e.cosigned) {
		return false, nil
	}
	checkpoint, err := audit.OpenLogCheckpoint(e.cosigned, e.options.Verifier, e.log)
	if err != nil {
		return false, err
	}
	proof, err := audit.ProveExtension(ctx, e.store, e.log, checkpoint, e.target)
	if err != nil {
		return false, fmt.Errorf("comparing it with what witnesses have signed: %w", err)
	}
	e.state.Witnessed = &Witnessed{Checkpoint: string(e.cosigned), Consistency: textsOf(proof)}
	return true, nil
}

// textsOf returns the hashes of a proof in base64.
func textsOf(proof tlog.TreeProof) (all []string) {
	for _, hash := range proof {
		all = append(all, hash.String())
	}
	return all
}

// witnessed checks the cosigned checkpoint, whose lines of witnesses it does not look at.
func (v *verifier) witnessed() {
	w := v.manifest.Witnessed
	if w == nil {
		return
	}
	signed := []byte(w.Checkpoint)
	checkpoint, err := audit.OpenLogCheckpoint(signed, v.report.PublicKey, v.manifest.Log)
	if err != nil {
		v.report.fault(manifestName, 0, "the cosigned checkpoint: %v", err)
		return
	}
	proof, err := readHashes(w.Consistency)
	if err == nil {
		err = tlog.CheckTree(proof, int64(v.report.Checkpoint.Size), v.report.Checkpoint.Root, int64(checkpoint.Size), checkpoint.Root)
	}
	if err != nil {
		v.report.fault(manifestName, 0, "the export with %d records is not shown to continue the cosigned checkpoint over %d: %v",
			v.report.Checkpoint.Size, checkpoint.Size, err)
		return
	}
	v.report.Witnessed, v.report.WitnessedNote = &checkpoint, bytes.Clone(signed)
}

// errHash: a hash is not written as one.
var errHash = errors.New("its proof has a hash that is none")

func readHashes(all []string) (hashes tlog.TreeProof, err error) {
	for _, text := range all {
		hash, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || len(hash) != tlog.HashSize || base64.StdEncoding.EncodeToString(hash) != text {
			return nil, errHash
		}
		hashes = append(hashes, tlog.Hash(hash))
	}
	return hashes, nil
}
