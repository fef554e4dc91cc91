package cli

import (
	"io"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
)

// FormatFlags are how a command prints records.
type FormatFlags struct {
	ColorFlags
	format string
	raw    bool
}

// FormatVar defines the flag of a command that prints a table or JSON.
func FormatVar(set *pflag.FlagSet, format *string, usage string) {
	ChoiceVar(set, format, "format", "table", usage, "table", "json")
}

func (f *FormatFlags) Bind(set *pflag.FlagSet, usage string) {
	FormatVar(set, &f.format, usage)
	f.BindColor(set)
}

func (f *FormatFlags) BindRaw(set *pflag.FlagSet) {
	set.BoolVar(&f.raw, "raw", false, "Print the bodies as they were sent, but for their credentials, not indented")
}

// Printer returns the printer of records of this kind.
func (f *FormatFlags) Printer(w io.Writer, kind audit.Kind) view.Printer {
	if f.format == "json" {
		return view.JSONPrinter{W: w}
	}
	columns := view.ColumnsOf(kind)
	if f.Colored(w) {
		columns = columns.Colored()
	}
	return view.NewTablePrinter(w, columns, f.raw)
}
