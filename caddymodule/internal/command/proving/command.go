package proving

import (
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
)

// Add adds the commands about proofs below cmd.
func Add(cmd *cobra.Command, flags *cli.TrailFlags) {
	cli.AddTitled(cmd, "Prove something to others", evidenceCommand(flags), proveCommand(flags), checkProofCommand(), exportCommand(flags),
		timestampCommand(flags))
	cli.AddTitled(cmd, "Verify the trail", verifyCommand(flags), checkpointCommand(flags), consistencyCommand(flags))
}
