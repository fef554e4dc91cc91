package cosigned

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/internal/witness"
)

// Standing is what a witness knows of a log.
type Standing int

// The standings of a witness.
const (
	Unreached Standing = iota // it does not answer, or is overloaded
	Reached                   // it answers, and does not tell whether it knows the log
	Knows                     // it knows the log, and the log's key
	Unknown                   // the log is none of the witness's
	OtherKey                  // it knows the log by another public key
	Foreign                   // what answers is no witness
)

// Look is what a look at a witness has shown.
type Look struct {
	// Name is the name in the witness's key, and Address its URL without all that may be secret.
	Name, Address string
	Standing      Standing
	// Said is the answer, or why there is none.
	Said string
}

// For returns an error if the policy is for other logs than the one with this public key.
func (p *Policy) For(verifier string) error { return p.rule.For(verifier) }

// Required reports whether a quorum must have signed before exchanges.
func (p *Policy) Required() bool { return p.require }

// Look asks all witnesses at once what they know of a log, and has nothing signed: the request names an older size
// that is larger than the size of its checkpoint, which a witness must refuse. Without a checkpoint, only the URL is
// asked for. It reports whether those that can sign are a quorum.
func (p *Policy) Look(ctx context.Context, checkpoint []byte, verifier string) (looks []Look, quorum bool) {
	looks = make([]Look, len(p.witnesses))
	var asked sync.WaitGroup
	for i, w := range p.witnesses {
		panics.Go(&asked, taskLook, func() { looks[i] = w.look(ctx, checkpoint, verifier) })
	}
	asked.Wait()
	able := map[string]bool{}
	for i, w := range p.witnesses {
		able[w.verifier.String()] = looks[i].Standing == Knows || looks[i].Standing == Reached
	}
	return looks, p.satisfied(func(key string) bool { return able[key] })
}

// taskLook names the task in the report of a panic.
const taskLook = "looking at a witness"

func (w *Witness) look(ctx context.Context, checkpoint []byte, verifier string) Look {
	l := Look{Name: w.Name(), Address: w.address()}
	newest, err := audit.OpenCheckpoint(checkpoint, verifier)
	if err != nil {
		got, err := w.send(ctx, http.MethodGet, "", nil, witness.MaxRequest)
		if err != nil {
			l.Said = err.Error()
			return l
		}
		l.Standing, l.Said = Reached, fmt.Sprintf("%d %s", got.status, http.StatusText(got.status))
		return l
	}
	got, err := w.add(ctx, witness.Request{Old: newest.Size + 1, Checkpoint: checkpoint})
	if err != nil {
		l.Said = err.Error()
		return l
	}
	l.Standing, l.Said = standingOf(got.status), got.String()
	return l
}

// standingOf reads the status of the refusal. Some witnesses answer 500 to an unknown log or key.
func standingOf(status int) Standing {
	switch status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
		return Knows
	case http.StatusNotFound:
		return Unknown
	case http.StatusForbidden:
		return OtherKey
	case http.StatusInternalServerError:
		return Reached
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return Unreached
	}
	return Foreign
}
