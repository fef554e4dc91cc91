package caddymodule

import (
	"errors"

	"github.com/spf13/cobra"
)

const verifyHelp = `
Verifies an export that "audit export" wrote, with nothing but its folder and the public
key of the log, on any machine: makes every record's hash again from its line, the tree
from these, compares the tree with the signed checkpoint, and the invoices with the
records. What is wrong is named by file and line.

Without --key the export can only be compared with itself, and the status is 2. With
--checkpoint the records that a checkpoint was over which you kept must be there too: so
it is found when something was cut off at the end.

Exit status:
  0  sound
  1  broken: changed, removed, added, in another order, or signed by another key
  2  it cannot be told: not finished, not readable, no key, wrong flags`

func verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "verify --export DIR --key KEY [flags]",
		Short:   "Verifies an export, on any machine",
		Long:    verifyHelp,
		Example: `  fielato wsfev1 audit verify --export ./export --key fielato/gateway-1+d37b6f43+AS2t66Y8jqA6iglM+/cf9SK9to/kWF5ZOKQuzBizIkt0`,
		Args:    usedWith(cobra.NoArgs),
	}
	flags := cmd.Flags()
	flags.String("export", "", "The folder of the export")
	flags.String("key", "", "The log's public key, which the gateway logs when it starts, or a file that has it")
	flags.String("checkpoint", "", "A file with a signed checkpoint that was kept elsewhere")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return misused(err) })
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		path, _ := cmd.Flags().GetString("export")
		if path == "" {
			return misused(errors.New("--export: give the folder of an export"))
		}
		return runVerifyExport(cmd, path)
	}
	return cmd
}
