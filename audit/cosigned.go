package audit

import (
	"context"
	"fmt"
)

// CosignedSetting is the name of the Store's setting with the newest checkpoint of a log that enough witnesses have
// cosigned: a signed note with their lines under the log's own (C2SP tlog-cosignature).
func CosignedSetting(log string) string { return "cosigned/" + log }

// Cosigned returns the newest cosigned checkpoint that the store has of a log, and the note. The note is nil if there is
// none that this public key has signed: after a change of key the witnesses have not signed yet. It says nothing about
// the witnesses' lines, which verify by the keys of witnesses that its reader trusts.
func Cosigned(ctx context.Context, store Store, log, verifier string) (Checkpoint, []byte, error) {
	signed, err := store.Setting(ctx, CosignedSetting(log))
	if err != nil {
		return Checkpoint{}, nil, fmt.Errorf("reading the cosigned checkpoint of log %q: %w", log, err)
	}
	checkpoint, err := OpenLogCheckpoint(signed, verifier, log)
	if err != nil {
		return Checkpoint{}, nil, nil //nolint:nilerr // it counts as none
	}
	return checkpoint, signed, nil
}
