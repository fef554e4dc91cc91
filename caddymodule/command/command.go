package command

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	clientscmd "github.com/fielato/fielato/caddymodule/internal/command/clients"
	"github.com/fielato/fielato/caddymodule/internal/command/doctor"
	"github.com/fielato/fielato/caddymodule/internal/command/login"
	witnesscmd "github.com/fielato/fielato/caddymodule/internal/command/witness"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "wsfev1",
		Usage: "COMMAND",
		Short: "Looks into the evidence of the WSFEv1 gateway and into its rules, and helps with tests",
		Long: `
Commands for a gateway and its evidence. audit looks into the trail that the wsfev1 handler
keeps: every exchange, with its request, its answer, and what was certain about it. Most
commands only read, and may run while a gateway does. If a trail has log_reads, each use of
audit is first recorded in the trail: by whom, and what for.

FIELATO_STORE is the store where --store is left out, FIELATO_ADMIN the address of the admin
API where --admin is. --version prints which Fielato is in this program, version --json what it was built from.
` + cli.ExitStatuses,
		CobraFunc: func(cmd *cobra.Command) {
			cmd.Example = `  fielato wsfev1 audit search --store sqlite:./data/audit.db --outcome open
  fielato wsfev1 rules 10048
  fielato wsfev1 check invoice.json`
			cmd.Version = versionText()
			cli.Group(cmd)
			cli.AddTitled(cmd, "Set up and mend", initCommand(), doctor.Command(), migrateCommand(), versionCommand())
			cli.AddTitled(cmd, "Evidence", auditCommand(), witnesscmd.Command())
			cli.AddTitled(cmd, "Requests and rules", checkCommand(), rulesCommand(), convertCommand(), openapiCommand())
			cli.AddTitled(cmd, "Access", clientscmd.Command(), login.Command(), login.CertificateCommand())
			cli.AddTitled(cmd, "Tests and the built-in service", ticketCommand(), ledgerCommand())
			cli.Finish(cmd)
		},
	})
}
