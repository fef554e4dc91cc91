package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	auditpostgres "github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	ledgerpostgres "github.com/fielato/fielato/internal/backend/postgres"
	"github.com/fielato/fielato/internal/postgres"
	ticketspostgres "github.com/fielato/fielato/wsaa/keeper/postgres"
)

const migrateHelp = `
Creates the tables of a trail (--store) and of a ledger (--ledger) in a PostgreSQL database,
or changes those of an older build to what this one needs, and prints the old and the new
version. --dry-run prints them and changes nothing. The two may be in one database or in two.
Beside the tables of a trail is that of the access tickets which gateways share.

Run it once before the first gateway starts and after each upgrade, whether gateways run or
not: a gateway that needs newer tables refuses to start until they exist. It may run on
several machines at once: each step is done by one of them, in a transaction of its own. With
"migrate auto" in its configuration a gateway does the same when it starts.

The role that migrates needs CREATE on the schema, and owns the tables: an owner may change
and remove what is in them. So give gateways roles of their own, which can add to a trail
but change nothing in it. Grant them, as the owner, with your own roles' names:

  CREATE ROLE fielato_gateway LOGIN;
  CREATE ROLE fielato_reader LOGIN;
%s
A gateway that shares access tickets also needs the following. A role that reads or purges
must not have it:

%s
A role that purges content and sets legal holds (audit purge, audit hold) needs others:

  CREATE ROLE fielato_purger LOGIN;
%s
A gateway with the built-in service also needs:

%s
and, to empty the ledger (wsfev1 ledger reset):

%s
SQLite needs none of this: a file is migrated when it is opened.

Exit status:
  0  the tables are the newest; with --dry-run even if steps are missing
  2  they are not: the database cannot be reached, the role may not do this, a newer build
     has migrated it, or wrong flags`

// indentedSQL joins scripts into one indented text.
func indentedSQL(scripts ...string) string {
	var b strings.Builder
	for _, script := range scripts {
		for line := range strings.Lines(script + ";\n") {
			b.WriteString("  " + line)
		}
	}
	return b.String()
}

type migrateFlags struct {
	cli.ReportFlags
	store, ledger string
	dryRun        bool
}

func (f *migrateFlags) bind(set *pflag.FlagSet) {
	set.StringVar(&f.store, "store", "", "The trail's database: "+cli.AddressForms+" (default: that of the environment variable "+cli.StoreVariable+", without --ledger)")
	set.StringVar(&f.ledger, "ledger", "", "The ledger's database: the same forms")
	set.BoolVar(&f.dryRun, "dry-run", false, "Say what is missing, and change nothing")
	f.BindReport(set)
}

func migrateCommand() *cobra.Command {
	flags := &migrateFlags{}
	cmd := &cobra.Command{
		Use:   "migrate [--store postgres:DSN] [--ledger postgres:DSN] [--dry-run]",
		Short: "Makes or changes the tables of a trail and of a ledger in PostgreSQL",
		Long: fmt.Sprintf(migrateHelp, indentedSQL(auditpostgres.GatewayGrants, auditpostgres.ReaderGrants), indentedSQL(ticketspostgres.GatewayGrants), indentedSQL(auditpostgres.PurgerGrants),
			indentedSQL(ledgerpostgres.GatewayGrants), indentedSQL(ledgerpostgres.ResetGrants)),
		Example: `  fielato wsfev1 migrate --store postgres://owner@db.example/invoices --dry-run
  PGPASSWORD=… fielato wsfev1 migrate --store postgres://owner@db.example/invoices --ledger postgres://owner@db.example/invoices
  fielato wsfev1 migrate --store 'postgres:{file./run/secrets/dsn}'`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runMigrate(cmd, flags) }
	return cmd
}

// migration is a database and the migrations for it. Reports on SQLite name the first.
type migration struct {
	cli.StoreAddress
	what []*postgres.Migrations
}

// The migrations of each flag.
var (
	ofStore  = []*postgres.Migrations{auditpostgres.Migrations, ticketspostgres.Migrations}
	ofLedger = []*postgres.Migrations{&ledgerpostgres.Migrations}
)

