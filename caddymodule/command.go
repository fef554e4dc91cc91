package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "wsfev1",
		Usage: "audit …, rules, check, ledger export|import|reset, ticket",
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
whole trail into a folder, and verify --export verifies that anywhere. rules lists the
rules by which the handler judges requests. check judges requests in files by them.
These commands only read. They may run beside a gateway at work. So may purge, which
removes what need not be kept any longer, and hold, which keeps purge from it; new-key
makes the key of an encrypted trail. Where a trail has log_reads, that audit was run, by
whom and what for is written into the trail first.

ledger exports, imports and empties what the built-in service (wsfev1_backend) has issued.
ticket makes access tickets for tests.`,
		CobraFunc: func(cmd *cobra.Command) {
			trailCommand := &cobra.Command{Use: "audit", Short: "Searches, shows, follows, counts, exports and verifies the records of a trail"}
			ledger := ledgerCommand()
			for _, group := range []*cobra.Command{cmd, trailCommand, ledger} {
				group.Args = cobra.NoArgs // an unknown command is an error, not a request for help
				group.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			}
			addReadFlags(trailCommand)
			trailCommand.AddCommand(searchCommand(), showCommand(), tailCommand(), statsCommand(), evidenceCommand())
			trailCommand.AddCommand(verifyCommand(), checkpointCommand(), consistencyCommand(), exportCommand())
			trailCommand.AddCommand(proveCommand(), checkProofCommand())
			trailCommand.AddCommand(outagesCommand())
			trailCommand.AddCommand(purgeCommand(), holdCommand(), newKeyCommand())
			trailCommand.PersistentFlags().String("encryption-key", "", contentKeyUsage)
			cmd.AddCommand(trailCommand, rulesCommand(), checkCommand(), ledger, ticketCommand())
		},
	})
}

const storeFlagUsage = "The store: sqlite:PATH (default: the gateway's own default path)"

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

// logOf returns the log that a command is about: the flag's, or the store's only one.
func logOf(ctx context.Context, cmd *cobra.Command, store audit.Store) (string, error) {
	only, err := onlyLog(ctx, store)
	if err != nil {
		return "", err
	}
	name, _ := cmd.Flags().GetString("log")
	if name == "" || name == only {
		return only, nil
	}
	head, err := store.Head(ctx, name)
	if err != nil {
		return "", fmt.Errorf("reading the head of log %s: %w", name, err)
	}
	if head.Checkpoint == nil {
		return "", fmt.Errorf("--log %s: the store has no such log, its gateway writes %s", name, only)
	}
	return name, nil
}

// withStore opens the store that the flag names, for reading only. That it is read is
// written down before do sees it, where log_reads is on.
func withStore(cmd *cobra.Command, do func(context.Context, audit.Store) error) error {
	path, err := sqliteFlag(cmd, "store", auditFile)
	if err != nil {
		return err
	}
	key, err := contentKeyFlag(cmd)
	if err != nil {
		return err
	}
	store, err := auditsqlite.OpenReader(path, auditsqlite.WithContentKey(key))
	if err != nil {
		return err
	}
	if err := noteRead(cmd.Context(), cmd, store, path, commandText(cmd)); err != nil {
		return errors.Join(err, store.Close())
	}
	return errors.Join(do(cmd.Context(), newSealedNotice(store, cmd)), store.Close())
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

// printerOf returns the printer of records of this kind.
func printerOf(cmd *cobra.Command, w io.Writer, kind audit.Kind) (printer, error) {
	switch format, _ := cmd.Flags().GetString("format"); format {
	case "table":
		raw, _ := cmd.Flags().GetBool("raw")
		return newTablePrinter(w, columnsOf(kind), raw), nil
	case "json":
		return jsonPrinter{w}, nil
	default:
		return nil, fmt.Errorf("--format %q: use table or json", format)
	}
}
