package file

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// Pages lets SQLite look at all pages of the file at path, and tells flaw of the first that is damaged. All rows may read
// well beside a damaged tree or list of free pages, and the next commit destroy some.
func Pages(ctx context.Context, db *sql.DB, path string, flaw func(format string, args ...any)) (err error) {
	rows, err := db.QueryContext(ctx, "PRAGMA quick_check(1)")
	if err != nil {
		return Explain(path, "inspecting", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var said string
		if err := rows.Scan(&said); err != nil {
			return Explain(path, "inspecting", err)
		}
		if said == "ok" {
			continue
		}
		said = strings.ReplaceAll(strings.TrimPrefix(said, "*** in database main ***\n"), "\n", "; ")
		flaw("the file: its pages are damaged (%s): audit backup writes pages anew: go on with its copy if that verifies", said)
	}
	if err := rows.Err(); err != nil {
		return Explain(path, "inspecting", err)
	}
	return nil
}
