package cli

import (
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
)

// ColorFlags say whether a command colours the outcomes that it prints.
type ColorFlags struct{ color string }

// BindColor defines --color.
func (f *ColorFlags) BindColor(set *pflag.FlagSet) {
	ChoiceVar(set, &f.color, "color", "auto", "Colour outcomes and verdicts: auto (on a terminal, unless NO_COLOR is set), always or never", "auto", "always", "never")
}

// Colored reports whether to colour the output to w.
func (f *ColorFlags) Colored(w io.Writer) bool {
	switch f.color {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && table.Terminal(w) != nil
}

// Painter returns the painter of the output to w.
func (f *ColorFlags) Painter(w io.Writer) view.Painter { return view.Painter{On: f.Colored(w)} }
