package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/clients"
)

// The words of a record's detail around where a table is from.
const (
	detailPrefix = "clients: "
	ofRows       = "the rows of "
	ofConfig     = "the configuration"
	andOfFile    = " and of "
	ofNone       = "none any more at "
)

// Kept is a table of clients as a record of the trail has it.
type Kept struct {
	// Gateway is where the gateway's directive stood, such as Caddyfile:12, empty if the configuration did not
	// say. File is the file with more rows, empty for none.
	Gateway, File string
	// Text is the table's canonical text. Table is nil if there is none any more, and if the record's content
	// cannot be read (audit.Record.Presence).
	Text  string
	Table *clients.Table
}

// ReadKept reads the table that a record has.
func ReadKept(r *audit.Record) (k Kept, err error) {
	source := strings.TrimPrefix(r.Detail, detailPrefix)
	gateway, ended := strings.CutPrefix(source, ofNone)
	if !ended {
		gateway, k.File, _ = strings.Cut(strings.TrimPrefix(source, ofRows), andOfFile)
	}
	if k.Gateway = gateway; gateway == ofConfig {
		k.Gateway = ""
	}
	if ended || r.Presence != audit.Present {
		return k, nil
	}
	k.Text = string(r.Request)
	rows, err := ParseRows(r.Request, r.Address())
	if err == nil {
		k.Table, err = clients.NewTable(rows)
	}
	if err != nil {
		return k, fmt.Errorf("the table of clients in record %s: %w", r.Address(), err)
	}
	return k, nil
}

// Enforced reports whether a request of somebody who was no client was refused.
func (k Kept) Enforced() bool { return k.Table != nil && (k.File != "" || k.Table.HasClients()) }

// Row returns the text of a client's row, no text if the table has no such client.
func (k Kept) Row(name string) string {
	if k.Table == nil {
		return ""
	}
	all := k.Table.Clients()
	if i := slices.IndexFunc(all, func(c *clients.Client) bool { return c.Name == name }); i >= 0 {
		return all[i].Row.String()
	}
	return ""
}

// Configured is a table of clients as a configuration has it. Table is nil if there is none.
type Configured struct {
	Table *clients.Table
	// File is the file with more rows, empty for none. Its placeholders are replaced.
	File string
	// Enforced: a request of somebody who is no client is refused.
	Enforced bool
}

// ReadConfigured reads the table of the options, for nobody to be judged by.
func ReadConfigured(o Options) (c Configured, err error) {
	a, err := prepare(o)
	if err != nil || a == nil {
		return c, err
	}
	c.File, c.Enforced = a.options.File, a.Enforced()
	c.Table, _, err = a.read()
	return c, err
}
