package clientscmd

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/internal/clients"
)

// name returns where the gateway stands.
func (g *gateway) name() string { return cmp.Or(g.Line, "the gateway") }

// printedRow is a row for programs.
type printedRow struct {
	Gateway string `json:"gateway"`
	File    string `json:"file,omitzero"`
	SHA256  string `json:"sha256"`
	clients.Row
}

// printRows writes a JSON object for each row.
func (g *gateway) printRows(w io.Writer) error {
	var all []printedRow
	for _, row := range g.Table.Rows() {
		all = append(all, printedRow{g.Line, g.File, digestOf(g.Table), row})
	}
	return view.PrintLines(w, all, func(r printedRow) string { return "row " + r.Name })
}

// digestOf returns the digest of a table in hexadecimal.
func digestOf(t *clients.Table) string {
	sum := t.Digest()
	return hex.EncodeToString(sum[:])
}

// print writes the table for people, after an empty line if another one stands above.
func (g *gateway) print(w io.Writer, below bool) error {
	var b strings.Builder
	if below {
		b.WriteByte('\n')
	}
	title := g.name()
	if g.File != "" {
		title += " and " + g.File
	}
	table.Hang(&b, "", fmt.Sprintf("%s: %s, sha256 %s", title, countOf(g.Table), digestOf(g.Table)), table.Width(w))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	tables := map[clients.Role]*table.Table{}
	for _, row := range g.Table.Rows() {
		if tables[row.Role] == nil {
			tables[row.Role] = table.New(columns[row.Role]...)
		}
		cells := []string{row.Name, identities(&row), all(row.Cuits)}
		if row.Role == clients.RoleReader {
			cells = append(cells, map[bool]string{true: "mask", false: "-"}[row.Mask])
		} else {
			cells = append(cells, all(row.PtoVta), all(row.CbteTipo), all(row.May), limits(&row))
		}
		for i := range cells {
			cells[i] = printable.OneLine(cells[i])
		}
		tables[row.Role].Row(cells...)
	}
	for _, role := range []clients.Role{clients.RoleClient, clients.RoleReader} {
		if tables[role] == nil {
			continue
		}
		if err := tables[role].Print(w); err != nil {
			return err
		}
	}
	return nil
}

// columns are the columns of clients and readers. Where one is narrow, an amount and a CUIT still have room.
var columns = map[clients.Role][]table.Column{
	clients.RoleClient: {
		{Head: "CLIENT", Least: 8, Wrap: true},
		{Head: "IDENTITIES", Least: 13, Wrap: true},
		{Head: "CUITS", Least: 11, Wrap: true},
		{Head: "PTO_VTA", Least: 7, Wrap: true, Drop: 1},
		{Head: "CBTE_TIPO", Least: 9, Wrap: true, Drop: 2},
		{Head: "MAY", Least: 10, Wrap: true},
		{Head: "LIMITS", Least: 10, Wrap: true},
	},
	clients.RoleReader: {
		{Head: "READER", Least: 8, Wrap: true},
		{Head: "IDENTITIES", Least: 20, Wrap: true},
		{Head: "CUITS", Least: 11, Wrap: true},
		{Head: "MASK"},
	},
}

// countOf says how many clients and readers a table has.
func countOf(t *clients.Table) string {
	known := len(t.Clients())
	return fmt.Sprintf("%s, %s", count(known, "client"), count(len(t.Rows())-known, "reader"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// identities returns what proves who a client or reader is.
func identities(row *clients.Row) string {
	var texts []string
	for _, one := range []struct {
		kind clients.Kind
		list []string
	}{
		{clients.User, row.User},
		{clients.Certificate, row.Certificate},
		{clients.CertificateSAN, row.CertificateSAN},
		{clients.CertificateKey, row.CertificateKey},
		{clients.Ticket, row.Ticket},
	} {
		for _, text := range one.list {
			texts = append(texts, string(one.kind)+" "+text)
		}
	}
	return strings.Join(texts, ", ")
}

// all returns the texts of a right: * for none, which stands for all.
func all(texts []string) string { return cmp.Or(strings.Join(texts, " "), clients.All) }

// limits returns the largest amount and the shares of a client.
func limits(row *clients.Row) string {
	var texts []string
	for _, one := range [][2]string{{"max_amount", row.MaxAmount}, {"rate", strings.Join(row.Rate, " ")}, {"share", row.Share}} {
		if one[1] != "" {
			texts = append(texts, one[0]+" "+one[1])
		}
	}
	return view.OrDash(strings.Join(texts, ", "))
}
