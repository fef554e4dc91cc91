package command

import (
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/keeping"
	"github.com/fielato/fielato/caddymodule/internal/command/proving"
	"github.com/fielato/fielato/caddymodule/internal/command/reading"
)

// auditCommand returns the commands about a trail.
func auditCommand() *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use: "audit", Short: "Searches, shows, follows, counts, exports and verifies the records of a trail",
		Example: `  fielato wsfev1 audit search --store sqlite:./data/audit.db --cuit 20111111112 --nro 15
  fielato wsfev1 audit show --store sqlite:./data/audit.db gateway-1/41
  fielato wsfev1 audit verify --store sqlite:./data/audit.db --checkpoint kept.txt`,
	})
	flags := &cli.TrailFlags{}
	flags.Bind(cmd.PersistentFlags())
	cli.CompleteLogs(cmd)
	reading.Add(cmd, flags)
	proving.Add(cmd, flags)
	keeping.Add(cmd, flags)
	return cmd
}
