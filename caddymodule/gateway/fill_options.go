package gateway

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/validate"
)

// Fill declares what invoices get that lack CondicionIVAReceptorId. Nothing that a client has sent is
// replaced, and no other member is filled in.
type Fill struct {
	// CondicionIVAReceptorId is where it comes from.
	CondicionIVAReceptorId FillSource `json:"CondicionIVAReceptorId"` //nolint:tagliatelle // the service's own name
}

// FillSource is a table, defaults, or both.
type FillSource struct {
	// Table is the path of a file with a line for each receiver:
	// `DocTipo,DocNro,CondicionIVAReceptorId`. It is read when the configuration is loaded.
	// Placeholders such as {env.NAME} are replaced.
	Table string `json:"table,omitempty"`

	// Default are the conditions for receivers that are not in the table. An invoice gets the
	// first that its class admits; none if there is none.
	Default []int32 `json:"default,omitempty"`
}

// source reads the table.
func (f *Fill) source() (*fill.Source, error) {
	var table *fill.Table
	declared := &f.CondicionIVAReceptorId
	if declared.Table != "" {
		path, err := directive.ResolvePath(declared.Table)
		if err != nil {
			return nil, fmt.Errorf("fill %s from table: %w", fill.Member, err)
		}
		if table, err = fill.ReadTable(path); err != nil {
			return nil, fmt.Errorf("fill %s: %w", fill.Member, err)
		}
	}
	source, err := fill.NewSource(table, declared.Default)
	if err != nil {
		return nil, fmt.Errorf("fill %s: %w", fill.Member, err)
	}
	return source, nil
}

const fillSyntax = "write fill " + fill.Member + " from table <file> [default <id>…], or from default <id>…"

// unmarshalFill reads "fill <member> from table <file> [default <id>…]" and "fill <member> from default
// <id>…".
func (g *Gateway) unmarshalFill(d *caddyfile.Dispenser) error {
	words := d.RemainingArgs()
	if len(words) > 0 && words[0] != fill.Member {
		return d.Errf("fill %s: only %s is filled in", words[0], fill.Member)
	}
	if len(words) < 4 || words[1] != "from" {
		return d.Err("fill: " + fillSyntax)
	}
	var declared FillSource
	rest := words[2:]
	if rest[0] == "table" {
		declared.Table, rest = rest[1], rest[2:]
	}
	if len(rest) == 1 || len(rest) > 1 && rest[0] != "default" {
		return d.Err("fill: " + fillSyntax)
	}
	for _, text := range rest[min(1, len(rest)):] {
		id, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return d.Errf("fill: default %q is no number: give a condition such as 5", text)
		}
		declared.Default = append(declared.Default, int32(id))
	}
	g.Fill = &Fill{CondicionIVAReceptorId: declared}
	return nil
}

var errFillsBase = errors.New("fill needs contract arca: in contract base invoices have no " + fill.Member)

// filler returns the source of the values to fill in, nil for none.
func (g *Gateway) filler() (*fill.Source, error) {
	if g.Fill == nil {
		return nil, nil
	}
	if g.Contract == string(validate.Base) {
		return nil, errFillsBase
	}
	return g.Fill.source()
}
