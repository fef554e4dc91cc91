package caddymodule

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
)

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
