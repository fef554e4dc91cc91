package clients

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fielato/fielato/internal/limit"
	"github.com/fielato/fielato/wsfev1"
)

// Table has the clients and readers. It does not change, and is safe for concurrent use.
type Table struct {
	rows    []Row // as the canonical text has them
	byName  []*Client
	clients index[*Client]
	readers index[*Reader]
	text    string
	digest  [sha256.Size]byte
}

// Client is one client of a table.
type Client struct {
	// Name is unique among the clients.
	Name string
	Row  *Row
	// Rate and Burst bound the rate of its requests; no bound if Rate is its zero value. Share is how many of
	// its requests that issue may be at the service at a time, 0 for no bound but the gateway's own.
	Rate         limit.Rate
	Burst, Share int
	rights       rights
}

// Reader is one reader of a table.
type Reader struct {
	// Name is unique among the readers.
	Name string
	// Mask: documents of receivers are hidden until the reader reveals them.
	Mask  bool
	cuits set[wsfev1.CUIT]
}

// The errors of a table that does not know who asks.
var (
	// ErrNobody: none of what was proven is an identity of a row.
	ErrNobody = errors.New("no row has an identity that was proven")
	// ErrSeveral: what was proven belongs to several rows. Which of them is meant, nothing says.
	ErrSeveral = errors.New("the identities that were proven belong to several rows")
)

// maxRows bounds a table.
const maxRows = 100_000

// NewTable makes a table of rows. An error names the row, where it stands, and what to write.
func NewTable(rows []Row) (*Table, error) {
	if len(rows) > maxRows {
		return nil, fmt.Errorf("%d clients and readers: there may be %d", len(rows), maxRows)
	}
	t := &Table{
		clients: index[*Client]{byName: map[name]*Client{}, byKey: map[digest]*Client{}},
		readers: index[*Reader]{byName: map[name]*Reader{}, byKey: map[digest]*Reader{}},
	}
	lines := map[string]string{}
	for i := range rows {
		if err := t.add(&rows[i], lines); err != nil {
			if rows[i].Line != "" {
				err = fmt.Errorf("%s: %w", rows[i].Line, err)
			}
			return nil, err
		}
	}
	t.write()
	return t, nil
}

// add adds a row. lines says where rows before it stand, by role and name.
func (t *Table) add(written *Row, lines map[string]string) error {
	row, err := written.prepare()
	if err != nil {
		return err
	}
	granted, err := row.compile()
	if err != nil {
		return err
	}
	key := string(row.Role) + " " + row.Name
	if line, twice := lines[key]; twice {
		return fmt.Errorf("%s is there twice%s: give it another name", key, at(line))
	}
	lines[key] = written.Line
	if row.Role == RoleReader {
		t.rows = append(t.rows, row)
		return addTo(&t.readers, &row, &Reader{Name: row.Name, Mask: row.Mask, cuits: granted.cuits}, lines, func(r *Reader) string { return r.Name })
	}
	client := &Client{Name: row.Name, Row: &row, rights: granted}
	if err := row.compileShares(client); err != nil {
		return fmt.Errorf("client %s: %w", row.Name, err)
	}
	t.rows, t.byName = append(t.rows, row), append(t.byName, client)
	return addTo(&t.clients, &row, client, lines, func(c *Client) string { return c.Name })
}

// addTo adds an entry under each identity of its row.
func addTo[E comparable](x *index[E], row *Row, entry E, lines map[string]string, nameOf func(E) string) error {
	for _, n := range row.identities() {
		if before, taken := x.add(n, entry); taken && before != entry {
			other := string(row.Role) + " " + nameOf(before)
			return fmt.Errorf("%s %s: %s %q is %s's already%s: one identity is one %s", row.Role, row.Name, n.kind, n.text, other, at(lines[other]), row.Role)
		}
	}
	return nil
}

func at(line string) string {
	if line == "" {
		return ""
	}
	return " (" + line + ")"
}

// write writes the canonical text.
func (t *Table) write() {
	slices.SortFunc(t.rows, func(a, b Row) int {
		return strings.Compare(string(a.Role)+" "+a.Name, string(b.Role)+" "+b.Name)
	})
	var b strings.Builder
	for i := range t.rows {
		b.WriteString(t.rows[i].String())
		b.WriteByte('\n')
	}
	slices.SortFunc(t.byName, func(a, b *Client) int { return strings.Compare(a.Name, b.Name) })
	t.text = b.String()
	t.digest = sha256.Sum256([]byte(t.text))
}

// Text returns the canonical text: one line for each row, clients first, in the order of their names. It is a
// file of rows, and reads back as the same table.
func (t *Table) Text() string { return t.text }

// Digest is the SHA-256 of the canonical text.
func (t *Table) Digest() [sha256.Size]byte { return t.digest }

// Clients returns the clients, in the order of their names.
func (t *Table) Clients() []*Client { return t.byName }

// Rows returns the rows as the canonical text has them. They must not be changed.
func (t *Table) Rows() []Row { return t.rows }

// HasClients reports whether there is a client. Without one everybody may send everything.
func (t *Table) HasClients() bool { return t != nil && len(t.byName) > 0 }

// KnowsTickets reports whether a client may be known by its access ticket.
func (t *Table) KnowsTickets() bool { return t.clients.tickets }

// Client returns the client with an identity: ErrNobody or ErrSeveral if there is not just one. It allocates
// nothing if there is one.
func (t *Table) Client(id *Identity) (*Client, error) {
	return one(&t.clients, RoleClient, id, func(c *Client) string { return c.Name })
}

// Reader returns the reader with an identity, as Client does.
func (t *Table) Reader(id *Identity) (*Reader, error) {
	return one(&t.readers, RoleReader, id, func(r *Reader) string { return r.Name })
}

// one returns the only entry with an identity.
func one[E comparable](x *index[E], role Role, id *Identity, nameOf func(E) string) (none E, _ error) {
	switch found, other := x.find(id); {
	case other != none:
		return none, fmt.Errorf("%ss %s and %s: %w", role, nameOf(found), nameOf(other), ErrSeveral)
	case found == none:
		return none, ErrNobody
	default:
		return found, nil
	}
}

// Decide returns the first right that a request of the client lacks. It allocates nothing.
func (c *Client) Decide(op *wsfev1.Operation, request any) Denial {
	return c.rights.decide(op, request)
}

// All reports whether the reader may see the records of every issuer, and those about none.
func (r *Reader) All() bool { return r.cuits.all }

// May reports whether the reader may see the records of an issuer.
func (r *Reader) May(cuit wsfev1.CUIT) bool { return r.cuits.has(cuit) }

// Cuits returns the issuers in order, nil for all.
func (r *Reader) Cuits() []wsfev1.CUIT { return r.cuits.sorted }
