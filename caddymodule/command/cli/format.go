package cli

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/command/view"
)

// FormatFlags are how a command prints records.
type FormatFlags struct {
	format string
	raw    bool
}

func (f *FormatFlags) Bind(set *pflag.FlagSet, usage string) {
	set.StringVar(&f.format, "format", "table", usage)
}

func (f *FormatFlags) BindRaw(set *pflag.FlagSet) {
	set.BoolVar(&f.raw, "raw", false, "Print the bodies as they were sent, but for their credentials, not indented")
}

// Printer returns the printer of records of this kind.
func (f *FormatFlags) Printer(w io.Writer, kind audit.Kind) (view.Printer, error) {
	switch f.format {
	case "table":
		return view.NewTablePrinter(w, view.ColumnsOf(kind), f.raw), nil
	case "json":
		return view.JSONPrinter{W: w}, nil
	default:
		return nil, fmt.Errorf("--format %q: use table or json", f.format)
	}
}
