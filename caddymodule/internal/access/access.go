package access

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/internal/clients"
)

// Options are a gateway's clients and readers.
type Options struct {
	// Rows are those of the configuration.
	Rows []clients.Row
	// File has more rows, one on each line. Placeholders in its path are replaced when the configuration is
	// loaded. Empty for none.
	File string
	// Line is where the gateway's directive stands.
	Line string
}

// Access is a gateway's table of clients and readers. It is safe for concurrent use.
type Access struct {
	options Options
	// Enforced: a request of somebody who is no client is refused. It holds also while the file has no client.
	Enforced bool
	logger   *zap.Logger
	now      func() time.Time

	current atomic.Pointer[state]
	// append writes a record of the table into the trail.
	journal atomic.Pointer[journal]

	mu   sync.Mutex // guards what follows, and changes of current
	seen fileState  // the file as it was read
	next fileState  // the file as it was last seen, if it has changed since
	// problem is why the file as it is now cannot be used, nil if it can.
	problem error
}

// state is a table and the address of its record, empty until the trail has it.
type state struct {
	table  *clients.Table
	record string
}

// New makes the table of the options. It returns nil if there are no clients and no readers.
func New(o Options, logger *zap.Logger) (*Access, error) {
	if len(o.Rows) == 0 && o.File == "" {
		return nil, nil //nolint:nilnil // no table is the rule
	}
	a := &Access{options: o, logger: logger, now: time.Now}
	if o.File != "" {
		var err error
		if a.options.File, err = directive.ResolvePath(o.File); err != nil {
			return nil, fmt.Errorf("clients: %w", err)
		}
	}
	isClient := func(row clients.Row) bool { return row.Role != clients.RoleReader }
	a.Enforced = o.File != "" || slices.ContainsFunc(o.Rows, isClient)
	table, seen, err := a.read()
	if err != nil {
		return nil, err
	}
	a.seen = seen
	a.current.Store(&state{table: table})
	return a, nil
}

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
	table, err := clients.NewTable(rows)
	return table, seen, err //nolint:wrapcheck // it names the row and its line
}

// Open sets the trail that has the records of the tables, and records the table that holds now, if the newest of
// this gateway in the trail is another one.
func (a *Access) Open(j Journal) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	opened := &journal{Journal: j}
	now := a.current.Load()
	record, err := opened.keep(now.table, a.source(), a.now())
	if err != nil {
		return fmt.Errorf("recording the table of clients: %w", err)
	}
	a.journal.Store(opened)
	a.current.Store(&state{now.table, record})
	return nil
}

// Close records that a gateway has no table any more, if the newest that it had is another one.
func Close(j Journal, line string, now time.Time) error {
	newest, err := j.Newest()
	if err != nil || newest == "" {
		return err //nolint:wrapcheck // it says what was being done
	}
	if _, err := j.Append(newRecord("", j.Log(), "none any more at "+line, now)); err != nil {
		return fmt.Errorf("recording that there are no clients any more: %w", err)
	}
	return j.SetNewest("") //nolint:wrapcheck // as above
}

// Admit implements intake.Clients.
func (a *Access) Admit(*clients.Client, time.Time) (time.Duration, bool) { return 0, true }

// source says where the rows are from.
func (a *Access) source() string {
	text := "the rows of " + a.options.Line
	if a.options.Line == "" {
		text = "the rows of the configuration"
	}
	if a.options.File != "" {
		text += " and of " + a.options.File
	}
	return text
}

// refresh looks at the file. If it has changed, and has been the same for two looks, its rows replace those that
// it had. A file that is being written is not read.
func (a *Access) refresh() {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := look(a.options.File)
	if found == a.seen {
		a.next = fileState{}
		return
	}
	if found != a.next {
		a.next = found
		return
	}
	a.next = fileState{}
	table, seen, err := a.read()
	if err == nil && look(a.options.File) != seen {
		return // it was written meanwhile
	}
	a.seen = seen
	if err == nil {
		err = a.replace(table)
	}
	a.report(err)
}

// replace records a table and judges by it from then on. The caller holds mu.
func (a *Access) replace(table *clients.Table) error {
	before, journal := a.current.Load(), a.journal.Load()
	if table.Digest() == before.table.Digest() {
		return nil
	}
	if journal == nil {
		return errors.New("the trail is not open")
	}
	record, err := journal.keep(table, a.source(), a.now())
	if err != nil {
		a.seen = fileState{} // the file is read again
		return fmt.Errorf("recording the table of clients: %w", err)
	}
	a.current.Store(&state{table, record})
	a.logger.Info("the clients have changed", zap.String("file", a.options.File), zap.Int("rows", len(table.Rows())), zap.String("record", record))
	return nil
}

// report logs a problem with the file when it begins, changes or ends. The caller holds mu.
func (a *Access) report(err error) {
	before := a.problem
	a.problem = err
	switch {
	case err != nil && (before == nil || before.Error() != err.Error()):
		a.logger.Error("the file of clients cannot be used: the clients stay as they were", zap.String("file", a.options.File), zap.Error(err))
	case err == nil && before != nil:
		a.logger.Info("the file of clients can be used again", zap.String("file", a.options.File))
	}
}

// Problem returns why the file as it is now cannot be used, nil if it can.
func (a *Access) Problem() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.problem
}

// Journal is the trail, as far as the table needs it.
type Journal interface {
	// Append adds a record and returns its address.
	Append(r *audit.Record) (address string, err error)
	// Newest returns the digest and the address of the table that was recorded last under a name, empty for
	// none. SetNewest keeps them.
	Newest() (string, error)
	SetNewest(string) error
	// Log is the name of the log.
	Log() string
}
