package reading

import (
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	totalscmd "github.com/fielato/fielato/caddymodule/internal/command/totals"
)

// Add adds the commands that look into a trail below cmd.
func Add(cmd *cobra.Command, flags *cli.TrailFlags) {
	cli.AddTitled(cmd, "Look into the trail", searchCommand(flags), showCommand(flags), tailCommand(flags),
		statsCommand(flags), totalscmd.Command(flags), outagesCommand(flags))
}
