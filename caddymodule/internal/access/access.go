package access

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/internal/limit"
)

// Options are a gateway's clients and readers.
type Options struct {
	// Rows stand in the configuration itself.
	Rows []clients.Row
	// File has more rows, one on each line. Placeholders in its path are replaced when the configuration is
	// loaded. Empty for none.
	File string
	// Tickets: the gateway can tell a genuine access ticket, so that a row may have one.
	Tickets bool
	// Line is where the gateway's directive stands.
	Line string
	// Everybody: the gateway has the option readers.
	Everybody bool
}

// OptionsOf reads the options from a gateway's JSON, for a command.
func OptionsOf(gateway []byte) (Options, error) {
	var read struct {
		Line      string        `json:"line"`
		Clients   []clients.Row `json:"clients"`
		File      string        `json:"clients_file"`
		Authority string        `json:"ticket_certificate"`
		Readers   string        `json:"readers"`
	}
	if err := json.Unmarshal(gateway, &read); err != nil {
		return Options{}, fmt.Errorf("reading the clients of a gateway: %w", err)
	}
	return Options{Rows: read.Clients, File: read.File, Tickets: read.Authority != "", Line: read.Line, Everybody: read.Readers == clients.All}, nil
}

// IsEmpty reports whether there are no clients and no readers.
func (o *Options) IsEmpty() bool { return len(o.Rows) == 0 && o.File == "" }

// Decides reports whether they say who sees what in the console.
func (o *Options) Decides() bool { return o.Everybody || !o.IsEmpty() }

// Enforced reports whether a request of somebody who is no client is refused: so it is with a client, and with a
// file, also while that has no client.
func (o *Options) Enforced() bool {
	return o.File != "" || slices.ContainsFunc(o.Rows, func(row clients.Row) bool { return row.Role != clients.RoleReader })
}

// Access is a gateway's table of clients and readers. It is safe for concurrent use.
type Access struct {
	options Options
	logger  *zap.Logger
	now     func() time.Time

	current atomic.Pointer[state]

	// inside bounds how many requests of a client are in the gateway, so that those that wait for their share do
	// not take the memory of others. Clients share slots.
	inside *limit.Limit
	slots  Slots

	// problem is why the file as it is now cannot be used, nil if it can. A scrape reads it while a table is being
	// recorded, which may take as long as the store does.
	problem atomic.Pointer[error]

	mu sync.Mutex // guards what follows, and changes of current and problem
	// journal has the records of the tables, nil until the trail is open.
	journal *journal
	seen    fileState // the file as it was read
	next    fileState // the file as it was last seen, if it has changed since
}

// Slots are a gateway's slots at the service, and its memory.
type Slots struct {
	// Issuing are for requests that issue: the word share is about them. Others are the rest.
	Issuing *limit.Limit
	Others  []*limit.Limit
	// Memory are the limits of the memory for bodies.
	Memory []*limit.Limit
}

// state is a table and the address of its record, empty until the trail has it.
type state struct {
	table  *clients.Table
	record string
	visits map[*clients.Client]*visits
}

// New makes the table of the options. It returns nil if there are no clients and no readers.
func New(o Options, slots Slots, logger *zap.Logger) (*Access, error) {
	a, err := prepare(o)
	if err != nil || a == nil {
		return nil, err
	}
	a.slots, a.logger, a.now, a.inside = slots, logger, time.Now, limit.NewLimit(maxInside)
	table, seen, err := a.read()
	if err != nil {
		return nil, err
	}
	a.seen = seen
	a.use(table, "")
	return a, nil
}

// prepare checks the options. It returns nil if there are no clients and no readers.
func prepare(o Options) (*Access, error) {
	if o.IsEmpty() {
		return nil, nil //nolint:nilnil // no table is the rule
	}
	a := &Access{options: o}
	if o.File != "" {
		var err error
		if a.options.File, err = directive.ResolvePath(o.File); err != nil {
			return nil, fmt.Errorf("clients: %w", err)
		}
	}
	return a, nil
}

// Enforced reports whether a request of somebody who is no client is refused.
func (a *Access) Enforced() bool { return a.options.Enforced() }

