package cosigned

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/witness"
)

// Source is a trail whose checkpoints are cosigned.
type Source interface {
	// Checkpoint returns the newest durable checkpoint, a signed note.
	Checkpoint() []byte
	// Cosigned returns the keeper of its log.
	Cosigned() *Keeper
}

// refreshAfter is the age from which on a checkpoint is cosigned again: a log that does not grow shows that its
// witness still signs it.
const refreshAfter = time.Hour

// The results of asking a witness, which label a metric.
const (
	resultSigned      = "signed"
	resultUnreachable = "unreachable" // it did not answer, or is overloaded
	resultRefused     = "refused"     // it does not sign for this log
	resultConflict    = "conflict"    // it tells a size that does not fit, without proof
	resultInvalid     = "invalid"     // its answer does not verify
	resultUnsound     = "unsound"     // it refuses a sound proof, or there is proof against this log
	resultFailed      = "failed"      // the store of the trail did not answer
)

var results = []string{resultSigned, resultUnreachable, resultRefused, resultConflict, resultInvalid, resultUnsound, resultFailed}

// failure is an error with its result.
type failure struct {
	result string
	err    error
}

// Error implements error.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the error.
func (f *failure) Unwrap() error { return f.err }

func fail(result, text string, args ...any) error { return &failure{result, fmt.Errorf(text, args...)} }

func resultOf(err error) string {
	f, ok := errors.AsType[*failure](err)
	switch {
	case err == nil:
		return resultSigned
	case errors.Is(err, audit.ErrUnsound):
		return resultUnsound
	case ok:
		return f.result
	}
	return resultFailed
}

// asking is one attempt to have a checkpoint cosigned by a witness.
type asking struct {
	*Witness
	of     Source
	keeper *Keeper
	policy *Policy
	now    func() time.Time

	target audit.Checkpoint
	signed []byte // target as a note
	last   Signed // the newest one that it has signed before
	sent   bool   // a request was sent
}

// ask has the target cosigned, or a newer checkpoint if the witness has signed one already. always asks even if the
// witness is known to have signed it.
func (a *asking) ask(ctx context.Context, target []byte, always bool) (err error) {
	if err := a.aim(target); err != nil {
		return err
	}
	if a.last, err = a.keeper.by(ctx, a.Witness, a.now()); err != nil {
		return err
	}
	if a.target.Size < a.last.Size {
		if err := a.aim(a.of.Checkpoint()); err != nil {
			return err
		}
	}
	switch {
	case a.target.Size == 0:
		return a.look(ctx)
	case a.target.Size < a.last.Size:
		return a.keeper.judge(ctx, a.last, a.Witness)
	case !always && a.target.Size == a.last.Size && a.now().Sub(a.last.At) < refreshAfter:
		return nil
	}
	return a.askFrom(ctx, a.last.Size)
}

// aim sets the target.
func (a *asking) aim(signed []byte) (err error) {
	a.signed = signed
	if a.target, err = audit.OpenCheckpoint(signed, a.keeper.log.Verifier); err != nil {
		return fail(resultFailed, "reading the newest checkpoint: %v", err) // %v: no proof against the log
	}
	return nil
}

// askFrom asks for a signature with the proof from a size, and a second time from the size that a conflict tells.
func (a *asking) askFrom(ctx context.Context, old uint64) error {
	got, err := a.send(ctx, old, a.target.Size, a.signed)
	if err != nil {
		return err
	}
	if got.status == http.StatusConflict {
		told, known := got.size()
		if !known || told == old {
			return a.prove(ctx, resultConflict, "the witness refuses the size %d that it has signed last: %v", old, got)
		}
		if old, err = a.approach(ctx, told); err != nil {
			return err
		}
		if got, err = a.send(ctx, old, a.target.Size, a.signed); err != nil {
			return err
		}
	}
	return a.take(ctx, got)
}

// approach returns the size from which the witness is asked again after it has told one.
func (a *asking) approach(ctx context.Context, told uint64) (uint64, error) {
	if told > a.target.Size { // another configuration may have asked meanwhile
		if err := a.aim(a.of.Checkpoint()); err != nil {
			return 0, err
		}
	}
	switch {
	case told > a.target.Size:
		return 0, a.prove(ctx, resultConflict, "the witness says that it has signed this log with %d records, and it has %d: "+
			"if that is true, an older copy of the store was put back. Compare with the newest backup", told, a.target.Size)
	case told < a.last.Size:
		return a.remind(ctx, told)
	}
	return told, nil
}

