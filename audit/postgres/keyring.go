package postgres

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
)

// keyring keeps the data keys of a log: a segment.Keyring.
type keyring struct {
	pool *postgres.Pool
	log  string
}

// FindKey implements segment.Keyring.
func (k keyring) FindKey(ctx context.Context, period audit.Period) (number int64, wrapped []byte, err error) {
	err = k.pool.Read(ctx, func() error {
		err := k.pool.QueryRow(ctx, "SELECT id, wrapped FROM audit_data_keys WHERE log = $1 AND period = $2", k.log, int64(period)).
			Scan(&number, &wrapped)
		if errors.Is(err, pgx.ErrNoRows) {
			number, wrapped = 0, nil
			return nil
		}
		return err
	})
	return number, wrapped, k.pool.Explain("reading", err)
}

// AddKey implements segment.Keyring. Where its outcome is uncertain the batch fails, and the
// next one finds the key or makes another.
func (k keyring) AddKey(ctx context.Context, period audit.Period, wrapped []byte) (int64, error) {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	number := int64(binary.BigEndian.Uint64(random[:]) >> 1)
	err := k.pool.TransactBatch(ctx, func(b *pgx.Batch) {
		b.Queue("INSERT INTO audit_data_keys (id, log, period, wrapped) VALUES ($1, $2, $3, $4)", number, k.log, int64(period), wrapped)
	})
	if postgres.HasCode(err, "23505") {
		return 0, fmt.Errorf("%w: another has made the data key of log %q for %s", audit.ErrConflict, k.log, period)
	}
	return number, k.pool.Explain("writing", err)
}
