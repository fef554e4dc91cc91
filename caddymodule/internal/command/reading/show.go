package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
)

type showFlags struct {
	cli.StoreFlags
	cli.FormatFlags
}

func (f *showFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	f.FormatFlags.Bind(set, "table, or json: one object")
	f.BindRaw(set)
}

func showCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &showFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "show INDEX",
		Short: "Shows one exchange whole; INDEX is a number, or the address that the gateway answered with",
		Long: `
Shows one exchange whole, with findings explained and both bodies. If it has two records,
its intent and its outcome, both are shown, whichever of them INDEX names. If several
gateways share the store, INDEX is an address, LOG/INDEX, or --log names the log.

If the gateway had clients, client_table is the address of the record that has the table by
which the request was judged, and client_row the row: show prints that record too.`,
		Example: `  fielato wsfev1 audit show --store sqlite:./data/audit.db 41
  fielato wsfev1 audit show --store sqlite:./data/audit.db gateway-1/41 --raw`,
		Args: cli.Exactly(cli.Index),
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runShow(cmd, flags, args[0]) }
	return cmd
}

func runShow(cmd *cobra.Command, flags *showFlags, address string) error {
	printer := flags.Printer(cmd.OutOrStdout(), 0)
	return cli.WithRecord(cmd, &flags.StoreFlags, address, func(ctx context.Context, s *cli.Session, log string, index uint64) error {
		reader := &read.Reader{Store: s.Store}
		x, err := reader.At(ctx, log, index)
		if x == nil && errors.Is(err, audit.ErrNotFound) {
			return evidence.NoRecord(ctx, s.Store, log, index)
		}
		if err == nil && x.At.Kind != audit.KindSettlement { // it is shown with its request alone
			err = reader.AddResult(ctx, x)
		}
		if err != nil {
			return err
		}
		qrs, err := qrsOf(ctx, s.Store, x)
		if err != nil {
			return err
		}
		row, err := clientRowOf(ctx, s.Store, x.Request())
		if err != nil {
			return err
		}
		return printer.Full(view.Entry{Exchange: x, QRs: qrs, ClientRow: row})
	})
}

// qrsOf returns the QR codes of the invoices that an exchange has approved.
func qrsOf(ctx context.Context, store audit.Store, x *story.Exchange) (all []qrcode.Code, _ error) {
	for _, r := range x.Records() {
		if r.Kind == audit.KindIntent {
			continue
		}
		isTest, err := evidence.IsTestCode(ctx, store, r)
		if err != nil {
			return nil, err
		}
		all = append(all, qrcode.All(x.Request(), r, isTest)...)
	}
	return all, nil
}

// clientRowOf returns the row by which a request was judged, or why it is not known. It is empty without a table.
func clientRowOf(ctx context.Context, store audit.Store, r *audit.Record) (string, error) {
	if r.ClientTable == "" {
		return "", nil
	}
	if r.ClientRow == "" {
		return "none: what proved who sent it is of no row of the table", nil
	}
	log, index, _ := audit.ParseAddress(r.ClientTable)
	kept, err := store.Get(ctx, log, index)
	switch {
	case errors.Is(err, audit.ErrNotFound):
		return "not known: the store does not have the table's record", nil
	case err != nil:
		return "", fmt.Errorf("reading the table of clients %s: %w", r.ClientTable, err)
	case kept.Presence != audit.Present:
		return "not known: the table's content is " + kept.Presence.String(), nil
	}
	table, err := access.ReadKept(kept)
	if err != nil {
		return "", err
	}
	return cmp.Or(table.Row(r.ClientRow), "not known: the table's record has no such row"), nil
}
