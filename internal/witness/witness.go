package witness

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/cosignature"
)

// Store keeps what a witness must not forget. Its methods may be called at the same time.
type Store interface {
	// Head returns the newest head of a log, false if there is none.
	Head(origin string) (Head, bool)
	// Keep puts a head in the place of the log's newest. The head is durable when Keep returns nil. Otherwise
	// it may be: that is no harm, as nobody has seen the cosignature.
	Keep(Head) error
	// NoteSigned notes a tree that the witness has signed, though the store does not have it. The store is not
	// opened again then. It is durable when NoteSigned returns nil.
	NoteSigned(SignedTree) error
	// KeepEvidence keeps what speaks against a log, or as much as there is room for.
	KeepEvidence(origin string, e Evidence, f Finding) error
	// DropUnproven removes what was kept against a head because a proof did not hold, as it has been proved now.
	// What cannot be removed stays: it shows nothing against the log.
	DropUnproven(Head)
}

// Reason is why a request is refused.
type Reason int

const (
	Malformed    Reason = iota + 1 // the request cannot be read, or its old size is above the checkpoint's
	Untrusted                      // no key of the log has signed the checkpoint
	Unknown                        // the log is none of the witness's
	Conflict                       // the old size is not the one that the witness has signed last
	Inconsistent                   // the checkpoint does not continue the signed one
)

// RefusalError is the error of a request that the witness does not sign.
type RefusalError struct {
	Reason Reason
	// Size is the newest size that the witness has signed, for Conflict.
	Size uint64
	text string
}

// Error implements error.
func (r *RefusalError) Error() string { return r.text }

func refuse(reason Reason, text string, args ...any) *RefusalError {
	return &RefusalError{Reason: reason, text: fmt.Sprintf(text, args...)}
}

// RestoredError is the error of a request with a checkpoint that the witness's own key has signed, and that its
// store does not have: the store is an older copy.
type RestoredError struct {
	// Seen is the tree that was signed, and Size the newest size in the store.
	Seen SignedTree
	Size uint64
	// Unnoted is why it could not be noted for the next start, nil if it was.
	Unnoted error
}

// Error implements error.
func (r *RestoredError) Error() string {
	return fmt.Sprintf("this witness has signed the log %s with %d records, and its store has %d: an older copy was put back", r.Seen.Origin, r.Seen.Size, r.Size)
}

// Unwrap returns why it could not be noted.
func (r *RestoredError) Unwrap() error { return r.Unnoted }

// Witness cosigns checkpoints. Its methods may be called at the same time.
type Witness struct {
	key   *cosignature.Key
	logs  map[string]*log
	store Store
	now   func() time.Time

	// deciding is held from the comparison with the newest head until the next one is durable.
	deciding sync.Mutex
	// restored are the logs that it signs no more, as its store was restored.
	restored map[string]*RestoredError
}

// New returns a witness for the logs with these public keys.
func New(key *cosignature.Key, logs []string, store Store, now func() time.Time) (*Witness, error) {
	known, err := logsOf(logs)
	if err != nil {
		return nil, err
	}
	return &Witness{key: key, logs: known, store: store, now: now, restored: map[string]*RestoredError{}}, nil
}

// Origins returns the logs, sorted.
func (w *Witness) Origins() []string { return slices.Sorted(maps.Keys(w.logs)) }

// Signed is a cosignature that was given.
type Signed struct {
	Head Head
	// Line is the line of the signature, for the checkpoint's end.
	Line []byte
}

// ContradictionError is the error of a request with a checkpoint that speaks against its log, as the log's own key
// has signed it. It wraps the RefusalError.
type ContradictionError struct {
	*RefusalError
	Origin  string
	Finding Finding
	// Unkept is why the evidence could not be kept, nil if it was.
	Unkept error
}

// Unwrap returns the refusal.
func (c *ContradictionError) Unwrap() error { return c.RefusalError }

