package clientscmd

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

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
	fmt.Fprintf(&b, "%s", g.name())
	if g.File != "" {
		fmt.Fprintf(&b, " and %s", g.File)
	}
	fmt.Fprintf(&b, ": %s, sha256 %s\n", countOf(g.Table), digestOf(g.Table))
	table := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	head := clients.Role("")
	for _, row := range g.Table.Rows() {
		if row.Role != head {
			head = row.Role
			fmt.Fprintln(table, heads[head])
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
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heads are the heads of the columns.
var heads = map[clients.Role]string{
	clients.RoleClient: "CLIENT\tIDENTITIES\tCUITS\tPTO_VTA\tCBTE_TIPO\tMAY\tLIMITS",
	clients.RoleReader: "READER\tIDENTITIES\tCUITS\tMASK",
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
