package clientscmd

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/wsfev1"
)

// verdict says whether somebody may send a request, by one table.
type verdict struct {
	Allowed   bool   `json:"allowed"`
	Operation string `json:"operation"`
	// Client is the name of the row, and Row its text. They are empty for nobody, and without a table.
	Client string `json:"client,omitzero"`
	Row    string `json:"row,omitzero"`
	// Reason says why there is no row.
	Reason string `json:"reason,omitzero"`
	// Missing are the rights that the row lacks, and Write is the row that would have them all.
	Missing []clients.Right `json:"missing,omitempty"`
	Write   string          `json:"write,omitzero"`
	// Only is what the question has left open, and the row does not.
	Only *only `json:"only,omitzero"`

	// Gateway is where the gateway stood. File is the file with more rows.
	Gateway string `json:"gateway,omitzero"`
	File    string `json:"file,omitzero"`
	SHA256  string `json:"sha256,omitzero"`
	// Table, Loaded and Who are of the table's record in the trail.
	Table  string `json:"table,omitzero"`
	Loaded string `json:"loaded,omitzero"`
	Who    string `json:"who,omitzero"`
}

// only has the values to which a row restricts a client.
type only struct {
	PtoVta    []string `json:"pto_vta,omitempty"`
	CbteTipo  []string `json:"cbte_tipo,omitempty"`
	MaxAmount string   `json:"max_amount,omitzero"`
}

// judge answers the question by a table.
func (q *question) judge(table *clients.Table) (v verdict, err error) {
	v = verdict{Operation: q.op.Name, SHA256: digestOf(table)}
	client, err := table.Client(&q.identity)
	switch {
	case errors.Is(err, clients.ErrSeveral):
		v.Reason = err.Error()
		return v, nil
	case err != nil:
		v.Reason = err.Error()
		v.Write, err = q.newRow(table)
		return v, err
	}
	v.Client, v.Row = client.Name, client.Row.String()
	if v.Missing, v.Write, err = q.lacking(client); err != nil {
		return v, err
	}
	if v.Allowed = len(v.Missing) == 0; v.Allowed {
		v.Only = q.only(client.Row)
	}
	return v, nil
}

// lacking returns the rights that a client lacks for the request, and the row that has them.
func (q *question) lacking(client *clients.Client) (missing []clients.Right, write string, err error) {
	for {
		denial := client.Decide(q.op, q.request(client.Row))
		if !denial.Denies() || slices.Contains(missing, denial.Right) {
			return missing, write, nil
		}
		missing = append(missing, denial.Right)
		table, err := clients.NewTable([]clients.Row{q.grant(*client.Row, denial.Right)})
		if err != nil {
			return nil, "", err //nolint:wrapcheck // it names the row
		}
		client = table.Clients()[0]
		write = client.Row.String()
	}
}

// grant returns a row with one right more.
func (q *question) grant(row clients.Row, right clients.Right) clients.Row {
	add := func(list *[]string, text string) { *list = append(slices.Clone(*list), text) }
	switch right {
	case clients.RightCuit:
		add(&row.Cuits, q.cuit.String())
	case clients.RightOperation:
		add(&row.May, q.op.Name)
	case clients.RightPtoVta:
		add(&row.PtoVta, strconv.Itoa(int(q.ptoVta)))
	case clients.RightCbteTipo:
		add(&row.CbteTipo, strconv.Itoa(int(q.cbteTipo)))
	case clients.RightAmount:
		row.MaxAmount = q.amount
	}
	return row
}

// newRow returns a row that would allow the request to somebody who is no client, no text if the question does
// not say for whom.
func (q *question) newRow(table *clients.Table) (string, error) {
	if q.cuit == 0 {
		return "", nil
	}
	row := q.written
	row.Cuits, row.May = []string{q.cuit.String()}, []string{q.op.Name}
	if q.ptoVta != 0 {
		row.PtoVta = []string{strconv.Itoa(int(q.ptoVta))}
	}
	if q.cbteTipo != 0 {
		row.CbteTipo = []string{strconv.Itoa(int(q.cbteTipo))}
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(table.Clients(), func(c *clients.Client) bool { return c.Name == name })
	}
	for _, row.Name = range []string{q.user, "NAME"} {
		made, err := clients.NewTable([]clients.Row{row})
		if err == nil && !taken(row.Name) {
			return made.Clients()[0].Row.String(), nil
		}
		if err != nil && row.Name == "NAME" {
			return "", err //nolint:wrapcheck // it names the row
		}
	}
	return "", nil
}

// only returns what the question has left open and a row restricts, nil for nothing.
func (q *question) only(row *clients.Row) *only {
	var o only
	ptoVta, cbteTipo, lot := places(q.op.NewRequest())
	restricts := func(list []string) bool { return len(list) > 0 && !slices.Contains(list, clients.All) }
	if ptoVta != nil && q.ptoVta == 0 && restricts(row.PtoVta) {
		o.PtoVta = row.PtoVta
	}
	if cbteTipo != nil && q.cbteTipo == 0 && restricts(row.CbteTipo) {
		o.CbteTipo = row.CbteTipo
	}
	if lot != nil && !q.total.Sent() {
		o.MaxAmount = row.MaxAmount
	}
	if len(o.PtoVta)+len(o.CbteTipo)+len(o.MaxAmount) == 0 {
		return nil
	}
	return &o
}

// String returns the words of a row.
func (o *only) String() string {
	var texts []string
	for _, one := range [][2]string{
		{"pto_vta", strings.Join(o.PtoVta, " ")}, {"cbte_tipo", strings.Join(o.CbteTipo, " ")}, {"max_amount", o.MaxAmount},
	} {
		if one[1] != "" {
			texts = append(texts, one[0]+" "+one[1])
		}
	}
	return strings.Join(texts, ", ")
}

// withoutTable is the verdict where a gateway has no clients.
func withoutTable(op *wsfev1.Operation, reason string) verdict {
	return verdict{Allowed: true, Operation: op.Name, Reason: reason}
}
