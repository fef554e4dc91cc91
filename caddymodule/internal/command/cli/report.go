package cli

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ReportFlags say how a command reports what it has done.
type ReportFlags struct{ report string }

// BindReport defines --format for a command whose report is a text.
func (f *ReportFlags) BindReport(set *pflag.FlagSet) {
	ChoiceVar(set, &f.report, "format", "text", "text, or json: what was done as one object a line, on the standard output", "text", "json")
}

// AsJSON reports whether the report is for programs.
func (f *ReportFlags) AsJSON() bool { return f.report == "json" }

// Report writes the object to the standard output as a line of JSON, or else the text to w.
func (f *ReportFlags) Report(cmd *cobra.Command, object any, w io.Writer, text string, args ...any) error {
	if !f.AsJSON() {
		_, err := fmt.Fprintf(w, text, args...)
		return err
	}
	line, err := json.Marshal(object, json.Deterministic(true))
	if err == nil {
		_, err = cmd.OutOrStdout().Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("printing what was done: %w", err)
	}
	return nil
}
