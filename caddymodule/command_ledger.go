package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/backend"
)

const ledgerHelp = `
Exports, imports and empties the ledger of the built-in service (wsfev1_backend): its
invoices, CAEAs and declarations without movement. A test suite so starts from a state
that it knows.

A service may be at work on the same ledger. Numbers stay right whatever happens: each
command is one transaction, or one look. An export sees the ledger as it was when it
began, and holds nobody up. While an import or a reset runs, requests that issue wait; those
that wait for more than 10 seconds are answered with error 501 and issue nothing, so
stop the service before you import some hundred thousand invoices. The trail of a
gateway is another file, and knows nothing of it.

Exit status:
  0  done
  1  not done, and the ledger is as it was
  2  wrong flags or arguments; nothing was tried`

const importHelp = `
Adds what export wrote to a ledger, all of it or nothing: an error names the line, and
after one, or after a crash, the ledger is as it was. "-" is the standard input.

The numbers of a series have to follow its last one; CAEs, CAEAs and declarations have to
be new, and a CAEA comes before what is issued under it. So an export fits an empty ledger, which is made where there is none, and any other
in which nothing is in its way.

The file is JSON Lines and may be written by hand: a line of kind "ledger", then lines of
the kinds "caea", "sin_movimiento" and "invoice", each series by ascending number from 1,
then {"kind":"end"}. Detail is the invoice as FECAESolicitar gets it. One invoice may
stand for a range: with CbteDesde 1 and CbteHasta 1499 the next number is 1500.

  {"kind":"ledger","form":"fielato-ledger","version":1}
  {"kind":"invoice","Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"CbteDesde":1,"CbteHasta":1,
   "CbteFch":"20261106","EmisionTipo":"CAE","CodAutorizacion":"96450000000012",
   "FchVto":"20261116","FchProceso":"20261106103015","Detail":{"Concepto":1,"CbteDesde":1,
   "CbteHasta":1,"CbteFch":"20261106","ImpTotal":121.00}}     (on one line)
  {"kind":"end"}`

func ledgerCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "ledger",
		Short: "Exports, imports and empties the ledger of the built-in service",
		Long:  ledgerHelp,
		Example: `  fielato wsfev1 ledger export --ledger sqlite:./data/ledger.db --output state.jsonl
  fielato wsfev1 ledger reset --ledger sqlite:./data/ledger.db --yes
  fielato wsfev1 ledger import --ledger sqlite:./data/ledger.db state.jsonl`,
	}
	group.PersistentFlags().String("ledger", "", "The ledger: "+addressForms+" (default: the built-in service's own default path)")
	group.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return misused(err) })
	export := &cobra.Command{
		Use:   "export",
		Short: "Writes everything that a ledger holds as JSON Lines",
		Example: `  fielato wsfev1 ledger export --ledger sqlite:./data/ledger.db --output state.jsonl
  fielato wsfev1 ledger export --ledger sqlite:./data/ledger.db | gzip > state.jsonl.gz`,
		Args: usedWith(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runExport(cmd) },
	}
	export.Flags().String("output", "-", "The file, replaced when all is written; - is the standard output")
	importing := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Adds what export wrote to a ledger",
		Long:  importHelp,
		Example: `  fielato wsfev1 ledger import --ledger sqlite:./data/ledger.db state.jsonl
  zcat state.jsonl.gz | fielato wsfev1 ledger import --ledger sqlite:./data/ledger.db -`,
		Args: usedWith(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return runImport(cmd, args[0]) },
	}
	reset := &cobra.Command{
		Use:   "reset --yes",
		Short: "Removes everything from a ledger, but not which codes were given",
		Long: `
Removes all invoices, CAEAs and declarations without movement from a ledger. There is no
way back but an export. Which codes were given is not forgotten: no CAE and no CAEA is
given twice. The file keeps its size and is filled again.

The trail of a gateway in front is not touched: requests that were approved before are
answered from it with the CAE of then. Give such a gateway "replay off" and "sequence
off", or a new trail after each reset.`,
		Example: `  fielato wsfev1 ledger reset --ledger sqlite:./data/ledger.db --yes`,
		Args:    usedWith(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runReset(cmd) },
	}
	reset.Flags().Bool("yes", false, "Remove everything; without it nothing is done")
	group.AddCommand(export, importing, reset)
	return group
}

func runExport(cmd *cobra.Command) error {
	output, _ := cmd.Flags().GetString("output")
	return withLedger(cmd, false, func(ctx context.Context, ledger backend.Ledger, address string) error {
		var done backend.Contents
		err := writeOutput(cmd, output, func(w io.Writer) (err error) {
			done, err = backend.Export(ctx, ledger, w, progressOf(cmd, "exported"))
			return err
		})
		if err == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "exported from %s: %v\n", address, done)
		}
		return err
	})
}

func runImport(cmd *cobra.Command, file string) error {
	// The source comes first: where there is none, no ledger is made.
	source, release, err := openInput(cmd, file)
	if err != nil {
		return err
	}
	err = withLedger(cmd, true, func(ctx context.Context, ledger backend.Ledger, address string) error {
		done, err := backend.Import(ctx, ledger, source, progressOf(cmd, "read"))
		if err == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "imported into %s: %v\n", address, done)
		}
		return err
	})
	return errors.Join(err, release())
}

func runReset(cmd *cobra.Command) error {
	if yes, _ := cmd.Flags().GetBool("yes"); !yes {
		return misused(errors.New("reset removes every invoice of the ledger: give --yes if that is meant"))
	}
	return withLedger(cmd, false, func(ctx context.Context, ledger backend.Ledger, address string) error {
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
		fmt.Fprintf(cmd.ErrOrStderr(), "emptied %s: series removed %d\n"+
			"a gateway in front still answers from its trail what was issued before: give it \"replay off\" and \"sequence off\", or a new trail\n", address, removed)
		return nil
	})
}

// withLedger opens the ledger that the flag names. An interrupt ends what do does in
// good order.
func withLedger(cmd *cobra.Command, create bool, do func(ctx context.Context, ledger backend.Ledger, address string) error) error {
	address, err := addressFlag(cmd, "ledger", ledgerFile)
	if err != nil {
		return misused(err)
	}
	if !create {
		if err := address.kind.exists(address.place); err != nil {
			return err
		}
	}
	ledger, err := address.kind.ledger(cmd.Context(), address.place)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return errors.Join(do(ctx, ledger, address.String()), ledger.Close())
}
