package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/stores"
	"github.com/fielato/fielato/internal/backend"
)

const ledgerHelp = `
Exports, imports and empties the ledger of the built-in service (wsfev1_backend): its
invoices, CAEAs and declarations without movement. A test suite can so start from a known
state.

A service may be using the same ledger. Numbers stay right whatever happens: each command
is one transaction, or reads one snapshot. An export shows the ledger as it was when it
began, and blocks no request. While an import or a reset runs, requests that issue wait;
those that wait for more than 10 seconds are answered with error 501 and issue nothing, so
stop the service before you import some hundred thousand invoices. The trail of a
gateway is another file, and is not affected.

Exit status:
  0  done
  2  not done, and the ledger is as it was`

const importHelp = `
Adds what export wrote to a ledger, all of it or nothing: an error names the line, and
after one, or after a crash, the ledger is as it was. "-" is the standard input.

The numbers of a series must follow its last one; CAEs, CAEAs and declarations must be new,
and a CAEA must come before the invoices issued under it. So an export can be imported into
an empty ledger, which is created if it does not exist, and into any other that has nothing
that conflicts with it.

The file is JSON Lines and may be written by hand: a line of kind "ledger", then lines of
the kinds "caea", "sin_movimiento" and "invoice", each series by ascending number from 1,
then {"kind":"end"}. Detail is the invoice as FECAESolicitar gets it. One invoice may
cover a range: with CbteDesde 1 and CbteHasta 1499 the next number is 1500.

  {"kind":"ledger","form":"fielato-ledger","version":1}
  {"kind":"invoice","Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"CbteDesde":1,"CbteHasta":1,
   "CbteFch":"20261106","EmisionTipo":"CAE","CodAutorizacion":"96450000000012",
   "FchVto":"20261116","FchProceso":"20261106103015","Detail":{"Concepto":1,"CbteDesde":1,
   "CbteHasta":1,"CbteFch":"20261106","ImpTotal":121.00}}     (on one line)
  {"kind":"end"}`

// ledgerFlags name the ledger that a command is about.
type ledgerFlags struct {
	cli.ReportFlags
	ledger string
}

func (f *ledgerFlags) bind(set *pflag.FlagSet) {
	set.StringVar(&f.ledger, "ledger", "", "The ledger: "+cli.AddressForms+" (default: the built-in service's own default path)")
	f.BindReport(set)
}

func ledgerCommand() *cobra.Command {
	flags := &ledgerFlags{}
	ledger := cli.Group(&cobra.Command{
		Use:   "ledger",
		Short: "Exports, imports and empties the ledger of the built-in service",
		Long:  ledgerHelp,
		Example: `  fielato wsfev1 ledger export --ledger sqlite:./data/ledger.db --output state.jsonl
  fielato wsfev1 ledger reset --ledger sqlite:./data/ledger.db --yes
  fielato wsfev1 ledger import --ledger sqlite:./data/ledger.db state.jsonl`,
	})
	flags.bind(ledger.PersistentFlags())
	ledger.AddCommand(ledgerExportCommand(flags), ledgerImportCommand(flags), ledgerResetCommand(flags))
	return ledger
}

func ledgerExportCommand(flags *ledgerFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Writes everything that a ledger holds as JSON Lines",
		Example: `  fielato wsfev1 ledger export --ledger sqlite:./data/ledger.db --output state.jsonl
  fielato wsfev1 ledger export --ledger sqlite:./data/ledger.db | gzip > state.jsonl.gz`,
		Args: cli.None,
	}
	output := cmd.Flags().String("output", "-", "The file, replaced when all is written; - is the standard output")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runLedgerExport(cmd, flags, *output) }
	return cmd
}

func ledgerImportCommand(flags *ledgerFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE|-",
		Short: "Adds what export wrote to a ledger",
		Long:  importHelp,
		Example: `  fielato wsfev1 ledger import --ledger sqlite:./data/ledger.db state.jsonl
  zcat state.jsonl.gz | fielato wsfev1 ledger import --ledger sqlite:./data/ledger.db -`,
		Args: cli.Exactly(cli.Argument{Name: "FILE", What: "what ledger export wrote, or - for the standard input"}),
		RunE: func(cmd *cobra.Command, args []string) error { return runLedgerImport(cmd, flags, args[0]) },
	}
}

