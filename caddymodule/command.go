package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "wsfev1",
		Usage: "audit …, rules, check, ledger export|import|reset, migrate, ticket, openapi",
		Short: "Looks into the evidence of the WSFEv1 gateway and into its rules, and helps with tests",
		Long: `
audit looks into the trail that the wsfev1 handler keeps: every exchange, with what was
asked, what was answered, and what was certain about it. search lists exchanges, show
prints one, tail follows new ones, stats counts them, outages lists when the service did not
answer, and evidence writes all about one
invoice into a folder or a zip file for the service's support desk. verify proves that no
record was changed, removed or inserted, checkpoint prints what to keep elsewhere for
that, and consistency compares two that were kept. prove writes a proof that a record is
in the trail and unchanged, check-proof checks it without the trail. export writes the
whole trail into a folder, and verify --export verifies that anywhere. copy copies a log into
another store, where its gateway can go on. rules lists the
rules by which the handler judges requests. check judges requests in files by them.
These commands only read. They may run beside a gateway at work. So may purge, which
removes what need not be kept any longer, and hold, which keeps purge from it; new-key
makes the key of an encrypted trail. Where a trail has log_reads, that audit was run, by
whom and what for is written into the trail first.

ledger exports, imports and empties what the built-in service (wsfev1_backend) has issued.
migrate makes the tables of a trail and a ledger in PostgreSQL, and changes those of an
older build.
ticket makes access tickets for tests. openapi prints the description of the interface.`,
		CobraFunc: func(cmd *cobra.Command) {
			cmd.Example = `  fielato wsfev1 audit search --store sqlite:./data/audit.db --outcome open
  fielato wsfev1 rules 10048
  fielato wsfev1 check invoice.json`
			trailCommand := &cobra.Command{
				Use: "audit", Short: "Searches, shows, follows, counts, exports and verifies the records of a trail",
				Example: `  fielato wsfev1 audit search --store sqlite:./data/audit.db --cuit 20111111112 --nro 15
  fielato wsfev1 audit show --store sqlite:./data/audit.db gateway-1/41
  fielato wsfev1 audit verify --store sqlite:./data/audit.db --checkpoint kept.txt`,
			}
			ledger := ledgerCommand()
			for _, group := range []*cobra.Command{cmd, trailCommand, ledger} {
				group.Args = cobra.NoArgs // an unknown command is an error, not a request for help
				group.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			}
			addReadFlags(trailCommand)
			trailCommand.AddCommand(searchCommand(), showCommand(), tailCommand(), statsCommand(), evidenceCommand())
			trailCommand.AddCommand(verifyCommand(), checkpointCommand(), consistencyCommand(), exportCommand())
			trailCommand.AddCommand(proveCommand(), checkProofCommand())
			trailCommand.AddCommand(outagesCommand(), copyCommand())
			trailCommand.AddCommand(purgeCommand(), holdCommand(), newKeyCommand())
			trailCommand.PersistentFlags().String("encryption-key", "", contentKeyUsage)
			refuseEmptyFlags(trailCommand)
			cmd.AddCommand(trailCommand, rulesCommand(), checkCommand(), ledger, migrateCommand(), ticketCommand(), openapiCommand())
		},
	})
}

// refuseEmptyFlags makes a flag without a value an error for a command and those below it: a
// script whose variable is not set must not be told that a trail is sound by a key that was
// not given, or get other records than it asked for.
func refuseEmptyFlags(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		refuseEmptyFlags(below)
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var empty error
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if f.Value.Type() == "string" && f.Value.String() == "" {
				empty = fmt.Errorf("--%s has no value: give one, or leave the flag out", f.Name)
			}
		})
		if empty != nil {
			return cmd.FlagErrorFunc()(cmd, empty)
		}
		return run(cmd, args)
	}
}

// logsOf returns the logs that a command is about: the flag's, or all of the store.
func logsOf(ctx context.Context, cmd *cobra.Command, store audit.Store) ([]string, error) {
	all, err := store.Logs(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("listing the logs: %w", err)
	case len(all) == 0:
		return nil, errors.New("no gateway has written to this store")
	}
	name, _ := cmd.Flags().GetString("log")
	switch {
	case name == "":
		return all, nil
	case !slices.Contains(all, name):
		return nil, fmt.Errorf("--log %s: the store has no such log, it has %s", name, strings.Join(all, ", "))
	}
	return []string{name}, nil
}

// logOf returns the log that a command is about which is about one: the flag's, or the
// store's only one.
func logOf(ctx context.Context, cmd *cobra.Command, store audit.Store) (string, error) {
	logs, err := logsOf(ctx, cmd, store)
	if err != nil {
		return "", err
	}
	if len(logs) > 1 {
		return "", fmt.Errorf("the store has several logs: name one of them with --log: %s", strings.Join(logs, ", "))
	}
	return logs[0], nil
}

// withStore opens the store that the flag names, for reading only. That it is read is
// written down before do sees it, where log_reads is on.
func withStore(cmd *cobra.Command, do func(context.Context, audit.Store) error) error {
	address, err := addressFlag(cmd, "store", auditFile)
	if err != nil {
		return err
	}
	key, err := contentKeyFlag(cmd)
	if err != nil {
		return err
	}
	store, err := address.kind.read(cmd.Context(), address.place, key)
	if err != nil {
		return err
	}
	if err := noteRead(cmd.Context(), cmd, store, address, commandText(cmd)); err != nil {
		return errors.Join(err, store.Close())
	}
	return errors.Join(do(cmd.Context(), newSealedNotice(store, cmd)), store.Close())
}

// printerOf returns the printer of records of this kind.
func printerOf(cmd *cobra.Command, w io.Writer, kind audit.Kind) (printer, error) {
	switch format, _ := cmd.Flags().GetString("format"); format {
	case "table":
		raw, _ := cmd.Flags().GetBool("raw")
		return newTablePrinter(w, columnsOf(kind), raw), nil
	case "json":
		return jsonPrinter{w: w}, nil
	default:
		return nil, fmt.Errorf("--format %q: use table or json", format)
	}
}
