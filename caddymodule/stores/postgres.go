package stores

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	auditpostgres "github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/caddymodule/simulator"
	"github.com/fielato/fielato/internal/backend"
	ledgerpostgres "github.com/fielato/fielato/internal/backend/postgres"
	"github.com/fielato/fielato/internal/postgres"
	keeperpostgres "github.com/fielato/fielato/wsaa/keeper/postgres"
)

func init() {
	caddy.RegisterModule(new(PostgresStore))
	caddy.RegisterModule(new(PostgresLedger))
}

// PostgresDatabase is a PostgreSQL database, and whether its tables are created when it is
// opened.
type PostgresDatabase struct {
	// DSN is a URL (`postgres://user@host/database`) or a list of keywords (`host=…
	// dbname=…`), with the parameters of libpq. It must not contain a password, because
	// Caddy's admin API shows the configuration: use `{env.NAME}` or `{file.PATH}` for the
	// password or for the whole DSN, or set PGPASSWORD, or use a passfile.
	DSN string `json:"dsn"`

	// Migrate is `auto` if missing or outdated tables are created when the database is
	// opened. Otherwise they are an error, and `fielato wsfev1 migrate` creates them, run
	// with a role that may. Default: they are an error.
	Migrate string `json:"migrate,omitempty"`

	dsn, address string
}

const migrateAuto = "auto"

// provision resolves the DSN.
func (p *PostgresDatabase) provision(logger *zap.Logger) (err error) {
	if p.DSN == "" {
		return errors.New("postgres: give the DSN of a database, such as postgres://user@host/database or {env.NAME}")
	}
	if p.Migrate != "" && p.Migrate != migrateAuto {
		return fmt.Errorf("migrate %q: write migrate auto, or leave it out", p.Migrate)
	}
	// The error names the placeholder, never its value.
	if p.dsn, err = directive.Resolve(p.DSN); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	p.dsn = strings.TrimSpace(p.dsn)
	if p.address, err = postgres.Address(p.dsn); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	if spells(p.DSN, postgres.Password(p.dsn)) {
		return errors.New("postgres: a password must not be in the configuration: put {env.NAME} or {file.PATH} in its place")
	}
	if !postgres.Guarded(p.dsn) {
		logger.Warn("the connection to the database can be read or changed on its way: add sslmode=verify-full to the DSN",
			zap.String("database", p.address))
	}
	return nil
}

