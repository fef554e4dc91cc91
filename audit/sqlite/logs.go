package sqlite

import (
	"context"
	"database/sql"
)

// Logs implements audit.Store.
func (s *Store) Logs(ctx context.Context) ([]string, error) {
	names := []string{}
	err := each(ctx, s.readers, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, "SELECT name FROM logs WHERE id IN (SELECT log FROM checkpoints) ORDER BY name")
	if err != nil {
		return nil, explain(s.path, "reading", err)
	}
	return names, nil
}
