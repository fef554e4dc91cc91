package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/table"
)

// Progress shows how far a long command is, on one line of a terminal, a few times a second.
// It is silent if the standard error is not a terminal.
type Progress struct {
	terminal *os.File // nil if there is none
	verb     string
	shownAt  time.Time
}

func NewProgress(cmd *cobra.Command, verb string) *Progress {
	return &Progress{terminal: TerminalOf(cmd), verb: verb}
}

// TerminalOf returns the standard error if it is a terminal, else nil.
func TerminalOf(cmd *cobra.Command) *os.File {
	return table.Terminal(cmd.ErrOrStderr())
}

// clearLine moves the cursor to the beginning of its line and erases the line.
const clearLine = "\r\x1b[K"

// Update shows how many records are done.
func (p *Progress) Update(done, total uint64) { p.UpdateOf(done, total, "record") }

// UpdateOf shows how many things are done whose plural ends in s.
func (p *Progress) UpdateOf(done, total uint64, what string) {
	if p.terminal == nil || time.Since(p.shownAt) < 200*time.Millisecond {
		return
	}
	p.shownAt = time.Now()
	fmt.Fprintf(p.terminal, clearLine+"%s %s of %s (%d %%)", p.verb,
		humanize.Comma(int64(done)), CountOf(total, what), done*100/max(total, 1))
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.terminal != nil && !p.shownAt.IsZero() {
		fmt.Fprint(p.terminal, clearLine)
	}
}

// CountOf formats a number of things whose plural ends in s.
func CountOf(n uint64, what string) string {
	if n != 1 {
		what += "s"
	}
	return humanize.Comma(int64(n)) + " " + what
}
