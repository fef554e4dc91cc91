package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "wsfev1",
		Usage: "audit search|show, rules, check, ledger export|import|reset, ticket",
		Short: "Looks into the evidence of the WSFEv1 gateway and into its rules, and helps with tests",
		Long: `
audit search|show looks into the trail that the wsfev1 handler keeps: every exchange,
with what was asked, what was answered, and what was certain about it. rules lists the
rules by which the handler judges requests. check judges requests in files by them.
These commands only read. They may run beside a gateway at work.

ledger exports, imports and empties what the built-in service (wsfev1_backend) has issued.
ticket makes access tickets for tests.`,
		CobraFunc: func(cmd *cobra.Command) {
			trailCommand := &cobra.Command{Use: "audit", Short: "Searches and shows the records of a trail"}
			ledger := ledgerCommand()
			for _, group := range []*cobra.Command{cmd, trailCommand, ledger} {
				group.Args = cobra.NoArgs // an unknown command is an error, not a request for help
				group.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			}
			trailCommand.AddCommand(searchCommand(), showCommand())
			cmd.AddCommand(trailCommand, rulesCommand(), checkCommand(), ledger, ticketCommand())
		},
	})
}

// searchedOutcomes are the words that a search takes.
var searchedOutcomes = append(slices.Clone(outcomes), outcomeOpen)

const storeFlagUsage = "The store: sqlite:PATH (default: the gateway's own default path)"

func searchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "search [flags]",
		Short: "Lists the exchanges that match all flags, newest first",
		Example: `  fielato wsfev1 audit search --store sqlite:./data/audit.db --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 15
  fielato wsfev1 audit search --store sqlite:./data/audit.db --outcome unknown --since 24h
  fielato wsfev1 audit search --store sqlite:./data/audit.db --cae 96479876543210 --format json`,
		Args: cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.String("store", "", storeFlagUsage)
	flags.Int64("cuit", 0, "The issuer")
	flags.Int32("pto-vta", 0, "The point of sale")
	flags.Int32("cbte-tipo", 0, "The type of voucher")
	flags.Int64("nro", 0, "A number: found also within a range and a lot")
	flags.String("cae", "", "A CAE or CAEA")
	flags.String("operation", "", "The operation's exact name")
	flags.String("outcome", "", "What became of the exchange: "+strings.Join(searchedOutcomes, ", "))
	flags.String("since", "", "Not before: 2026-11-20, 2026-11-20T15:04:05-03:00, or an age such as 24h or 7d")
	flags.String("until", "", "Before: the same forms")
	flags.Int("limit", 50, "At most so many exchanges; 0 for all")
	flags.String("format", "table", "table, or json: one object a line with the bodies")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runSearch(cmd) }
	return cmd
}

func showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show INDEX",
		Short: "Shows one record whole; INDEX is a number, or the address that the gateway answered with",
		Example: `  fielato wsfev1 audit show --store sqlite:./data/audit.db 41
  fielato wsfev1 audit show --store sqlite:./data/audit.db gateway-1/41`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().String("store", "", storeFlagUsage)
	cmd.Flags().String("format", "table", "table, or json: one object")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runShow(cmd, args[0]) }
	return cmd
}

func runSearch(cmd *cobra.Command) error {
	query, err := queryOf(cmd)
	if err != nil {
		return err
	}
	printer, err := printerOf(cmd, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	return withStore(cmd, func(ctx context.Context, store audit.Store) error {
		if query.Log, err = onlyLog(ctx, store); err != nil {
			return err
		}
		found := 0
		for record, err := range searchFor(ctx, store, query) {
			if err != nil {
				return fmt.Errorf("searching: %w", err)
			}
			if err := addRequest(ctx, store, record); err != nil {
				return err
			}
			found++
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
		if query.Limit > 0 && found == query.Limit {
			fmt.Fprintf(cmd.ErrOrStderr(), "these are the newest %d: there may be more, see --limit\n", found)
		}
		return nil
	})
}

// outcomeOpen is what the search calls an intent that has no outcome.
const outcomeOpen = "open"

// searchFor is Store.Search, which also knows open intents. Looking for those goes
// through everything else that matches.
func searchFor(ctx context.Context, store audit.Store, query audit.Query) iter.Seq2[*audit.Record, error] {
	if query.Outcome != outcomeOpen {
		return store.Search(ctx, query)
	}
	limit := query.Limit
	query.Outcome, query.Limit = "", 0
	return func(yield func(*audit.Record, error) bool) {
		found := 0
		for record, err := range store.Search(ctx, query) {
			if err == nil && record.Kind != audit.KindIntent {
				continue
			}
			found++
			if !yield(record, err) || found == limit {
				return
			}
		}
	}
}

func runShow(cmd *cobra.Command, address string) error {
	log, number, found := cutLast(address, "/")
	if !found {
		log, number = "", address
	}
	index, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is no index: give a number, or an address such as gateway-1/41", address)
	}
	printer, err := printerOf(cmd, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	return withStore(cmd, func(ctx context.Context, store audit.Store) error {
		if log == "" {
			if log, err = onlyLog(ctx, store); err != nil {
				return err
			}
		}
		record, err := store.Get(ctx, log, index)
		if errors.Is(err, audit.ErrNotFound) {
			return fmt.Errorf("log %s has no record %d", log, index)
		}
		if err != nil {
			return fmt.Errorf("reading record %d of log %s: %w", index, log, err)
		}
		if err := addRequest(ctx, store, record); err != nil {
			return err
		}
		return printer.whole(record)
	})
}

// addRequest puts into an outcome the request's body that its intent holds.
func addRequest(ctx context.Context, store audit.Store, record *audit.Record) error {
	if record.Kind != audit.KindOutcome {
		return nil
	}
	intent, err := store.Get(ctx, record.Log, record.Intent)
	if err != nil {
		return fmt.Errorf("reading the intent %d of log %s: %w", record.Intent, record.Log, err)
	}
	record.Request = intent.Request
	return nil
}

// onlyLog returns the name of the log that this store's gateway writes.
func onlyLog(ctx context.Context, store audit.Store) (string, error) {
	name, err := store.Secret(ctx, logNameKey, func() ([]byte, error) {
		return nil, errors.New("no gateway has written to this store")
	})
	if err != nil {
		return "", fmt.Errorf("reading the log's name: %w", err)
	}
	return string(name), nil
}

// withStore opens the store that the flag names, for reading only.
func withStore(cmd *cobra.Command, do func(context.Context, audit.Store) error) error {
	path, err := sqliteFlag(cmd, "store", auditFile)
	if err != nil {
		return err
	}
	store, err := auditsqlite.OpenReader(path)
	if err != nil {
		return err
	}
	return errors.Join(do(cmd.Context(), store), store.Close())
}

// sqliteFlag returns the path in a flag that says sqlite:PATH, or the gateway's default
// path for this file.
func sqliteFlag(cmd *cobra.Command, name, file string) (string, error) {
	address, _ := cmd.Flags().GetString(name)
	kind, path, found := strings.Cut(address, ":")
	switch {
	case address == "":
		return databasePath("", file)
	case !found || kind != "sqlite" || path == "":
		return "", fmt.Errorf("--%s %q: give sqlite:PATH", name, address)
	}
	return path, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func printerOf(cmd *cobra.Command, w io.Writer) (printer, error) {
	switch format, _ := cmd.Flags().GetString("format"); format {
	case "table":
		return newTablePrinter(w), nil
	case "json":
		return jsonPrinter{w}, nil
	default:
		return nil, fmt.Errorf("--format %q: use table or json", format)
	}
}
