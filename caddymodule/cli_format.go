package caddymodule

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/command/view"
)

// formatFlags say how a command prints records.
type formatFlags struct {
	format string
	raw    bool
}

func (f *formatFlags) bind(set *pflag.FlagSet, usage string) {
	set.StringVar(&f.format, "format", "table", usage)
}

func (f *formatFlags) bindRaw(set *pflag.FlagSet) {
	set.BoolVar(&f.raw, "raw", false, "Print the bodies as they were sent, but for their credentials, not indented")
}

// printer returns the printer of records of this kind.
func (f *formatFlags) printer(w io.Writer, kind audit.Kind) (view.Printer, error) {
	switch f.format {
	case "table":
		return view.NewTablePrinter(w, view.ColumnsOf(kind), f.raw), nil
	case "json":
		return view.JSONPrinter{W: w}, nil
	default:
		return nil, fmt.Errorf("--format %q: use table or json", f.format)
	}
}