// Add judges a request, and cosigns its checkpoint. Errors are a RefusalError, or else the witness's own failure.
func (w *Witness) Add(body []byte) (Signed, error) {
	request, err := ParseRequest(body)
	if err != nil {
		return Signed{}, refuse(Malformed, "%v", err)
	}
	origin, _, _ := bytes.Cut(request.Checkpoint, []byte("\n"))
	log := w.logs[string(origin)]
	if log == nil {
		return Signed{}, refuse(Unknown, "the log %.200q is none of this witness's", origin)
	}
	offered, err := log.open(request.Checkpoint)
	if err != nil {
		return Signed{}, err
	}
	w.deciding.Lock()
	defer w.deciding.Unlock()
	newest, _ := w.store.Head(log.origin)
	if err := w.checkRestored(request.Checkpoint, newest, log.origin); err != nil {
		return Signed{}, err
	}
	if refusal := judge(request, offered.Checkpoint, newest); refusal != nil {
		return Signed{}, w.accuse(log, newest, request, refusal)
	}
	head, line, err := offered.cosign(w.key, w.now())
	if err != nil {
		return Signed{}, err
	}
	// The same checkpoint in the same second has the same signature, which is kept already: whoever repeats requests
	// does not keep the disk busy.
	if bytes.Equal(head.Signed, newest.Signed) {
		return Signed{head, line}, nil
	}
	if err := w.store.Keep(head); err != nil {
		return Signed{}, fmt.Errorf("keeping the head of %s at %d: %w", head.Origin, head.Size, err)
	}
	w.store.DropUnproven(head)
	return Signed{head, line}, nil
}

// checkRestored looks whether a checkpoint has the witness's own signature, though the store does not have it. A log's
// gateway sends one along when the witness tells it a smaller size than it has signed before.
func (w *Witness) checkRestored(signed []byte, newest Head, origin string) error {
	if restored := w.restored[origin]; restored != nil {
		return restored
	}
	own, err := readHead(signed, w.key.Verifier())
	if err != nil || own.Size < newest.Size || own.Size == newest.Size && own.Root == newest.Root {
		return nil //nolint:nilerr // nearly all have no signature of the witness
	}
	restored := &RestoredError{Seen: SignedTree{own.Origin, own.Size, own.Root}, Size: newest.Size}
	restored.Unnoted = w.store.NoteSigned(restored.Seen)
	w.restored[origin] = restored
	return restored
}

// judge returns why a checkpoint is not signed, nil if it continues the newest head. Without one, newest is the
// zero Head.
func judge(request Request, offered audit.Checkpoint, newest Head) *RefusalError {
	switch {
	case request.Old > offered.Size:
		return refuse(Malformed, "the old size is %d, but the checkpoint has %d records", request.Old, offered.Size)
	case request.Old != newest.Size:
		conflict := refuse(Conflict, "this witness has signed the log with %d records", newest.Size)
		conflict.Size = newest.Size
		return conflict
	case newest.Size == 0 && len(request.Proof) > 0:
		return refuse(Inconsistent, "nothing was signed before: there is nothing to prove")
	case offered.Size == 0 && offered.Root != new(audit.Tree).Root():
		return refuse(Inconsistent, "a log without records has another root")
	case newest.Size == 0:
		return nil
	}
	if tlog.CheckTree(request.Proof, int64(offered.Size), offered.Root, int64(newest.Size), newest.Root) != nil {
		return refuse(Inconsistent, "the proof does not show that the log with %d records continues the one with %d", offered.Size, newest.Size)
	}
	return nil
}

// accuse keeps what a refused request says against its log, and returns the error.
func (w *Witness) accuse(log *log, newest Head, request Request, refusal *RefusalError) error {
	if newest.Signed == nil {
		return refusal
	}
	evidence := Evidence{Seen: w.now(), Signed: newest.Signed, Refused: request.Checkpoint, Proof: request.Proof}
	finding, err := evidence.Judge(log.texts)
	switch {
	case err != nil, finding.Verdict == Consistent:
		return refusal // with an error, the log has a new key, which has not signed the older head
	case finding.Verdict == Unproven && (refusal.Reason != Inconsistent || newest.Size == 0):
		return refusal // the proof is from another size, or from none: nothing is to be seen in it
	}
	return &ContradictionError{refusal, log.origin, finding, w.store.KeepEvidence(log.origin, evidence, finding)}
}
