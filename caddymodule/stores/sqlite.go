package stores

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/caddymodule/simulator"
	"github.com/fielato/fielato/internal/backend"
	ledgersqlite "github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/wsaa/keeper/file"
)

func init() {
	caddy.RegisterModule(new(SQLiteStore))
	caddy.RegisterModule(new(SQLiteLedger))
}

// SQLiteStore keeps the trail in an SQLite database.
type SQLiteStore struct {
	// Path is the database file. It and its folder are created on first use.
	// Placeholders such as {env.HOME} are replaced when the configuration is
	// loaded. Default: wsfev1/audit.db in Caddy's data folder.
	Path string `json:"path,omitempty"`

	path   string
	logger *zap.Logger
}

// CaddyModule returns the Caddy module information.
func (*SQLiteStore) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1.stores.sqlite", New: func() caddy.Module { return new(SQLiteStore) }}
}

// Provision resolves the path.
func (s *SQLiteStore) Provision(ctx caddy.Context) (err error) {
	s.logger = ctx.Logger()
	s.path, err = DatabasePath(s.Path, AuditFile)
	return err
}

// UnmarshalCaddyfile reads:
//
//	audit sqlite [<path>]
func (s *SQLiteStore) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	if err := optionalArgument(d, &s.Path); err != nil {
		return err
	}
	if d.NextBlock(d.Nesting()) { // the trail has taken its own options
		return directive.UnknownOption(d, directive.Names(trail.OptionTable), directive.InnerBlock{Syntax: "audit postgres <dsn>", Options: directive.Names(StoreOptionTable)})
	}
	return nil
}

// Key implements StoreOpener.
func (s *SQLiteStore) Key() string { return "sqlite:" + s.path }

// Address implements StoreOpener.
func (s *SQLiteStore) Address() string { return "sqlite:" + s.path }

// LogName implements StoreOpener: the file has one log, wherever it goes.
func (*SQLiteStore) LogName() string { return "" }

// KeyFile implements StoreOpener: the key lies beside the database.
func (s *SQLiteStore) KeyFile() string { return SQLiteKeyFile(s.path) }

// SQLiteKeyFile returns the default file of the private key of a database's log.
func SQLiteKeyFile(path string) string { return path + ".key" }

// File implements trail.FileOpener.
func (s *SQLiteStore) File() string { return s.path }

// OpenStore implements StoreOpener.
func (s *SQLiteStore) OpenStore(_ context.Context, content *audit.ContentKey) (audit.Store, error) {
	return auditsqlite.Open(s.path, auditsqlite.WithContentKey(content), auditsqlite.WithMerging(logMerging(s.logger)))
}

// OpenReader opens the store for reading alone, beside the gateway that writes it.
func (s *SQLiteStore) OpenReader(_ context.Context, content *audit.ContentKey) (audit.Store, error) {
	return auditsqlite.OpenReader(s.path, auditsqlite.WithContentKey(content))
}

// OpenTickets implements tickets.StoreOpener: the tickets are files in a folder beside the database, for
// the next start. Only one gateway has the database.
func (s *SQLiteStore) OpenTickets(context.Context) (tickets.Store, error) {
	store, err := file.Open(TicketFolder(s.path))
	if err != nil {
		return nil, err
	}
	return ticketFiles{store}, nil
}

// TicketFolder returns the folder of the tickets beside a database.
func TicketFolder(database string) string { return database + ".tickets" }

// ticketFiles are files that nothing holds open.
type ticketFiles struct{ *file.Store }

// Close implements tickets.Store.
func (ticketFiles) Close() error { return nil }

// SQLiteLedger keeps the built-in service's ledger in an SQLite database.
type SQLiteLedger struct {
	// Path is the database file; see SQLiteStore. Default: wsfev1/ledger.db in
	// Caddy's data folder.
	Path string `json:"path,omitempty"`

	path string
}

// CaddyModule returns the Caddy module information.
func (*SQLiteLedger) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1_backend.ledgers.sqlite", New: func() caddy.Module { return new(SQLiteLedger) }}
}

// Provision resolves the path.
func (s *SQLiteLedger) Provision(caddy.Context) (err error) {
	s.path, err = DatabasePath(s.Path, LedgerFile)
	return err
}

// UnmarshalCaddyfile reads:
//
//	ledger sqlite [<path>]
func (s *SQLiteLedger) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	if err := optionalArgument(d, &s.Path); err != nil {
		return err
	}
	if d.NextBlock(d.Nesting()) {
		return d.Errf("unrecognized option %q: ledger sqlite has none", d.Val())
	}
	return nil
}

// Key implements LedgerOpener.
func (s *SQLiteLedger) Key() string { return "sqlite:" + s.path }

// Address implements LedgerOpener.
func (s *SQLiteLedger) Address() string { return "sqlite:" + s.path }

// File returns the path of the database.
func (s *SQLiteLedger) File() string { return s.path }

// OpenLedger implements LedgerOpener.
func (s *SQLiteLedger) OpenLedger(context.Context) (backend.Ledger, error) {
	return ledgersqlite.Open(s.path)
}

// AuditFile and LedgerFile are the default files in Caddy's data folder.
const (
	AuditFile  = "audit.db"
	LedgerFile = "ledger.db"
)

// DatabasePath resolves the placeholders of a path and makes it absolute: it is part of a key,
// and two spellings of one file must give one key.
func DatabasePath(path, fallback string) (string, error) {
	if path == "" {
		return filepath.Join(caddy.AppDataDir(), "wsfev1", fallback), nil
	}
	resolved, err := directive.Resolve(path)
	if err != nil {
		return "", fmt.Errorf("path %s: %w", path, err)
	}
	if err := CheckPath(resolved); err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(resolved)
	if err != nil {
		return "", fmt.Errorf("path %s: %w", resolved, err)
	}
	return absolute, nil
}

// CheckPath returns an error if a path of a file is the address of a database: it would be a file on this machine, named
// by a password. The error does not repeat it.
func CheckPath(path string) error {
	if strings.Contains(path, "://") {
		return errNoPath
	}
	return nil
}

var errNoPath = errors.New("this is the address of a database and no path: give the path of a file behind sqlite, and an address of PostgreSQL behind postgres")

// optionalArgument reads a line "<kind> [<argument>]".
func optionalArgument(d *caddyfile.Dispenser, argument *string) error {
	d.Next() // the kind
	if d.NextArg() {
		if *argument = d.Val(); *argument == "" {
			return d.Err("the path is empty: give one, or nothing for the default")
		}
	}
	if d.NextArg() {
		return d.ArgErr()
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner      = (*SQLiteStore)(nil)
	_ caddyfile.Unmarshaler  = (*SQLiteStore)(nil)
	_ trail.StoreOpener      = (*SQLiteStore)(nil)
	_ trail.FileOpener       = (*SQLiteStore)(nil)
	_ tickets.StoreOpener    = (*SQLiteStore)(nil)
	_ caddy.Provisioner      = (*SQLiteLedger)(nil)
	_ caddyfile.Unmarshaler  = (*SQLiteLedger)(nil)
	_ simulator.LedgerOpener = (*SQLiteLedger)(nil)
)
