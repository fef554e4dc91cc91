package caddymodule

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
	// maxFound is the largest answer to a question of the gateway's own, in bytes: an invoice
	// with all its lists has some ten thousand. What is found out about a lot is kept together.
	maxFound = 256 << 10
	// maxCommon is the largest answer that waits for no larger one, and holds no room while its
	// client reads it: a client that is slow must not keep the answers of others out. No true
	// one is larger.
	maxCommon = 1 << 20
)

var (
	errAnswerTooLarge = errors.New("the upstream's answer is too large")
	errNoAnswerRoom   = errors.New("too many large answers are in the gateway")
)

// answerRoom bounds the memory that answers take, as bodyRoom does for requests. Of those that
// are larger than any true one as many are read at a time as have room whole: with a part
// each, none of them would ever be.
type answerRoom struct{ small, large, giant bodyPart }

func newAnswerRoom(size int64) *answerRoom {
	r := &answerRoom{}
	r.small.init(max(size/smallShare, 1))
	r.large.init(size)
	r.giant.init(size)
	return r
}

func (r *answerRoom) fullness() float64 { return fullest(&r.small, &r.large, &r.giant) }

// answerStay is the stay of one answer in the room for answers. A small one takes its room
// when it has arrived; a larger one before more of it is read, so that what there is no room
// for stays on the connection. One goroutine uses it.
type answerStay struct {
	room     *answerRoom
	patience time.Duration
	// most bounds the answer, in bytes.
	most   int64
	part   *bodyPart // where it is, nil for nowhere
	weight int64
}

// grow waits until an answer may take so many bytes. It may become as large as all may, unless
// it has announced how large it is.
func (s *answerStay) grow(ctx context.Context, size int64, announced bool) error {
	switch {
	case size > s.most:
		return fmt.Errorf("%w: it has more than %d bytes", errAnswerTooLarge, s.most)
	case size <= smallBody:
		return nil
	case size <= maxCommon:
		return s.take(ctx, &s.room.large, size)
	case !announced:
		size = s.most
	}
	return s.take(ctx, &s.room.giant, size)
}

// arrived is for an answer that is there: it has these many bytes, and is worked on.
func (s *answerStay) arrived(ctx context.Context, size int64) error {
	if size <= smallBody && s.part == nil {
		return s.take(ctx, &s.room.small, size)
	}
	if s.part != nil && size < s.weight {
		s.part.leave(s.weight - size)
		s.weight = size
	}
	return nil
}

// take waits until there is room for the whole of size, beside what was taken before. An
// answer that is larger than the room has it alone.
func (s *answerStay) take(ctx context.Context, part *bodyPart, size int64) error {
	had := s.weight
	if s.part != part {
		had = 0
	}
	weight := min(size, part.size)
	if weight <= had {
		return nil
	}
	if err := part.enter(ctx, weight-had, s.patience); err != nil {
		return fmt.Errorf("%w: %w", errNoAnswerRoom, err)
	}
	if had == 0 {
		s.end()
	}
	s.part, s.weight = part, weight
	return nil
}

// end gives the room back. It may be called more than once.
func (s *answerStay) end() {
	if s.part != nil {
		s.part.leave(s.weight)
		s.part, s.weight = nil, 0
	}
}

// isCut reports whether an error is about an answer of which not all was read.
func isCut(err error) bool {
	return errors.Is(err, errAnswerTooLarge) || errors.Is(err, errNoAnswerRoom)
}

// cutLoss classes an answer that was cut off.
func cutLoss(err error) string {
	if errors.Is(err, errNoAnswerRoom) {
		return outcome.FailureGateway
	}
	return outcome.FailureService
}

// cutOff is about the answer to a query of which not all was read.
func cutOff(err error, most int64) *fault {
	if errors.Is(err, errNoAnswerRoom) {
		f := refuse(http.StatusServiceUnavailable, outcome.Busy, "gateway.answers",
			"Hay demasiadas respuestas grandes en curso: la del servicio no se leyó. La consulta no modifica nada y puede repetirse.")
		f.retryAfter = "5"
		return f.because(err)
	}
	return refuse(http.StatusBadGateway, outcome.UpstreamError, "upstream.too_large",
		"La respuesta del servicio supera el máximo de "+strconv.FormatInt(most, 10)+" bytes y no se leyó. La consulta no modifica nada.").because(err)
}
