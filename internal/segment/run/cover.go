package run

import (
	"fmt"
	"strings"
)

// CoverSQL returns the query of Rows.Cover: of each level what begins where the last run of the level above it ends.
// It is one statement, and for both stores. Its arguments are the log and the index; prefix stands before the names
// of the tables, and argument before the number of an argument.
func (s Shape) CoverSQL(prefix, argument, blockColumns, runColumns string) string {
	log, before := argument+"1", argument+"2"
	var levels []string
	for level := range s.Levels() + 1 {
		from := fmt.Sprintf("SELECT %s FROM %sblocks WHERE", blockColumns, prefix)
		if level > 0 {
			from = fmt.Sprintf("SELECT %s FROM %sruns WHERE level = %d AND", runColumns, prefix, level)
		}
		levels = append(levels, fmt.Sprintf("%s log = %s AND next <= %s AND first >= coalesce("+
			"(SELECT next FROM %[4]sruns WHERE log = %[2]s AND level = %[5]d AND next <= %[3]s ORDER BY first DESC LIMIT 1), 0)",
			from, log, before, prefix, level+1))
	}
	return strings.Join(levels, " UNION ALL ") + " ORDER BY 2"
}
