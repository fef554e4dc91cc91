package proving

import (
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
)

// witnessing tells which signatures of witnesses were found.
type witnessing struct {
	// witnessed is about the newest checkpoint that they have signed, nil for none.
	witnessed *view.Witnessed
	// unwitnessed names the signatures that were asked for and are missing, nil for none.
	unwitnessed error
}

// cosignedNote is a checkpoint that was verified. It is nil if there is none.
type cosignedNote struct {
	*audit.Checkpoint
	note []byte
}

// judge looks for the newest of the checkpoints that the witnesses have signed. An error leaves it open.
func (w *witnessing) judge(by *cli.Witnesses, verifier string, all ...cosignedNote) error {
	for _, one := range all {
		if one.Checkpoint == nil {
			continue
		}
		found, err := by.Judge(one.note, one.Size, verifier)
		if err != nil {
			return w.take(err)
		}
		if len(found.Signed)+len(found.Unknown) > 0 && found.Newer(w.witnessed) {
			w.witnessed = found
		}
	}
	return w.take(by.Check(w.witnessed))
}

// judgeProofs looks at the checkpoint of each proof: all of them need the signatures. It keeps the oldest.
func (w *witnessing) judgeProofs(by *cli.Witnesses, proofs []evidence.CheckedProof) error {
	for _, proof := range proofs {
		found, err := by.Judge(proof.Checkpoint, proof.Size, proof.Key)
		if err == nil {
			err = by.Check(found)
		}
		if err != nil {
			return w.take(fmt.Errorf("%s: %w", proof.Name, err))
		}
		if w.witnessed == nil || w.witnessed.Newer(found) {
			w.witnessed = found
		}
	}
	return nil
}

// take keeps an error about missing signatures, and returns any other.
func (w *witnessing) take(err error) error {
	if errors.Is(err, cli.ErrUnwitnessed) {
		w.unwitnessed, err = err, nil
	}
	return err
}