// spells reports whether a text holds a password, plain or escaped as in a DSN.
func spells(text, password string) bool {
	if password == "" {
		return false
	}
	forms := []string{text, strings.ReplaceAll(text, `\`, "")}
	for _, unescape := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
		if plain, err := unescape(text); err == nil {
			forms = append(forms, plain)
		}
	}
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(form, password) })
}

// unmarshal reads "<kind> <dsn>".
func (p *PostgresDatabase) unmarshal(d *caddyfile.Dispenser) error {
	d.Next() // the kind
	if !d.AllArgs(&p.DSN) {
		return d.Err("postgres: give one DSN, such as postgres://user@host/database or {env.NAME}")
	}
	return nil
}

// PostgresStore keeps the trail in PostgreSQL, or in an engine that speaks its protocol:
// several gateways may share it, each with a log of its own.
type PostgresStore struct {
	PostgresDatabase

	// Node is the name of this gateway and of its log. Each gateway on the database needs
	// a name of its own, which must never change. Up to 64 letters, digits, points,
	// hyphens and underscores. Default: the host's name.
	Node string `json:"node,omitempty"`

	node   string
	logger *zap.Logger
}

// CaddyModule returns the Caddy module information.
func (*PostgresStore) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1.stores.postgres", New: func() caddy.Module { return new(PostgresStore) }}
}

// nodeNames matches the names that can be part of a file's name, a record's address and a
// checkpoint.
var nodeNames = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// Provision resolves the DSN and the node's name.
func (s *PostgresStore) Provision(ctx caddy.Context) (err error) {
	s.logger = ctx.Logger()
	if err := s.provision(s.logger); err != nil {
		return err
	}
	if s.Node == "" {
		s.node, err = os.Hostname()
	} else {
		s.node, err = directive.Resolve(s.Node)
	}
	if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	if !nodeNames.MatchString(s.node) {
		return fmt.Errorf("node %q: give a name of letters, digits, points, hyphens and underscores, 64 at most", s.node)
	}
	return nil
}

// UnmarshalCaddyfile reads:
//
//	audit postgres <dsn> {
//		<option> <arguments>…
//	}
func (s *PostgresStore) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	if err := s.unmarshal(d); err != nil {
		return err
	}
	return directive.ReadBlock(d, d.Nesting(), s, StoreOptionTable)
}

// StoreOptionTable has the store's options in the block of audit, in addition to the
// trail's.
var StoreOptionTable = []directive.Option[PostgresStore]{
	{
		Name: "node", Arguments: "<name>",
		Meaning:  "the name of this gateway and of its log. Each gateway of the database has its own and keeps it. Letters, digits, points, hyphens and underscores, 64 at most",
		Fallback: "the host's name",
		Read:     func(s *PostgresStore, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &s.Node) },
	},
	{
		Name: "migrate", Arguments: "auto", Meaning: migrateMeaning, Fallback: migrateFallback,
		Read: func(s *PostgresStore, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &s.Migrate) },
	},
}

const (
	migrateMeaning  = "makes the tables at start, see [several gateways](several-gateways.md#make-the-tables)"
	migrateFallback = "tables that are missing or old are an error"
)

// Key implements StoreOpener.
func (s *PostgresStore) Key() string { return "postgres:" + s.node + ":" + s.dsn }

// Address implements StoreOpener.
func (s *PostgresStore) Address() string { return s.address }

// LogName implements StoreOpener.
func (s *PostgresStore) LogName() string { return s.node }

// KeyFile implements StoreOpener: each gateway signs its own log.
func (s *PostgresStore) KeyFile() string { return PostgresKeyFile(s.node) }

// PostgresKeyFile returns the default file of a log's private key.
func PostgresKeyFile(log string) string {
	return filepath.Join(caddy.AppDataDir(), "wsfev1", log+".key")
}

// OpenStore implements StoreOpener.
func (s *PostgresStore) OpenStore(ctx context.Context, content *audit.ContentKey) (audit.Store, error) {
	return auditpostgres.Open(ctx, s.dsn, auditpostgres.Options{
		ContentKey: content, Migrate: s.Migrate == migrateAuto, Merging: logMerging(s.logger),
	})
}

// OpenReader opens the store for reading alone, beside the gateways that write it. A role that may only
// read is enough.
func (s *PostgresStore) OpenReader(ctx context.Context, content *audit.ContentKey) (audit.Store, error) {
	return auditpostgres.OpenReader(ctx, s.dsn, auditpostgres.Options{ContentKey: content})
}

// OpenTickets implements tickets.StoreOpener: the gateways of a database share their tickets.
func (s *PostgresStore) OpenTickets(ctx context.Context) (tickets.Store, error) {
	return keeperpostgres.Open(ctx, s.dsn, keeperpostgres.Options{Migrate: s.Migrate == migrateAuto})
}

// PostgresLedger keeps the built-in service's ledger in PostgreSQL: several gateways may
// share it.
type PostgresLedger struct {
	PostgresDatabase
}

// CaddyModule returns the Caddy module information.
func (*PostgresLedger) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1_backend.ledgers.postgres", New: func() caddy.Module { return new(PostgresLedger) }}
}

// Provision resolves the DSN.
func (l *PostgresLedger) Provision(ctx caddy.Context) error { return l.provision(ctx.Logger()) }

// UnmarshalCaddyfile reads:
//
//	ledger postgres <dsn> {
//		<option> <arguments>…
//	}
func (l *PostgresLedger) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	if err := l.unmarshal(d); err != nil {
		return err
	}
	return directive.ReadBlock(d, d.Nesting(), l, LedgerOptionTable)
}

// LedgerOptionTable has the options in the block of ledger.
var LedgerOptionTable = []directive.Option[PostgresLedger]{
	{
		Name: "migrate", Arguments: "auto", Meaning: migrateMeaning, Fallback: migrateFallback,
		Read: func(l *PostgresLedger, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &l.Migrate) },
	},
}

// Key implements LedgerOpener.
func (l *PostgresLedger) Key() string { return "postgres:" + l.dsn }

// Address implements LedgerOpener.
func (l *PostgresLedger) Address() string { return l.address }

// OpenLedger implements LedgerOpener.
func (l *PostgresLedger) OpenLedger(ctx context.Context) (backend.Ledger, error) {
	return ledgerpostgres.Open(ctx, l.dsn, ledgerpostgres.Options{Migrate: l.Migrate == migrateAuto})
}

// Interface guards
var (
	_ caddy.Provisioner      = (*PostgresStore)(nil)
	_ caddyfile.Unmarshaler  = (*PostgresStore)(nil)
	_ trail.StoreOpener      = (*PostgresStore)(nil)
	_ tickets.StoreOpener    = (*PostgresStore)(nil)
	_ caddy.Provisioner      = (*PostgresLedger)(nil)
	_ caddyfile.Unmarshaler  = (*PostgresLedger)(nil)
	_ simulator.LedgerOpener = (*PostgresLedger)(nil)
)
