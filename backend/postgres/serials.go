package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/postgres"
)

// blockSize is how many serial numbers a ledger takes for itself at a time. What is left
// of a block when the ledger ends is never given: there are 999,999,999.
const blockSize = 1000

// serials are the numbers that this ledger has for itself.
type serials struct {
	pool *postgres.Pool

	mu sync.Mutex // guards blocks
	// blocks are first and last of ranges in ascending order. Nobody else has them.
	blocks [][2]int64
}

// lack says that there are too few serial numbers. They cannot be reserved within the
// transaction that needs them: all others would wait for its end.
type lack struct {
	n     int
	above int64
}

func (l *lack) Error() string {
	return fmt.Sprintf("%d serial numbers above %d are needed", l.n, l.above)
}

// take gives n numbers greater than above. Those up to above it throws away.
func (s *serials) take(n int, above int64) ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left, usable := 0, s.blocks[:0]
	for _, b := range s.blocks {
		if b[0] = max(b[0], above+1); b[0] <= b[1] {
			usable = append(usable, b)
			left += int(b[1] - b[0] + 1)
		}
	}
	s.blocks = usable
	if left < n {
		return nil, &lack{n, above}
	}
	given := make([]int64, 0, n)
	for len(given) < n {
		b := &s.blocks[0]
		given = append(given, b[0])
		if b[0]++; b[0] > b[1] {
			s.blocks = s.blocks[1:]
		}
	}
	return given, nil
}

// reserve takes a block, in a transaction of its own. One of which nobody knows whether it
// was committed is lost, and another is taken.
func (s *serials) reserve(ctx context.Context, want *lack) error {
	size := int64(want.n + blockSize)
	for {
		var last int64
		err := s.pool.Transact(ctx, locking, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, reserveSerials, want.above, size).Scan(&last)
		})
		switch {
		case err == nil:
			s.mu.Lock()
			s.blocks = append(s.blocks, [2]int64{last - size + 1, last})
			s.mu.Unlock()
			return nil
		case !errors.Is(err, postgres.ErrUncertain) || ctx.Err() != nil:
			return s.pool.Explain("reserving serial numbers in", err)
		}
	}
}
