package clientscmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// printTables writes tables for people.
func printTables(w io.Writer, all []*listed) error {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(printable.OneLine(fmt.Sprintf(format, args...)) + "\n")
	}
	for i, t := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		line("%s  %s  %s", t.Record, t.Time, t.source())
		line("  loaded by %s, sha256 %s", view.OrDash(t.Who), view.OrDash(t.SHA256))
		switch {
		case t.Content != "":
			line("  its rows cannot be read: %s", t.Content)
		case t.Before != "" && len(t.Added)+len(t.Removed)+len(t.Changed) == 0:
			line("  the same rows as in %s, or these cannot be read", t.Before)
		case t.Before != "":
			line("  changed since %s:", t.Before)
		}
		for _, row := range t.Removed {
			line("  - %s", row)
		}
		for _, c := range t.Changed {
			line("  - %s", c.Before)
			line("  + %s", c.After)
		}
		for _, row := range t.Added {
			line("  + %s", row)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// source says where a table is from.
func (t *listed) source() string {
	switch {
	case t.Content != "":
		return t.Content
	case t.Ended:
		return "no table any more at " + view.OrDash(t.Gateway)
	case t.File != "":
		return fmt.Sprintf("%s from %s and %s", count(t.Rows, "row"), view.OrDash(t.Gateway), t.File)
	}
	return fmt.Sprintf("%s from %s", count(t.Rows, "row"), view.OrDash(t.Gateway))
}
