package view

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
)

// The colours of a terminal.
const (
	green   = "\x1b[32m"
	yellow  = "\x1b[33m"
	red     = "\x1b[31m"
	uncolor = "\x1b[39m"
)

func paint(text, color string) string { return color + text + uncolor }

// Painter colours the words of a verdict. The zero value leaves them plain.
type Painter struct{ On bool }

// Good paints text about something that is in order.
func (p Painter) Good(text string) string { return p.with(text, green) }

// Notable paints what should be looked at.
func (p Painter) Notable(text string) string { return p.with(text, yellow) }

// Bad paints what has to be mended.
func (p Painter) Bad(text string) string { return p.with(text, red) }

// Outcome paints the outcome of an exchange in the colour that it has in every table.
func (p Painter) Outcome(word string) string { return p.with(word, colorOf(word)) }

func (p Painter) with(text, color string) string {
	if !p.On {
		return text
	}
	return paint(text, color)
}

// colorOf returns the colour of an outcome: green for a good one, red for one that somebody has to look at,
// yellow for a request that was refused or did not happen.
func colorOf(word string) string {
	switch audit.Outcome(word) {
	case audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomeAnswered, audit.OutcomeRecovered, audit.OutcomeReplayed, audit.OutcomeCached:
		return green
	case audit.OutcomeUnknown, audit.OutcomeUnsettled, audit.OutcomeUnrecorded, audit.OutcomeUpstreamError, outcome.Open:
		return red
	}
	return yellow
}

// Colored paints the outcomes.
func (c Columns) Colored() Columns {
	c.colored = len(c.list) > outcomeColumn
	return c
}

// cells returns the cells of a record, with what an unknown outcome was settled to.
func (c Columns) cells(r, settlement *audit.Record) []string {
	cells, word := c.row(r), OutcomeText(r)
	if settlement != nil {
		word = string(settlement.Outcome)
		cells[outcomeColumn] += " → " + word
	}
	if c.colored {
		cells[outcomeColumn] = paint(cells[outcomeColumn], colorOf(word))
	}
	return cells
}