func ledgerResetCommand(flags *ledgerFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reset --yes",
		Short: "Removes everything from a ledger, but not which codes were given",
		Long: `
Removes all invoices, CAEAs and declarations without movement from a ledger. Only an export
can bring them back. The codes given so far are remembered: no CAE and no CAEA is given
twice. The file keeps its size; its space is used again.

The trail of a gateway in front is not touched: requests approved before are answered from
it with their old CAE. Give such a gateway "replay off" and "sequence off", or a new trail
after each reset.`,
		Example: `  fielato wsfev1 ledger reset --ledger sqlite:./data/ledger.db --yes`,
		Args:    cli.None,
	}
	yes := cmd.Flags().Bool("yes", false, "Remove everything; without it nothing is done")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !*yes {
			return cli.UsageError(errors.New("reset removes every invoice of the ledger: give --yes to confirm"))
		}
		return runLedgerReset(cmd, flags)
	}
	return cmd
}

// movedLedger is the report of an export or import for programs.
type movedLedger struct {
	Ledger string `json:"ledger"`
	backend.Contents
}

func runLedgerExport(cmd *cobra.Command, flags *ledgerFlags, output string) error {
	if flags.AsJSON() && output == "-" {
		return cli.UsageError(errors.New("--format json: the ledger is on the standard output: give --output FILE"))
	}
	return withLedger(cmd, flags, false, func(ctx context.Context, ledger backend.Ledger, address string) error {
		var done backend.Contents
		err := writeOutput(cmd, output, func(w io.Writer) (err error) {
			done, err = backend.Export(ctx, ledger, w, progressOf(cmd, "exported"))
			return err
		})
		if err == nil {
			err = flags.Report(cmd, movedLedger{address, done}, cmd.ErrOrStderr(), "exported from %s: %v\n", address, done)
		}
		return err
	})
}

func runLedgerImport(cmd *cobra.Command, flags *ledgerFlags, file string) error {
	// The source is opened first: without it no ledger is made.
	source, release, err := openInput(cmd, file)
	if err != nil {
		return err
	}
	err = withLedger(cmd, flags, true, func(ctx context.Context, ledger backend.Ledger, address string) error {
		done, err := backend.Import(ctx, ledger, source, progressOf(cmd, "read"))
		if err == nil {
			err = flags.Report(cmd, movedLedger{address, done}, cmd.ErrOrStderr(), "imported into %s: %v\n", address, done)
		}
		return err
	})
	return errors.Join(err, release())
}

func runLedgerReset(cmd *cobra.Command, flags *ledgerFlags) error {
	return withLedger(cmd, flags, false, func(ctx context.Context, ledger backend.Ledger, address string) error {
		removed := 0
		err := ledger.Update(ctx, func(tx backend.Tx) error {
			series, err := tx.AllSeries(ctx)
			if err != nil {
				return err
			}
			removed = len(series)
			return tx.Reset(ctx)
		})
		if err != nil {
			return fmt.Errorf("reset: nothing was removed: %w", err)
		}
		object := struct {
			Ledger string `json:"ledger"`
			Series int    `json:"series_removed"`
		}{address, removed}
		return flags.Report(cmd, object, cmd.ErrOrStderr(), "emptied %s: series removed %d\n"+
			"a gateway in front still answers from its trail what was issued before: give it \"replay off\" and \"sequence off\", or a new trail\n", address, removed)
	})
}

// withLedger opens the ledger of the flag for do. An interrupt ends the context of do.
func withLedger(cmd *cobra.Command, flags *ledgerFlags, create bool, do func(ctx context.Context, ledger backend.Ledger, address string) error) error {
	address, err := cli.AddressOfStore("ledger", flags.ledger, stores.LedgerFile)
	if err != nil {
		return cli.UsageError(err)
	}
	if !create {
		if err := address.Kind.Exists(address.Place); err != nil {
			return err
		}
	}
	ledger, err := address.Kind.Ledger(cmd.Context(), address.Place)
	if err != nil {
		return err
	}
	ctx, stop := cli.UntilInterrupted(cmd.Context())
	defer stop()
	return errors.Join(do(ctx, ledger, address.String()), ledger.Close())
}
