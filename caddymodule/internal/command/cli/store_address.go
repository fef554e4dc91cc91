package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/fielato/fielato/audit"
	auditpostgres "github.com/fielato/fielato/audit/postgres"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/stores"
	"github.com/fielato/fielato/internal/backend"
	ledgerpostgres "github.com/fielato/fielato/internal/backend/postgres"
	ledgersqlite "github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/sshagent"
)

// StoreAddress is the address of a trail or a ledger: KIND:PLACE.
type StoreAddress struct {
	Kind *storeKind
	// Place is a path or a DSN, which may hold a password.
	Place string
}

// storeKind has what commands need of a kind of store.
type storeKind struct {
	// Shared: several gateways may write one store, each its own log.
	Shared bool
	// resolve returns the place for the text in a flag.
	resolve func(text string) (string, error)
	// Name returns a place for people, without credentials.
	Name func(place string) string
	// keyFile returns the default path of a log's private key.
	keyFile func(place, log string) string

	read   func(ctx context.Context, place string, key *audit.ContentKey) (audit.Store, error)
	Write  func(ctx context.Context, place string, key *audit.ContentKey) (audit.Store, error)
	Ledger func(ctx context.Context, place string) (backend.Ledger, error)
	// Exists returns an error if there is certainly no ledger.
	Exists func(place string) error
	Purger func(ctx context.Context, place string, key *audit.ContentKey) (audit.Purger, error)
	// Backup writes the trail into a new file, and Restore puts such a file in its place. Both
	// are nil for a store that is backed up with its database. See package audit/sqlite.
	Backup  func(ctx context.Context, place, to string) error
	Restore func(ctx context.Context, from, place, aside string) error
}

var StoreKinds = map[string]*storeKind{
	"sqlite": {
		resolve: func(text string) (string, error) { return text, stores.CheckPath(text) },
		Name:    func(path string) string { return "sqlite:" + path },
		keyFile: func(path, _ string) string { return stores.SQLiteKeyFile(path) },
		read: func(_ context.Context, path string, key *audit.ContentKey) (audit.Store, error) {
			return auditsqlite.OpenReader(path, auditsqlite.WithContentKey(key))
		},
		Write:  openUnlocked,
		Ledger: func(_ context.Context, path string) (backend.Ledger, error) { return ledgersqlite.Open(path) },
		Exists: func(path string) error {
			info, err := os.Stat(path)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return fmt.Errorf("there is no ledger %s: give the path that the built-in service is configured with", path)
			case err == nil && info.Mode().IsRegular() && info.Size() == 0:
				return fmt.Errorf("%s is empty: no service has written a ledger to it yet", path)
			}
			return nil
		},
		Purger: func(_ context.Context, path string, key *audit.ContentKey) (audit.Purger, error) {
			return auditsqlite.OpenPurger(path, auditsqlite.WithContentKey(key))
		},
		Backup: auditsqlite.Backup, Restore: auditsqlite.Restore,
	},
	"postgres": {
		Shared:  true,
		resolve: resolveDSN,
		Name: func(dsn string) string {
			address, err := postgres.Address(dsn)
			return cmp.Or(address, fmt.Sprint(err))
		},
		keyFile: func(_, log string) string { return stores.PostgresKeyFile(log) },
		read: func(ctx context.Context, dsn string, key *audit.ContentKey) (audit.Store, error) {
			return auditpostgres.OpenReader(ctx, dsn, auditpostgres.Options{ContentKey: key})
		},
		Write: func(ctx context.Context, dsn string, key *audit.ContentKey) (audit.Store, error) {
			store, err := auditpostgres.Open(ctx, dsn, auditpostgres.Options{ContentKey: key})
			if err != nil {
				return nil, err // without it, the store would be a typed nil pointer
			}
			return store, nil
		},
		Ledger: func(ctx context.Context, dsn string) (backend.Ledger, error) {
			return ledgerpostgres.Open(ctx, dsn, ledgerpostgres.Options{})
		},
		Exists: func(string) error { return nil }, // opening it shows that
		Purger: func(ctx context.Context, dsn string, key *audit.ContentKey) (audit.Purger, error) {
			return auditpostgres.OpenPurger(ctx, dsn, auditpostgres.Options{ContentKey: key})
		},
	},
}

// resolveDSN replaces the placeholders of a DSN. They keep secrets out of the command line,
// which others on the machine can read. The scheme of a URL was taken as the kind of store.
func resolveDSN(text string) (string, error) {
	if strings.HasPrefix(text, "//") {
		text = "postgres:" + text
	}
	// The error names the placeholder, not its value.
	dsn, err := directive.Resolve(text)
	if err != nil {
		return "", err
	}
	if _, err := postgres.Address(dsn); err != nil {
		return "", err
	}
	return dsn, nil
}

