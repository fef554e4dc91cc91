package sqlite

import (
	"context"
	"fmt"
)

// keptTable is the table that Reset keeps. It holds the last serial number given.
const keptTable = "serial"

// Reset empties the tables that the file itself lists, so a table added by a later
// migration is not forgotten.
func (t *tx) Reset(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	tables, err := t.tables(ctx)
	if err != nil {
		return fmt.Errorf("list tables: %w", err)
	}
	if err := t.save(ctx); err != nil {
		return err
	}
	t.known = end{}
	for _, table := range tables {
		result, err := t.exec.ExecContext(ctx, `DELETE FROM "`+table+`"`)
		if err != nil {
			return fmt.Errorf("empty %s: %w", table, err)
		}
		rows, err := result.RowsAffected()
		if err != nil {
			return fmt.Errorf("empty %s: %w", table, err)
		}
		t.written += int(rows)
	}
	return nil
}

// tables lists the tables that Reset empties.
func (t *tx) tables(ctx context.Context) (names []string, err error) {
	rows, err := t.prepared[selectTables].QueryContext(ctx, keptTable)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}
