package command

import (
	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	auditcmd "github.com/fielato/fielato/caddymodule/internal/command/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	clientscmd "github.com/fielato/fielato/caddymodule/internal/command/clients"
	"github.com/fielato/fielato/caddymodule/internal/command/doctor"
	"github.com/fielato/fielato/caddymodule/internal/command/login"
	"github.com/fielato/fielato/internal/version"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "wsfev1",
		Usage: "init, doctor, audit …, clients …, rules, check, convert, ledger export|import|reset, migrate, login, certificate request|check, ticket, openapi",
		Short: "Looks into the evidence of the WSFEv1 gateway and into its rules, and helps with tests",
		Long: `
init writes a Caddyfile to start from. doctor looks for what keeps a configuration from
working, and says how to mend it.

audit reads the trail that the wsfev1 handler keeps: every exchange, with its request, its
answer, and what was certain about it. search lists exchanges, show prints one, tail
follows new ones, stats counts them, outages lists when the service did not answer, and
evidence writes everything about one invoice into a folder or a zip file for the service's
support desk. verify proves that no record was changed, removed or inserted, checkpoint
prints what to keep elsewhere for that, and consistency compares two kept ones. prove
writes a proof that a record is in the trail and unchanged, check-proof checks it without
the trail. export writes the whole trail into a folder, and verify --export verifies that
anywhere. copy copies a log into another store, where its gateway can continue it. rules
lists the rules by which the handler judges requests. check judges requests in files by
them, convert writes one in the other form, JSON or SOAP. These commands only read, and may run while a gateway does. So may purge, which
removes content that need not be kept any longer, and hold, which keeps purge from it;
new-key makes the key of an encrypted trail. If a trail has log_reads, each use of audit is
first recorded in the trail: by whom, and what for.

clients shows which programs may send what, says whether one of them may send a request, and
which table of clients there was when.

ledger exports, imports and empties what the built-in service (wsfev1_backend) has issued.
migrate creates the tables of a trail and a ledger in PostgreSQL, and changes those of an
older build.
login logs in at WSAA once and shows what the ticket is good for. certificate requests and
checks the certificate for that.
ticket makes access tickets for tests. openapi prints the description of the interface.
--version prints which Fielato is in this program.
` + cli.ExitStatuses,
		CobraFunc: func(cmd *cobra.Command) {
			cmd.Example = `  fielato wsfev1 audit search --store sqlite:./data/audit.db --outcome open
  fielato wsfev1 rules 10048
  fielato wsfev1 check invoice.json`
			onCaddy, _ := caddy.Version()
			cmd.Version = version.Read().String() + ", Caddy " + onCaddy
			cli.Group(cmd)
			cmd.AddCommand(initCommand(), doctor.Command(), auditcmd.Command(), clientscmd.Command(), rulesCommand(), checkCommand(), convertCommand(), ledgerCommand(), migrateCommand(), login.Command(), login.CertificateCommand(), ticketCommand(), openapiCommand())
			cli.Finish(cmd)
		},
	})
}
