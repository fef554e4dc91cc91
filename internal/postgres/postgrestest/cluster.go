// Package postgrestest runs throw-away PostgreSQL servers for tests. It needs initdb and
// postgres, from the PATH or from Debian's package postgresql; without them a test is
// skipped, and with FIELATO_TEST_POSTGRES=required it fails.
package postgrestest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL server of its own: a data folder, a port, and a process while it
// runs. Its user is fielato. Password returns its password.
type Cluster struct {
	folder string
	port   int
	// databases numbers the databases that were made.
	databases atomic.Int64

	mu sync.Mutex // guards what follows
	// process is what runs, nil while it is stopped; closing its input stops it too: so
	// it ends also when the test's process is killed.
	process *exec.Cmd
	input   io.Closer
	log     *bytes.Buffer
}

// Password is the password of the user fielato. It is conspicuous, so that a test can search
// for it where it must not be.
const Password = "geheim-postgres-fielato" //nolint:gosec // of throw-away servers

// settings configure a server for tests. The caller decides whether it syncs. The
// write-ahead log is short: it may be kept in memory.
const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = '64MB'
log_min_messages = warning
wal_level = replica
min_wal_size = '32MB'
max_wal_size = '96MB'
checkpoint_warning = 0
`

// shared is the cluster of the tests of one package.
var shared struct {
	mu      sync.Mutex // guards cluster
	cluster *Cluster
}

// Shared returns the one server of the process, started at first use. It does not sync to
// the disk: what it loses is for a power cut. Main stops it.
func Shared(tb testing.TB) *Cluster {
	tb.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.cluster == nil {
		c, err := create(installed(tb), "fsync = off\nsynchronous_commit = on\nfull_page_writes = off\n")
		if err != nil {
			tb.Fatal(err)
		}
		shared.cluster = c
	}
	return shared.cluster
}

// StopShared stops and removes the server that Shared has started, if it has.
func StopShared() {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.cluster != nil {
		shared.cluster.remove()
		shared.cluster = nil
	}
}

// New returns a server of the test's own, to be stopped, started and killed, with more
// lines for postgresql.conf. It is removed at the test's end.
func New(tb testing.TB, configuration string) *Cluster {
	tb.Helper()
	c, err := create(installed(tb), configuration)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.remove)
	return c
}

// installed returns the folder of PostgreSQL's programs, or ends the test.
func installed(tb testing.TB) string {
	tb.Helper()
	places := []string{}
	if found, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(found); err == nil {
			places = append(places, filepath.Dir(real))
		}
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	for _, place := range append(places, debian...) {
		if _, err := os.Stat(filepath.Join(place, "initdb")); err == nil {
			return place
		}
	}
	const how = "PostgreSQL is not installed: apt-get install postgresql, or put initdb and postgres on the PATH"
	if os.Getenv("FIELATO_TEST_POSTGRES") == "required" {
		tb.Fatal(how)
	}
	tb.Skip(how)
	return ""
}

// create makes the data folder and starts the server.
func create(programs, configuration string) (*Cluster, error) {
	folder, err := os.MkdirTemp("", "fielato-postgres-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{folder: folder}
	if err := c.initialise(programs, configuration); err != nil {
		return nil, fmt.Errorf("%w (%w)", err, os.RemoveAll(folder))
	}
	return c, nil
}

func (c *Cluster) initialise(programs, configuration string) error {
	if err := own(c.folder); err != nil {
		return err
	}
	if err := os.Symlink(programs, filepath.Join(c.folder, "bin")); err != nil {
		return err
	}
	if err := c.fill(programs); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := file.WriteString(settings + configuration); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return c.start()
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

// DSN returns the address of a database of the server, with user and password.
func (c *Cluster) DSN(database string) string {
	return c.dsn(c.Address(), database)
}

func (c *Cluster) dsn(address, database string) string {
	// Many servers, gateways and tests share a machine here: a connection that takes long is no
	// failure.
	return "postgres://fielato:" + Password + "@" + address + "/" + database + "?sslmode=disable&connect_timeout=60"
}

// Address is host and port of the server.
func (c *Cluster) Address() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port))
}

// Database makes an empty database and returns its DSN.
func (c *Cluster) Database(tb testing.TB) string {
	tb.Helper()
	name := "test_" + strconv.FormatInt(c.databases.Add(1), 10)
	c.Exec(tb, "postgres", "CREATE DATABASE "+name)
	return c.DSN(name)
}

// Exec runs a script in a database as the server's superuser.
func (c *Cluster) Exec(tb testing.TB, database, script string) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	conn, err := pgx.Connect(ctx, c.DSN(database))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, script); err != nil {
		tb.Fatalf("%s: %v", script, err)
	}
}

// remove stops the server and removes what it had.
func (c *Cluster) remove() {
	_ = c.stop("QUIT")
	_ = os.RemoveAll(c.folder)
}

// Copy makes another server of the same data, while this one is stopped: what a failover
// leads to. It is started and removed at the test's end.
func (c *Cluster) Copy(tb testing.TB) *Cluster {
	tb.Helper()
	folder, err := os.MkdirTemp("", "fielato-postgres-")
	if err != nil {
		tb.Fatal(err)
	}
	other := &Cluster{folder: folder}
	tb.Cleanup(other.remove)
	if err := copyFolder(c.folder+"/.", folder); err != nil {
		tb.Fatal(err)
	}
	if err := other.start(); err != nil {
		tb.Fatal(err)
	}
	return other
}