// AddressForms describes the values of a flag that names a store.
const AddressForms = "sqlite:PATH, or postgres:DSN (postgres://USER@HOST/DATABASE), in which {env.NAME} or {file.PATH} may stand for secrets"

// StoreVariable is the environment variable with the store where --store is left out.
const StoreVariable = "FIELATO_STORE"

// storeFlagUsage explains --store, and names the store that a command takes without it.
func storeFlagUsage() string {
	usage := "The store: " + AddressForms + " (default: that of the environment variable " + StoreVariable
	if os.Getenv(StoreVariable) == "" {
		return usage + ", or the gateway's own default path)"
	}
	address, err := AddressOfVariable(os.Getenv(StoreVariable))
	if err != nil {
		return usage + ", which names none now)"
	}
	return usage + ", which is " + address.String() + " now)"
}

// namedStore is a store, and where a command has its name from.
type namedStore struct {
	StoreAddress
	// source is empty for --store.
	source string
}

// Named returns the store of --store, else the variable's, else the default one.
func (f *StoreFlags) Named() (StoreAddress, error) {
	named, err := storeOf(f.store)
	return named.StoreAddress, err
}

// KeyFile returns the file of --key-file, else the default one beside a store with the log.
func (f *TrailFlags) KeyFile(of StoreAddress, log string) string {
	if sshagent.IsOption(f.keyFile) {
		return of.KeyFile(log)
	}
	return cmp.Or(f.keyFile, of.KeyFile(log))
}

// Key returns the private key of a log: the one in KeyFile, or in the ssh-agent that --key-file names.
func (f *TrailFlags) Key(of StoreAddress, log string) (signingkey.Source, error) {
	return signingkey.In(cmp.Or(f.keyFile, of.KeyFile(log)), of.KeyFile(log))
}

// KeyFile returns the default file of the private key of a log. A log that goes on after another
// one has the key of that.
func (a StoreAddress) KeyFile(log string) string { return a.Kind.keyFile(a.Place, sentinel.First(log)) }

// storeOf returns the store of --store, else the variable's, else the default one.
func storeOf(flag string) (namedStore, error) {
	if flag != "" {
		address, err := AddressOfStore("store", flag, "")
		return namedStore{address, ""}, err
	}
	if text := os.Getenv(StoreVariable); text != "" {
		address, err := AddressOfVariable(text)
		return namedStore{address, "named by " + StoreVariable}, err
	}
	address, err := AddressOfStore("store", "", stores.AuditFile)
	return namedStore{address, "the default path, as neither --store nor " + StoreVariable + " is set"}, err
}

// AddressOfVariable parses the text of the environment variable.
func AddressOfVariable(text string) (StoreAddress, error) { return addressOf(StoreVariable, text) }

// explain adds to an error which store it is about, unless the command line names it.
func (n namedStore) explain(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) && n.Kind == StoreKinds["sqlite"] && !n.exists() {
		err = fmt.Errorf("%w. Give --store sqlite:PATH with the path in the Caddyfile (audit sqlite PATH)", err)
	}
	if n.source == "" {
		return err
	}
	return fmt.Errorf("%w (the store is %s, %s)", err, n.StoreAddress, n.source)
}

// exists reports whether the file of an SQLite store is there.
func (n namedStore) exists() bool {
	_, err := os.Stat(n.Place)
	return err == nil
}

// AddressOfStore parses the text of a flag. An empty text means the gateway's default path for
// this file.
func AddressOfStore(flag, text, file string) (StoreAddress, error) {
	if text == "" {
		path, err := stores.DatabasePath("", file)
		return StoreAddress{StoreKinds["sqlite"], path}, err
	}
	return addressOf("--"+flag, text)
}

// addressOf parses an address; where names the flag or the variable in an error.
func addressOf(where, text string) (StoreAddress, error) {
	kind, place, _ := strings.Cut(text, ":")
	known := StoreKinds[cmp.Or(map[string]string{"postgresql": "postgres"}[kind], kind)]
	if known == nil || place == "" {
		return StoreAddress{}, fmt.Errorf("%s: give %s", where, AddressForms) // the text may hold a password
	}
	place, err := known.resolve(place)
	if err != nil {
		return StoreAddress{}, fmt.Errorf("%s: %w", where, err)
	}
	return StoreAddress{known, place}, nil
}

// String returns the store for people, without credentials.
func (a StoreAddress) String() string { return a.Kind.Name(a.Place) }
