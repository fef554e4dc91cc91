package sqlite

import (
	"context"
	"database/sql"

	"github.com/fielato/fielato/audit/sqlite/internal/file"
)

// Logs implements audit.Store. A log that has lost its checkpoint has its records.
func (s *Store) Logs(ctx context.Context) ([]string, error) {
	names := []string{}
	err := each(ctx, s.readers, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, `
SELECT name FROM logs l WHERE EXISTS (SELECT 1 FROM checkpoints WHERE log = l.id)
  OR EXISTS (SELECT 1 FROM segments WHERE id BETWEEN l.id << 40 AND (l.id + 1 << 40) - 1)
ORDER BY name`)
	if err != nil {
		return nil, file.Explain(s.path, "reading", err)
	}
	return names, nil
}