// remind sends a witness that tells a smaller size than it has signed the checkpoint with its own signature. One
// that was restored notices so. It returns the size that the witness then has.
func (a *asking) remind(ctx context.Context, told uint64) (uint64, error) {
	kept, err := a.last.bare(a.keeper.log.Verifier, a.Witness)
	if err != nil {
		return 0, err
	}
	got, err := a.send(ctx, told, a.last.Size, kept)
	if err != nil {
		return 0, err
	}
	if got.status != http.StatusOK {
		return 0, fail(resultConflict, "the witness says that it has signed %d records, though there is its signature for %d: it was restored from a backup "+
			"and could sign a second history. It needs a new key. It answered %v", told, a.last.Size, got)
	}
	if _, err := a.accept(kept, got.body, a.keeper.log.Verifier, a.now()); err != nil {
		return 0, fail(resultInvalid, "the answer of the witness does not verify: %w", err)
	}
	return a.last.Size, nil
}

// send asks for a cosignature of the checkpoint with newer records.
func (a *asking) send(ctx context.Context, older, newer uint64, signed []byte) (answer, error) {
	proof, err := a.keeper.prove(ctx, older, newer)
	if err != nil {
		return answer{}, fail(resultFailed, "proving that the log with %d records continues the one with %d: %v", newer, older, err) // %v: no proof against the log
	}
	a.sent = true
	got, err := a.add(ctx, witness.Request{Old: older, Proof: proof, Checkpoint: signed})
	if err != nil {
		return got, fail(resultUnreachable, "the witness does not answer: %w", err)
	}
	return got, nil
}

// take judges the last answer, and keeps the lines in it.
func (a *asking) take(ctx context.Context, got answer) error {
	switch status := got.status; {
	case status == http.StatusOK:
		s, err := a.accept(a.signed, got.body, a.keeper.log.Verifier, a.now())
		if err != nil {
			return fail(resultInvalid, "the answer of the witness does not verify: %w", err)
		}
		return a.keeper.keep(ctx, a.Witness, s, a.policy)
	case status == http.StatusUnprocessableEntity:
		return a.prove(ctx, resultUnsound, "the witness says that this log does not continue what it has signed: if that is true, "+
			"the history of the log was rewritten. It answered %v", got)
	case status == http.StatusConflict:
		return a.prove(ctx, resultConflict, "the witness refuses the size that it has told: %v", got)
	case status == http.StatusNotFound || status == http.StatusForbidden:
		return fail(resultRefused, "the witness does not know this log or its key: give its operator the public key %s. It answered %v", EntryOf(a.signed, a.keeper.log.Verifier), got)
	case status == http.StatusTooManyRequests || status > 500:
		return fail(resultUnreachable, "the witness answered %v", got)
	case status == http.StatusInternalServerError:
		return fail(resultUnreachable, "the witness cannot sign; some answer so if they do not know the log's key, which is %s. It answered %v", a.keeper.log.Verifier, got)
	case status >= 300 && status <= 399:
		return fail(resultRefused, "the witness answered %v: redirects are not followed, give the URL that it leads to", got)
	}
	return fail(resultRefused, "the witness refuses the request: %v", got)
}

// EntryOf returns the public key by which a witness has to know the log with this checkpoint. Where a log goes on in a new
// one, its origin stands before it: the key has the name of the first.
func EntryOf(checkpoint []byte, verifier string) string {
	origin, _, _ := strings.Cut(string(checkpoint), "\n")
	if origin == "" || origin == audit.KeyName(verifier) {
		return verifier
	}
	return fmt.Sprintf("%q", origin+" "+verifier)
}

// prove looks for proof against the log, and returns the failure if there is none.
func (a *asking) prove(ctx context.Context, result, text string, args ...any) error {
	if err := a.look(ctx); errors.Is(err, audit.ErrUnsound) {
		return err
	}
	if a.last.Note != nil {
		if err := a.keeper.judge(ctx, a.last, a.Witness); errors.Is(err, audit.ErrUnsound) {
			return err
		}
	}
	return fail(result, text+". Nothing that is signed shows it, so the gateway goes on", args...)
}

// look compares the log with the newest checkpoint on the witness's monitoring path. One that is not signed by both
// counts for nothing.
func (a *asking) look(ctx context.Context) error {
	a.sent = true
	got, err := a.newest(ctx, a.target.Origin)
	if err != nil {
		return fail(resultUnreachable, "the witness does not answer: %w", err)
	}
	if got.status != http.StatusOK {
		if got.status == http.StatusTooManyRequests || got.status >= 500 {
			return fail(resultUnreachable, "the witness answered %v", got)
		}
		return nil // it has no such path, or has signed nothing
	}
	s, err := a.open(got.body, a.keeper.log.Verifier, a.now())
	if err != nil {
		return fail(resultInvalid, "what the witness says it has signed does not verify: %w", err)
	}
	return a.keeper.judge(ctx, s, a.Witness)
}
