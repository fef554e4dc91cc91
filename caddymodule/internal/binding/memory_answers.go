package binding

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/limit"
)

const (
	// DefaultMaxAnswer is the default size limit of an answer of the service, in bytes: 16 MiB.
	// A lot of 250 invoices with observations has well under one, and so have the tables.
	DefaultMaxAnswer = 16 << 20
	// DefaultMaxAnswers is the default bound of the bytes of all answers being worked on:
	// 16 MiB, some hundred answers to lots of 250 invoices.
	DefaultMaxAnswers = 16 << 20
)

const (
	// MaxFound is the size limit of an answer to one of the gateway's own queries, in bytes: an
	// invoice with all its lists has some ten thousand. The answers about a lot are held
	// together.
	MaxFound = 256 << 10
	// MaxCommon is the size in bytes up to which an answer never waits for a larger one, and
	// holds no memory of the budget while its client reads it: a slow client must not block
	// the answers to others. No genuine answer is larger.
	MaxCommon = 1 << 20
)

var (
	errAnswerTooLarge = errors.New("the upstream's answer is too large")
	errNoAnswerMemory = errors.New("too many large answers are in the gateway")
)

// AnswerBudget bounds the memory that answers take, as MemoryBudget does for requests. Answers
// above MaxCommon reserve their whole size before they are read: if each held a part, none
// might ever complete.
type AnswerBudget struct {
	small, large, giant *limit.Limit
	// made is for the memory that an answer takes beyond its size: an answer takes all that it needs
	// at once, when it has arrived.
	made *limit.Limit
}

// NewAnswerBudget returns a budget of size bytes.
func NewAnswerBudget(size int64) *AnswerBudget {
	return &AnswerBudget{
		small: limit.NewPool(size / smallShare), large: limit.NewPool(size), giant: limit.NewPool(size), made: limit.NewPool(size),
	}
}

// Fullness returns the taken share of the fullest pool, from 0 to 1.
func (r *AnswerBudget) Fullness() float64 { return fullest(r.small, r.large, r.giant, r.made) }

// AnswerReservation is the memory that one answer holds. A small answer reserves when it has
// arrived. A larger one reserves before more of it is read, so that the rest stays on the
// connection until memory is free. One goroutine uses it.
type AnswerReservation struct {
	// Budget is the source of the memory, MaxWait how long to wait for it.
	Budget  *AnswerBudget
	MaxWait time.Duration
	// Most bounds the answer, in bytes.
	Most int64
	pool *limit.Limit // of the part, nil for none
	part limit.Part
	// made is of the pool of that name.
	made limit.Part
}

// Grow waits until an answer may take size bytes. One that has not announced its size reserves
// MaxCommon at once, and above that Most: if each took more step by step, all might hold some and
// wait for more.
func (s *AnswerReservation) Grow(ctx context.Context, size int64, announced bool) error {
	switch {
	case size > s.Most:
		return fmt.Errorf("%w: it has more than %d bytes", errAnswerTooLarge, s.Most)
	case size <= smallBody:
		return nil
	case size <= MaxCommon:
		if !announced {
			size = min(MaxCommon, s.Most)
		}
		return s.take(ctx, s.Budget.large, size)
	case !announced:
		size = s.Most
	}
	return s.take(ctx, s.Budget.giant, size)
}

// Arrived waits until an answer that has arrived with size bytes may be worked on, and
// returns what it does not need.
func (s *AnswerReservation) Arrived(ctx context.Context, size int64) error {
	if size <= smallBody && s.pool == nil {
		return s.take(ctx, s.Budget.small, size)
	}
	s.part.Shrink(size)
	return nil
}

// Read waits until an answer that has arrived may be read, in each of the forms in which it is: for what
// that makes of it beyond its size. A genuine answer of a common size never waits for others that make
// much.
func (s *AnswerReservation) Read(ctx context.Context, answer []byte, isSOAP bool) error {
	size := int64(len(answer))
	beyond := min(mostWeight(answer, isSOAP, 0)-size, s.Budget.made.Size())
	if beyond <= max(s.made.Size(), smallBody) {
		return nil
	}
	s.made.Release() // who holds a part and waits for more could wait for ever
	var err error
	if s.made, err = s.Budget.made.TakeAs(ctx, "", beyond, s.MaxWait); err != nil {
		return fmt.Errorf("%w: %w", errNoAnswerMemory, err)
	}
	return nil
}

// take waits until size bytes are held in the pool, those already held included. An answer
// larger than the pool takes all of it.
//
// Memory of another pool that is held and suffices is kept. To ask for the smaller pool then could
// wait for those that hold it and wait for the larger one.
func (s *AnswerReservation) take(ctx context.Context, pool *limit.Limit, size int64) error {
	if s.pool != nil && size <= s.part.Size() {
		return nil
	}
	size = min(size, pool.Size())
	if s.pool == pool {
		size -= s.part.Size()
	}
	if size <= 0 {
		return nil
	}
	more, err := pool.TakeAs(ctx, "", size, s.MaxWait)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoAnswerMemory, err)
	}
	if s.pool == pool {
		s.part.Add(&more)
		return nil
	}
	s.part.Release()
	s.pool, s.part = pool, more
	return nil
}

// Release returns the memory. It may be called more than once.
func (s *AnswerReservation) Release() {
	s.made.Release()
	s.part.Release()
	s.pool = nil
}

// IsCut reports whether err means that the gateway stopped reading an answer.
func IsCut(err error) bool {
	return errors.Is(err, errAnswerTooLarge) || errors.Is(err, errNoAnswerMemory)
}

// CutLoss returns the failure class of an answer that was cut off.
func CutLoss(err error) audit.Failure {
	if errors.Is(err, errNoAnswerMemory) {
		return audit.FailureGateway
	}
	return audit.FailureService
}

// CutOff refuses a query whose answer was not read to its end.
func CutOff(err error, most int64) *Refusal {
	if errors.Is(err, errNoAnswerMemory) {
		f := Refuse(http.StatusServiceUnavailable, audit.OutcomeBusy, "gateway.answers",
			"Hay demasiadas respuestas grandes en curso: la del servicio no se leyó. La consulta no modifica nada y puede repetirse.")
		f.RetryAfter = "5"
		return f.Because(err)
	}
	return Refuse(http.StatusBadGateway, audit.OutcomeUpstreamError, "upstream.too_large",
		"La respuesta del servicio supera el máximo de "+strconv.FormatInt(most, 10)+" bytes y no se leyó. La consulta no modifica nada.").Because(err)
}
