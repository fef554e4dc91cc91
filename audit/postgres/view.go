package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/segment"
)

// view is a log at one moment, and the number of its newest checkpoint, 0 if there is none.
type view struct {
	segment.View
	checkpoints int64
}

// exists reports whether anything was ever committed to the log.
func (v *view) exists() bool { return v.End > 0 || v.Checkpoint != nil }

// selectView is one statement, which sees one moment.
const selectView = `SELECT
	(SELECT first FROM audit_segments WHERE log = $1 ORDER BY first DESC LIMIT 1),
	(SELECT substr(keys, 1, 10) FROM audit_segments WHERE log = $1 ORDER BY first DESC LIMIT 1),
	(SELECT next FROM audit_blocks WHERE log = $1 ORDER BY first DESC LIMIT 1),
	(SELECT number FROM audit_checkpoints WHERE log = $1 ORDER BY number DESC LIMIT 1),
	(SELECT note FROM audit_checkpoints WHERE log = $1 ORDER BY number DESC LIMIT 1)`

func scanView(found pgx.Row) (v view, err error) {
	var last, next, number *int64
	var head, checkpoint []byte
	if err := found.Scan(&last, &head, &next, &number, &checkpoint); err != nil {
		return view{}, err
	}
	if v.View, err = segment.NewView(last, head, next, checkpoint); err != nil {
		return view{}, fmt.Errorf("the last segment: %w", err)
	}
	if number != nil {
		v.checkpoints = *number
	}
	return v, nil
}

func (s *Store) view(ctx context.Context, log string) (v view, err error) {
	err = s.pool.Read(ctx, func() error {
		v, err = scanView(s.pool.QueryRow(ctx, selectView, log))
		return err
	})
	if err != nil {
		return view{}, s.pool.Explain(fmt.Sprintf("reading log %q of", log), err)
	}
	return v, nil
}
