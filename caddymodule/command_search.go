package caddymodule

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
)

// searchedOutcomes are the words that a search takes.
var searchedOutcomes = append(slices.Clone(outcomes), outcomeOpen)

func searchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "search [flags]",
		Short: "Lists the exchanges that match all flags, newest first",
		Example: `  fielato wsfev1 audit search --store sqlite:./data/audit.db --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 15
  fielato wsfev1 audit search --store sqlite:./data/audit.db --outcome unknown --since 24h
  fielato wsfev1 audit search --store sqlite:./data/audit.db --finding 10016 --limit 20 --before 4711
  fielato wsfev1 audit search --store sqlite:./data/audit.db --cae 96479876543210 --format json`,
		Args: cobra.NoArgs,
	}
	addSearchFlags(cmd)
	flags := cmd.Flags()
	flags.String("until", "", "Before: the same forms")
	flags.Uint64("before", 0, "Records before this index: the next page")
	flags.Int("limit", 50, "At most so many exchanges; 0 for all")
	flags.String("format", "table", "table, or json: one object a line with the bodies")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runSearch(cmd) }
	return cmd
}

// addSearchFlags adds what says which exchanges are wanted.
func addSearchFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.String("store", "", storeFlagUsage)
	flags.Int64("cuit", 0, "The issuer")
	flags.Int32("pto-vta", 0, "The point of sale")
	flags.Int32("cbte-tipo", 0, "The type of voucher")
	flags.Int64("nro", 0, "A number: found also within a range and a lot")
	flags.String("cae", "", "A CAE or CAEA")
	flags.String("operation", "", "The operation's exact name")
	flags.String("outcome", "", "What became of the exchange: "+strings.Join(searchedOutcomes, ", "))
	flags.String("finding", "", "A code that the gateway found, or that the answer has in Errors or Observaciones")
	flags.String("since", "", "Not before: 2026-11-20, 2026-11-20T15:04:05-03:00, or an age such as 24h or 7d")
}

func runSearch(cmd *cobra.Command) error {
	wanted, err := queryOf(cmd)
	if err != nil {
		return err
	}
	printer, err := printerOf(cmd, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	return withStore(cmd, func(ctx context.Context, store audit.Store) error {
		if wanted.Log, err = onlyLog(ctx, store); err != nil {
			return err
		}
		found, last := 0, uint64(0)
		for record, err := range searchFor(ctx, store, wanted) {
			if err != nil {
				return fmt.Errorf("searching: %w", err)
			}
			if err := addRequest(ctx, store, record); err != nil {
				return err
			}
			found, last = found+1, record.Index
			if err := printer.row(record); err != nil {
				return err
			}
		}
		if err := printer.end(); err != nil {
			return err
		}
		if found == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no exchange matches")
		}
		if wanted.Limit > 0 && found == wanted.Limit && last > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d shown, there may be older ones: go on with --before %d\n", found, last)
		}
		return nil
	})
}

// outcomeOpen is what the search calls an intent that has no outcome.
const outcomeOpen = "open"

// wanted is a query with what a store does not know: open intents, and findings.
type wanted struct {
	audit.Query
	// open asks for intents that have no outcome.
	open bool
	// finding is a code, no text for all.
	finding string
}

// has reports whether a record that matches the query is wanted.
func (w *wanted) has(r *audit.Record) bool {
	return (!w.open || r.Kind == audit.KindIntent) && (w.finding == "" || slices.Contains(codesOf(r), w.finding))
}

// searchFor is Store.Search for what is wanted. Looking for what the store does not
// know goes through everything else that matches.
func searchFor(ctx context.Context, store audit.Store, w wanted) iter.Seq2[*audit.Record, error] {
	if !w.open && w.finding == "" {
		return store.Search(ctx, w.Query)
	}
	query := w.Query
	query.Limit = 0
	return func(yield func(*audit.Record, error) bool) {
		found := 0
		for record, err := range store.Search(ctx, query) {
			if err == nil && !w.has(record) {
				continue
			}
			found++
			if !yield(record, err) || found == w.Limit {
				return
			}
		}
	}
}
