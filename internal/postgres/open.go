package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Pool is a pool of connections to one database. It is safe for concurrent use.
type Pool struct {
	*pgxpool.Pool
	address string
}

// Options are the settings of a connection.
type Options struct {
	// Name is the application_name that the server shows. Default: fielato.
	Name string
	// MaxConns bounds the connections if the DSN does not (pool_max_conns). Default: 16.
	MaxConns int32
	// StatementTimeout ends a statement on the server if the DSN does not set one
	// (statement_timeout). Default: 30 seconds. Negative: never.
	StatementTimeout time.Duration
	// ReadOnly refuses everything that changes something.
	ReadOnly bool
}

const (
	defaultMaxConns         = 16
	defaultStatementTimeout = 30 * time.Second
	// connectTimeout is for DSNs without connect_timeout: a server that is gone must
	// not hold clients up for as long as TCP believes in it.
	connectTimeout = 5 * time.Second
	// idleTimeout ends a transaction whose client is gone without a word, if the DSN does
	// not set one (idle_in_transaction_session_timeout): its locks keep others waiting, and
	// TCP may take the client for alive for hours.
	idleTimeout = 10 * time.Second
)

// Open makes a pool for a DSN: a URL (postgres://…) or words (host=… dbname=…), with the
// parameters of libpq, and of pgxpool beside them. It does not connect: whether the server
// can be reached shows with the first statement, and changes while the pool is open.
//
// An error never shows the DSN, which may hold a password.
func Open(ctx context.Context, dsn string, options Options) (*Pool, error) {
	config, err := parse(dsn)
	if err != nil {
		return nil, err
	}
	conn := config.ConnConfig
	parameters := conn.RuntimeParams
	if parameters["application_name"] == "" {
		parameters["application_name"] = cmp.Or(options.Name, "fielato")
	}
	if timeout := cmp.Or(options.StatementTimeout, defaultStatementTimeout); timeout > 0 && parameters["statement_timeout"] == "" {
		parameters["statement_timeout"] = strconv.FormatInt(timeout.Milliseconds(), 10)
	}
	if parameters["idle_in_transaction_session_timeout"] == "" {
		parameters["idle_in_transaction_session_timeout"] = strconv.FormatInt(idleTimeout.Milliseconds(), 10)
	}
	if options.ReadOnly {
		parameters["default_transaction_read_only"] = "on"
	}
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = connectTimeout
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		config.MaxConns = cmp.Or(options.MaxConns, defaultMaxConns)
	}
	// A connection that a failover or a firewall has cut must not be found out by a
	// client's request: pgxpool pings those that were idle for a second.
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", addressOf(config), err)
	}
	return &Pool{Pool: pool, address: addressOf(config)}, nil
}

// errDSN is the error for a DSN that cannot be read, without showing it.
var errDSN = errors.New("the DSN cannot be read: write postgres://user:password@host:5432/database?sslmode=verify-full, or host=… dbname=… user=…; " +
	"in the password of a URL write %2F for /, %40 for @ and %25 for %, or give it as PGPASSWORD")

// behindAddress matches a URL whose address ends too early: the password has a character that ends it. The rest
// of the password would be taken for the host or the database, and shown. ? and # do not end it, as in PostgreSQL's
// own programs.
var behindAddress = regexp.MustCompile(`^[a-z]+://([^/@]*@([^/@?]*|[^/@=]*)@|[^/]*/[^?#]*@)`)

func parse(dsn string) (*pgxpool.Config, error) {
	if behindAddress.MatchString(strings.TrimSpace(dsn)) {
		return nil, errDSN
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err == nil {
		return config, nil
	}
	// The parser's text may quote the DSN, and its cause a part of it. A file that cannot
	// be read (sslrootcert) is worth naming, and no secret.
	if file, ok := errors.AsType[*os.PathError](err); ok {
		return nil, fmt.Errorf("the DSN names a file that cannot be read: %w", file)
	}
	return nil, errDSN
}

// Address names the database of a DSN for people, without user and password.
func Address(dsn string) (string, error) {
	config, err := parse(dsn)
	if err != nil {
		return "", err
	}
	return addressOf(config), nil
}

// Password returns the password of a DSN, even if it comes from the environment or a passfile.
// It is empty if the DSN has none, or cannot be read. It serves to make sure that the password
// is shown nowhere.
func Password(dsn string) string {
	config, err := parse(dsn)
	if err != nil {
		return ""
	}
	return config.ConnConfig.Password
}

// Guarded reports whether nobody can read or change the traffic on the way: TLS is required
// with the server's certificate verified (sslmode verify-full or verify-ca), or the server is
// on this machine.
func Guarded(dsn string) bool {
	config, err := parse(dsn)
	if err != nil {
		return false
	}
	c := config.ConnConfig
	ways := []*pgconn.FallbackConfig{{Host: c.Host, TLSConfig: c.TLSConfig}}
	for _, way := range append(ways, c.Fallbacks...) {
		here := strings.HasPrefix(way.Host, "/") || way.Host == "localhost" || net.ParseIP(way.Host).IsLoopback()
		verified := way.TLSConfig != nil && (!way.TLSConfig.InsecureSkipVerify || way.TLSConfig.VerifyPeerCertificate != nil)
		if !here && !verified {
			return false
		}
	}
	return true
}

// addressOf has all hosts: any of them may be the one at work.
func addressOf(config *pgxpool.Config) string {
	c := config.ConnConfig
	var hosts []string
	for _, way := range append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port}}, c.Fallbacks...) {
		host := net.JoinHostPort(way.Host, strconv.Itoa(int(way.Port)))
		if strings.HasPrefix(way.Host, "/") {
			host = url.PathEscape(way.Host)
		}
		if !slices.Contains(hosts, host) { // one without TLS follows one with it
			hosts = append(hosts, host)
		}
	}
	return "postgres://" + strings.Join(hosts, ",") + "/" + c.Database
}

// Address names the database for people, without user and password.
func (p *Pool) Address() string { return p.address }

// Explain wraps an error of the database with what was tried, and with what to do where that
// is known.
func (p *Pool) Explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	hint := ""
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch failed.Code {
		case "42501":
			hint = ": the role may not do this, see its grants at https://github.com/fielato/fielato/blob/main/docs/several-gateways.md#make-the-tables"
		case undefinedTable:
			hint = ": the tables are not there, run fielato wsfev1 migrate, or write migrate auto"
		case "53100":
			hint = ": the server's disk is full"
		case "53300":
			hint = ": the server has no connection left, raise its max_connections or lower pool_max_conns in the DSN"
		case readOnly:
			hint = ": the server is a read-only replica, give the address of the primary (target_session_attrs=read-write)"
		case "28P01", "28000":
			hint = ": the server does not accept user and password"
		case "3D000":
			hint = ": make the database, or correct its name in the DSN"
		case "08P01", "26000", "42P05":
			hint = ": if a pooler such as PgBouncer is in between, see https://github.com/fielato/fielato/blob/main/docs/several-gateways.md#behind-a-pooler"
		}
	}
	if _, refused := errors.AsType[*pgconn.ConnectError](err); refused {
		var network net.Error
		if hint == "" && errors.As(err, &network) {
			hint = ": start PostgreSQL, or correct the address in the DSN"
		}
		err = oneLineError{err}
	}
	return fmt.Errorf("%s %s: %w%s", doing, p.address, err, hint)
}

// oneLineError is an error whose text has several lines.
type oneLineError struct{ error }

// Error implements error.
func (e oneLineError) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }

// Unwrap returns the error.
func (e oneLineError) Unwrap() error { return e.error }
