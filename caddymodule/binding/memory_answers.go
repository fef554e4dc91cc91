package binding

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/fielato/fielato/caddymodule/outcome"
)

const (
	// DefaultMaxAnswer is the largest answer of the service by default, in bytes: 16 MiB. A lot
	// of 250 invoices with observations has well under one, and so have the tables.
	DefaultMaxAnswer = 16 << 20
	// DefaultMaxAnswers is how many bytes of answers are at work at a time by default: 16 MiB,
	// such as a hundred answers to lots of 250 invoices.
	DefaultMaxAnswers = 16 << 20
)

const (
	// MaxFound is the largest answer to a question of the gateway's own, in bytes: an invoice
	// with all its lists has some ten thousand. What is found out about a lot is kept together.
	MaxFound = 256 << 10
	// MaxCommon is the largest answer that waits for no larger one, and holds no room while its
	// client reads it: a client that is slow must not keep the answers of others out. No true
	// one is larger.
	MaxCommon = 1 << 20
)

var (
	errAnswerTooLarge = errors.New("the upstream's answer is too large")
	errNoAnswerMemory = errors.New("too many large answers are in the gateway")
)

// AnswerBudget bounds the memory that answers take, as bodyRoom does for requests. Of those that
// are larger than any true one as many are read at a time as have room whole: with a part
// each, none of them would ever be.
type AnswerBudget struct{ small, large, giant pool }

func NewAnswerBudget(size int64) *AnswerBudget {
	r := &AnswerBudget{}
	r.small.init(max(size/smallShare, 1))
	r.large.init(size)
	r.giant.init(size)
	return r
}

func (r *AnswerBudget) Fullness() float64 { return fullest(&r.small, &r.large, &r.giant) }

// AnswerReservation is the stay of one answer in the room for answers. A small one takes its room
// when it has arrived; a larger one before more of it is read, so that what there is no room
// for stays on the connection. One goroutine uses it.
type AnswerReservation struct {
	Budget  *AnswerBudget
	MaxWait time.Duration
	// Most bounds the answer, in bytes.
	Most   int64
	pool   *pool // where it is, nil for nowhere
	weight int64
}

// Grow waits until an answer may take so many bytes. It may become as large as all may, unless
// it has announced how large it is.
func (s *AnswerReservation) Grow(ctx context.Context, size int64, announced bool) error {
	switch {
	case size > s.Most:
		return fmt.Errorf("%w: it has more than %d bytes", errAnswerTooLarge, s.Most)
	case size <= smallBody:
		return nil
	case size <= MaxCommon:
		return s.take(ctx, &s.Budget.large, size)
	case !announced:
		size = s.Most
	}
	return s.take(ctx, &s.Budget.giant, size)
}

// Arrived is for an answer that is there: it has these many bytes, and is worked on.
func (s *AnswerReservation) Arrived(ctx context.Context, size int64) error {
	if size <= smallBody && s.pool == nil {
		return s.take(ctx, &s.Budget.small, size)
	}
	if s.pool != nil && size < s.weight {
		s.pool.release(s.weight - size)
		s.weight = size
	}
	return nil
}

// take waits until there is room for the whole of size, beside what was taken before. An
// answer that is larger than the room has it alone.
func (s *AnswerReservation) take(ctx context.Context, part *pool, size int64) error {
	had := s.weight
	if s.pool != part {
		had = 0
	}
	weight := min(size, part.size)
	if weight <= had {
		return nil
	}
	if err := part.acquire(ctx, weight-had, s.MaxWait); err != nil {
		return fmt.Errorf("%w: %w", errNoAnswerMemory, err)
	}
	if had == 0 {
		s.Release()
	}
	s.pool, s.weight = part, weight
	return nil
}

// End gives the room back. It may be called more than once.
func (s *AnswerReservation) Release() {
	if s.pool != nil {
		s.pool.release(s.weight)
		s.pool, s.weight = nil, 0
	}
}

// IsCut reports whether an error is about an answer of which not all was read.
func IsCut(err error) bool {
	return errors.Is(err, errAnswerTooLarge) || errors.Is(err, errNoAnswerMemory)
}

// CutLoss classes an answer that was cut off.
func CutLoss(err error) string {
	if errors.Is(err, errNoAnswerMemory) {
		return outcome.FailureGateway
	}
	return outcome.FailureService
}

// CutOff is about the answer to a query of which not all was read.
func CutOff(err error, most int64) *Refusal {
	if errors.Is(err, errNoAnswerMemory) {
		f := Refuse(http.StatusServiceUnavailable, outcome.Busy, "gateway.answers",
			"Hay demasiadas respuestas grandes en curso: la del servicio no se leyó. La consulta no modifica nada y puede repetirse.")
		f.RetryAfter = "5"
		return f.Because(err)
	}
	return Refuse(http.StatusBadGateway, outcome.UpstreamError, "upstream.too_large",
		"La respuesta del servicio supera el máximo de "+strconv.FormatInt(most, 10)+" bytes y no se leyó. La consulta no modifica nada.").Because(err)
}