// migrations returns the databases of --store and --ledger. Without either it returns the database of the
// environment variable.
func (f *migrateFlags) migrations() (wanted []migration, err error) {
	for _, one := range []struct {
		flag, text string
		what       []*postgres.Migrations
	}{
		{"store", f.store, ofStore},
		{"ledger", f.ledger, ofLedger},
	} {
		if one.text == "" {
			continue
		}
		address, err := cli.AddressOfStore(one.flag, one.text, "")
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, migration{address, one.what})
	}
	if text := os.Getenv(cli.StoreVariable); len(wanted) == 0 && text != "" {
		address, err := cli.AddressOfVariable(text)
		return []migration{{address, ofStore}}, err
	}
	if len(wanted) == 0 {
		return nil, errors.New("give --store or --ledger, or both: " + cli.AddressForms)
	}
	return wanted, nil
}

func runMigrate(cmd *cobra.Command, flags *migrateFlags) error {
	wanted, err := flags.migrations()
	if err != nil {
		return cli.UsageError(err)
	}
	// A database that cannot be reached does not keep the other from being migrated.
	var failures []error
	for _, one := range wanted {
		switch one.Kind {
		case cli.StoreKinds["postgres"]:
			failures = append(failures, migrate(cmd, one, flags))
		default:
			object := migrated{Component: one.what[0].Component, Database: one.String(), DryRun: flags.dryRun}
			failures = append(failures, flags.Report(cmd, object, cmd.OutOrStdout(),
				"%s: nothing to do, SQLite's tables are made and changed by whoever opens the file\n", one.StoreAddress))
		}
	}
	return errors.Join(failures...)
}

// migrate brings one database to the newest versions, or reports the missing steps.
func migrate(cmd *cobra.Command, one migration, flags *migrateFlags) error {
	ctx := cmd.Context()
	// No statement timeout: a step may go through a large table.
	pool, err := postgres.Open(ctx, one.Place, postgres.Options{Name: "fielato migrate", StatementTimeout: -1, ReadOnly: flags.dryRun})
	if err != nil {
		return err
	}
	defer pool.Close()
	for _, what := range one.what {
		if err := migrateComponent(cmd, pool, what, flags); err != nil {
			return err
		}
	}
	return nil
}

// migrateComponent is migrate for one component.
func migrateComponent(cmd *cobra.Command, pool *postgres.Pool, what *postgres.Migrations, flags *migrateFlags) error {
	out, dryRun := cmd.OutOrStdout(), flags.dryRun
	newest := len(what.Steps)
	from, err := lookOrRun(cmd.Context(), pool, what, dryRun)
	if err != nil {
		return err
	}
	object := migrated{what.Component, pool.Address(), from, newest, from < newest && !dryRun, dryRun}
	switch {
	case from == newest:
		return flags.Report(cmd, object, out, "%s in %s: version %d, the newest; nothing to do\n", what.Component, pool.Address(), from)
	case dryRun:
		return flags.Report(cmd, object, out, "%s in %s: version %d, %d to come: version %d is the newest; nothing was changed\n",
			what.Component, pool.Address(), from, newest-from, newest)
	default:
		return flags.Report(cmd, object, out, "%s in %s: from version %d to %d\n", what.Component, pool.Address(), from, newest)
	}
}

// migrated is the report of one component of a database for programs. The versions of SQLite's tables are 0:
// nobody migrates those.
type migrated struct {
	Component string `json:"component"`
	Database  string `json:"database"`
	From      int    `json:"from"`
	Newest    int    `json:"newest"`
	Changed   bool   `json:"changed"`
	DryRun    bool   `json:"dry_run"`
}

// lookOrRun runs the migrations unless dryRun, and returns the version found before.
func lookOrRun(ctx context.Context, pool *postgres.Pool, what *postgres.Migrations, dryRun bool) (int, error) {
	if !dryRun {
		return what.Run(ctx, pool)
	}
	err := what.Check(ctx, pool)
	if err != nil && !errors.Is(err, postgres.ErrBehind) {
		return 0, err
	}
	return what.Version(ctx, pool)
}
