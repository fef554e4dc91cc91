package postgres

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
)

// keyring keeps the data keys of a log: a segment.Keyring. A new key is inserted in the transaction
// that writes the first content sealed with it: a purge would destroy an unused key.
type keyring struct {
	pool  *postgres.Pool
	log   string
	added []newKey
}

type newKey struct {
	number  int64
	period  audit.Period
	wrapped []byte
}

// FindKey implements segment.Keyring.
func (k *keyring) FindKey(ctx context.Context, period audit.Period) (number int64, wrapped []byte, err error) {
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

// AddKey implements segment.Keyring.
func (k *keyring) AddKey(_ context.Context, period audit.Period, wrapped []byte) (int64, error) {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	number := int64(binary.BigEndian.Uint64(random[:]) >> 1)
	k.added = append(k.added, newKey{number, period, wrapped})
	return number, nil
}

// queue inserts the new keys.
func (k *keyring) queue(b *pgx.Batch) {
	for _, key := range k.added {
		b.Queue("INSERT INTO audit_data_keys (id, log, period, wrapped) VALUES ($1, $2, $3, $4)",
			key.number, k.log, int64(key.period), key.wrapped)
	}
}
