package keeping

import (
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
)

// Add adds the commands that take care of a trail below cmd.
func Add(cmd *cobra.Command, flags *cli.TrailFlags) {
	cli.AddTitled(cmd, "Save and move the trail", backupCommand(flags), restoreCommand(flags), continueCommand(flags), copyCommand(flags))
	cli.AddTitled(cmd, "Retention and encryption", purgeCommand(flags), holdCommand(flags), newKeyCommand())
}
