package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/postgres"
)

// blockSize is how many serial numbers a ledger reserves at a time. The rest of a block is
// lost when the ledger is closed, which matters little: there are 999,999,999.
const blockSize = 1000

// serials are the numbers reserved for this ledger. SkipSerials does not take them away but
// raises a mark, which every transaction reads before it takes numbers.
type serials struct {
	pool *postgres.Pool

	mu sync.Mutex // guards blocks
	// blocks are ranges, first and last number included, in ascending order. No other
	// ledger has them.
	blocks [][2]int64
}

// lack is the error of a ledger with too few serial numbers. The transaction that needs
// them cannot reserve them itself: all others would wait for its end.
type lack struct {
	n     int
	above int64
}

func (l *lack) Error() string {
	return fmt.Sprintf("%d serial numbers above %d are needed", l.n, l.above)
}

// take returns n numbers greater than above and discards those up to above.
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

// reserve takes a block in a transaction of its own. If the outcome of its commit is
// uncertain, the block is given up and another is taken.
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
