package clientscmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

type historyFlags struct {
	cli.StoreFlags
	times  cli.TimeFlags
	format string
}

func historyCommand() *cobra.Command {
	flags := &historyFlags{StoreFlags: cli.StoreFlags{TrailFlags: &cli.TrailFlags{}}}
	cmd := &cobra.Command{
		Use:   "history [flags]",
		Short: "Lists the tables of clients in the trail, newest first, and what changed from one to the next",
		Long: `
Lists the tables of clients in the trail, newest first: the address of the record that has it,
since when it was in force, who loaded it from where, its digest, and what changed. A row that
was added stands after +, one that was removed after -, and one that was changed after both. They are
compared with the table before, of the same gateway if the log has one. "audit show" prints a table
whole, "audit prove" proves it. --since and --until select tables by the time when they came into
force; the one that was in force at that time is older.`,
		Example: `  fielato wsfev1 clients history --store sqlite:./data/audit.db --since 2026-03-01 --until 2026-03-31
  fielato wsfev1 clients history --store sqlite:./data/audit.db --since 90d --format json`,
		Args: cli.None,
	}
	set := cmd.Flags()
	flags.StoreFlags.Bind(set)
	flags.TrailFlags.Bind(set)
	cli.CompleteLogs(cmd)
	set.StringVar(&flags.times.Since, "since", "", "Not before: "+cli.TimeForms)
	set.StringVar(&flags.times.Until, "until", "", "Until: "+cli.UntilForms)
	cli.ChoiceVar(set, &flags.format, "format", "text", "text, or json: one object a line", "text", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runHistory(cmd, flags) }
	return cmd
}

func runHistory(cmd *cobra.Command, flags *historyFlags) error {
	since, until, err := flags.times.Read()
	if err != nil {
		return cli.UsageError(err)
	}
	return cli.WithLogs(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session, logs []string) error {
		all, err := tablesOf(ctx, s.Store, logs, since, until)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no record of a table of clients matches")
			return nil
		}
		if flags.format == "json" {
			return view.PrintLines(cmd.OutOrStdout(), all, func(t *listed) string { return t.Record })
		}
		return printTables(cmd.OutOrStdout(), all)
	})
}

// listed is a table in the trail.
type listed struct {
	Record  string `json:"record"`
	Time    string `json:"time"`
	Who     string `json:"who"`
	Gateway string `json:"gateway,omitzero"`
	File    string `json:"file,omitzero"`
	// Ended: there is no table any more.
	Ended  bool   `json:"ended,omitzero"`
	SHA256 string `json:"sha256,omitzero"`
	Rows   int    `json:"rows"`
	// Content is purged or sealed if the rows cannot be read.
	Content string `json:"content,omitzero"`
	// Before is the record of the table with which it was compared, empty for the first.
	Before  string   `json:"before,omitzero"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Changed []change `json:"changed,omitempty"`

	log  string
	rows map[string]string
}

// change is a row that is another one since.
type change struct {
	Row    string `json:"row"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// tablesOf returns the tables in these logs that came into force between two times, newest first.
func tablesOf(ctx context.Context, store audit.Store, logs []string, since, until time.Time) (all []*listed, err error) {
	query := tableQuery
	query.Until = until
	var waiting []*listed // which were not compared yet
	fallback := map[*listed]*listed{}
	for record, err := range audit.SearchLogs(ctx, store, logs, query) {
		if err != nil {
			return nil, fmt.Errorf("looking for the tables of clients: %w", err)
		}
		next, err := list(record)
		if err != nil {
			return nil, err
		}
		waiting = slices.DeleteFunc(waiting, func(t *listed) bool {
			if t.log != next.log {
				return false
			}
			if t.Gateway == next.Gateway || next.Content != "" {
				t.compare(next)
				return true
			}
			if fallback[t] == nil {
				kept := *next // compare empties next
				fallback[t] = &kept
			}
			return false
		})
		switch {
		case !record.Time.Before(since):
			all, waiting = append(all, next), append(waiting, next)
		case len(waiting) == 0:
			return all, nil
		}
	}
	for _, t := range waiting {
		t.compare(fallback[t])
	}
	return all, nil
}

// list reads the table of a record.
func list(r *audit.Record) (*listed, error) {
	kept, err := access.ReadKept(r)
	if err != nil {
		return nil, err
	}
	t := &listed{
		Record: r.Address(), Time: view.Moment(r.Time), Who: r.ClientIdentity, Gateway: kept.Gateway, File: kept.File,
		Ended: r.Presence == audit.Present && kept.Table == nil, SHA256: printable.Digest(r.RequestDigest), log: r.Log, rows: map[string]string{},
	}
	if r.Presence != audit.Present {
		t.Content = r.Presence.String()
	}
	if kept.Table != nil {
		for _, row := range kept.Table.Rows() {
			t.rows[string(row.Role)+" "+row.Name] = row.String()
		}
	}
	if t.Rows = len(t.rows); t.Ended {
		t.SHA256 = ""
	}
	return t, nil
}

// compare notes what changed since another table, nil for none, and lets go of the rows: a trail may have many large
// tables. Nothing is noted about one that cannot be read.
func (t *listed) compare(before *listed) {
	old := map[string]string{}
	if before != nil {
		t.Before, old = before.Record, before.rows
	}
	rows := t.rows
	t.rows = nil
	if t.Content != "" || before != nil && before.Content != "" {
		return
	}
	for _, name := range sortedNames(rows, old) {
		now, was := rows[name], old[name]
		switch {
		case was == "":
			t.Added = append(t.Added, now)
		case now == "":
			t.Removed = append(t.Removed, was)
		case now != was:
			t.Changed = append(t.Changed, change{name, was, now})
		}
	}
}

// sortedNames returns the keys of two maps, each once.
func sortedNames(a, b map[string]string) (names []string) {
	for _, one := range []map[string]string{a, b} {
		for name := range one {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