// Table returns the table that holds now, and the address of its record in the trail.
func (a *Access) Table() (*clients.Table, string) {
	now := a.current.Load()
	return now.table, now.record
}

// read reads the file, and makes the table of all rows.
func (a *Access) read() (*clients.Table, fileState, error) {
	rows := slices.Clone(a.options.Rows)
	var seen fileState
	if a.options.File != "" {
		seen = look(a.options.File)
		more, err := readFile(a.options.File)
		if err != nil {
			return nil, seen, err
		}
		rows = append(rows, more...)
	}
	if err := checkPlaceholders(rows); err != nil {
		return nil, seen, err
	}
	table, err := clients.NewTable(rows)
	if err == nil && table.KnowsTickets() && !a.options.Tickets {
		return nil, seen, errForgeable
	}
	return table, seen, err //nolint:wrapcheck // it names the row and its line
}

// errForgeable: a row has the word ticket, and nothing shows that a ticket is genuine.
var errForgeable = errors.New("a client is known by its ticket: write ticket check with the authority's certificate, or anybody could write one")

// Open sets the trail that has the records of the tables, and records the table that holds now, if the newest of
// this gateway in the trail is another one. A gateway is known by its line: one whose line has moved is recorded
// again.
func (a *Access) Open(t *trail.Trail) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	opened, now := newJournal(t, a.options.Line), a.current.Load()
	record, err := opened.keep(now.table, a.source(), a.now())
	if err != nil {
		return err
	}
	a.journal = opened
	a.current.Store(&state{now.table, record, now.visits})
	return nil
}

// Close records that the gateway at a line has no table any more, if the newest that the trail has of it is one.
func Close(t *trail.Trail, line string, now time.Time) error {
	return newJournal(t, line).close(ofNone+line, now)
}

// source says where the rows are from.
func (a *Access) source() string {
	text := ofRows + cmp.Or(a.options.Line, ofConfig)
	if a.options.File != "" {
		text += andOfFile + a.options.File
	}
	return text
}

// refresh looks at the file. If it has changed, and has been the same for two looks, its rows replace those that
// it had. A file that is being written is not read.
func (a *Access) refresh() {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := look(a.options.File)
	if found.is(a.seen) {
		a.next = fileState{}
		return
	}
	if !found.looksLike(a.next) {
		a.next = found
		return
	}
	a.next = fileState{}
	table, seen, err := a.read()
	if err == nil && !look(a.options.File).looksLike(seen) {
		return // it was written meanwhile
	}
	a.seen = seen
	var unread *fs.PathError
	switch {
	case err == nil:
		err = a.replace(table)
	case errors.As(err, &unread):
		a.seen = fileState{} // what kept it from being read may end, and leave no trace on the file
	}
	a.report(err)
}

// replace records a table and judges by it from then on. The caller holds mu.
func (a *Access) replace(table *clients.Table) error {
	if table.Digest() == a.current.Load().table.Digest() {
		return nil
	}
	if a.journal == nil {
		return errors.New("the trail is not open")
	}
	record, err := a.journal.keep(table, a.source(), a.now())
	if err != nil {
		a.seen = fileState{} // the file is read again
		return err
	}
	a.use(table, record)
	a.logger.Info("the clients have changed", zap.String("file", a.options.File), zap.Int("rows", len(table.Rows())), zap.String("record", record))
	return nil
}

// report logs a problem with the file when it begins, changes or ends. The caller holds mu.
func (a *Access) report(err error) {
	before := a.Problem()
	a.problem.Store(&err)
	switch {
	case err != nil && (before == nil || before.Error() != err.Error()):
		a.logger.Error("the file of clients cannot be used: the clients stay as they were", zap.String("file", a.options.File), zap.Error(err))
	case err == nil && before != nil:
		a.logger.Info("the file of clients can be used again", zap.String("file", a.options.File))
	}
}

// Problem returns why the file as it is now cannot be used, nil if it can.
func (a *Access) Problem() error {
	if problem := a.problem.Load(); problem != nil {
		return *problem
	}
	return nil
}
