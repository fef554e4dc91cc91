package totalscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/environment"
)

type flags struct {
	cli.StoreFlags
	wanted                               closing.Wanted
	month, by, format, invoices, compare string
}

func (f *flags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	set.StringVar(&f.month, "month", "", "The month, such as 2026-10")
	cli.CUITVar(set, &f.wanted.Issuer, "The issuer; all issuers without it")
	set.Int32Var(&f.wanted.PtoVta, "pto-vta", 0, "One point of sale only")
	set.Int32Var(&f.wanted.CbteTipo, "cbte-tipo", 0, "One type of voucher only")
	cli.ChoiceVar(set, &f.by, "by", string(closing.ByDate), "date: the month of the invoice's date; authorised: of the day on which it got its CAE, or was reported",
		string(closing.ByDate), string(closing.ByAuthorised))
	cli.ChoiceVar(set, &f.format, "format", "table", "table, csv, or json: one object", "table", "json", "csv")
	set.StringVar(&f.invoices, "invoices", "", "A new file for the invoices one by one, with the columns of the VAT book, for a spreadsheet")
	set.StringVar(&f.compare, "compare", "", "A table of another program, such as ARCA's Mis Comprobantes, to compare the invoices with")
}

const help = `
Adds up the invoices that the service has authorised in a month, by issuer, type and point of
sale: how many, net by rate, VAT, other taxes and total, first and last number, numbers that
the trail does not have, and how many of them credit notes of the same month take back.

An invoice counts once: neither an answer that was given again nor a query adds to it. One
whose answer was lost counts if the gateway has found out that it was issued. Invoices of the
built-in service and of the authority's service for tests are added up apart.

Amounts are content. Where it was purged, is encrypted (give --encryption-key), or was not
kept, the invoice is counted as one without amounts. Its date is then the day on which it
was authorised.

--invoices writes a line for each invoice, with semicolons and decimal commas. --compare reads
a table whose first line names the columns: at least Tipo, Punto de Venta, Número Desde and
Imp. Total, in any order. It compares total, net and VAT, and the CAE, as far as both have
them, and leaves out invoices of the built-in service and of the authority's service for tests.

Damaged records do not keep the sums from being printed, but these may lack invoices then: the
exit status is 2.

Exit status:
  0  the sums are printed; with --compare, both have the same invoices
  1  with --compare: they differ
  2  something went wrong, or records are damaged`

// Command returns the command. common are the flags of all commands about a trail.
func Command(common *cli.TrailFlags) *cobra.Command {
	f := &flags{StoreFlags: cli.StoreFlags{TrailFlags: common, Content: cli.ContentCounted}}
	cmd := &cobra.Command{
		Use:   "totals --month MONTH [flags]",
		Short: "Adds up the invoices of a month, and compares them with another program's",
		Long:  help,
		Example: `  fielato wsfev1 audit totals --store sqlite:./data/audit.db --month 2026-10
  fielato wsfev1 audit totals --store sqlite:./data/audit.db --month 2026-10 --cuit 20111111112 --invoices october.csv
  fielato wsfev1 audit totals --store sqlite:./data/audit.db --month 2026-10 --cuit 20111111112 --compare mis-comprobantes.csv`,
		Args: cli.None,
	}
	f.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return run(cmd, f) }
	return cmd
}

// check reads the flags. An error is one of wrong use.
func (f *flags) check() (err error) {
	if f.month == "" {
		return errors.New("--month is missing: give year and month, such as 2026-10")
	}
	if f.wanted.Month, err = closing.ParseMonth(f.month); err != nil {
		return fmt.Errorf("--month: %w", err)
	}
	f.wanted.By = closing.By(f.by)
	if f.compare != "" && f.wanted.Issuer == 0 {
		return errors.New("--compare needs --cuit: a table of another program is of one issuer")
	}
	return nil
}

// report has the sums, and the comparison if one was asked for.
type report struct {
	wanted     closing.Wanted
	rows       []*closing.Row
	comparison *closing.Comparison
	book       *closing.Book
	lost       closing.Lost
	// tests counts the invoices of services for tests, which no other program's table has.
	tests int64
}

func run(cmd *cobra.Command, f *flags) error {
	if err := f.check(); err != nil {
		return cli.UsageError(err)
	}
	cli.RemarkOnCUIT(cmd.ErrOrStderr(), f.wanted.Issuer)
	r := &report{wanted: f.wanted}
	if f.compare != "" {
		var err error
		if r.book, err = readBook(f.compare); err != nil {
			return fmt.Errorf("--compare %s: %w", f.compare, err)
		}
		r.comparison = closing.NewComparison(r.book)
	}
	err := cli.WithStore(cmd, &f.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		ctx, stop := cli.UntilInterrupted(ctx)
		defer stop()
		return f.add(ctx, cmd, s, r)
	})
	if err != nil {
		return err
	}
	if len(r.rows) == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "no invoice of %s\n", f.wanted.Month)
	}
	if r.lost.LotsElsewhere > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "not in the sums: %d settlements of lots whose request is in another log, which the store does not have\n", r.lost.LotsElsewhere)
	}
	print := map[string]func(io.Writer, *report) error{"table": printTable, "json": printJSON, "csv": printCSV}[f.format]
	if err := print(cmd.OutOrStdout(), r); err != nil {
		return fmt.Errorf("printing the sums: %w", err)
	}
	if r.lost.Damaged > 0 {
		return fmt.Errorf("not in the sums: invoices of %d damaged records, which cannot be read: fielato wsfev1 audit verify names them", r.lost.Damaged)
	}
	if r.differs() {
		return cli.Found(errors.New("the trail and the table differ"))
	}
	return nil
}

func readBook(path string) (*closing.Book, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return closing.ReadBook(file)
}

// add adds up the invoices, and writes and compares each.
func (f *flags) add(ctx context.Context, cmd *cobra.Command, s *cli.Session, r *report) error {
	logs, err := s.Logs(ctx)
	if err != nil {
		return err
	}
	return withTable(f.invoices, func(table *closing.Table) error { return f.addTo(ctx, cmd, s, logs, r, table) })
}

// withTable makes a new file for a table, and removes it if write fails: a part of it would look like the whole month. Without
// a path there is no table.
func withTable(path string, write func(*closing.Table) error) (err error) {
	if path == "" {
		return write(nil)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("--invoices %s is there already: name a new file", path)
	}
	if err != nil {
		return fmt.Errorf("--invoices: %w", err)
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	table, err := closing.NewTable(file)
	if err != nil {
		return err
	}
	return errors.Join(write(table), table.Flush())
}

// addTo adds up the invoices, and writes each into the table, nil for none.
func (f *flags) addTo(ctx context.Context, cmd *cobra.Command, s *cli.Session, logs []string, r *report, table *closing.Table) error {
	progress := cli.NewProgress(cmd, "added up")
	defer progress.Clear()
	totals := closing.NewTotals()
	reading := &closing.Reading{Progress: func(done, total int) { progress.UpdateOf(uint64(done), uint64(total), "invoice") }}
	for i, err := range closing.Invoices(ctx, s.Store, logs, f.wanted, reading) {
		if err != nil {
			return err
		}
		totals.Add(i)
		switch {
		case r.comparison == nil:
		case i.Environment == environment.BuiltIn, i.Environment == environment.Testing:
			r.tests += i.Count()
		default:
			r.comparison.Add(i)
		}
		if table != nil {
			if err := table.Write(i); err != nil {
				return err
			}
		}
	}
	r.rows, r.lost = totals.Rows(), reading.Lost
	return nil
}
