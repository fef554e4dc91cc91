package keeping

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/internal/durable"
)

func newKeyCommand() *cobra.Command {
	flags := &cli.ReportFlags{}
	cmd := &cobra.Command{
		Use:   "new-key [FILE]",
		Short: "Makes a key that encrypts the content of a trail",
		Long: `
Makes a new key for the option encryption_key: 32 random bytes in base64. It is printed,
or written to a new FILE that only its owner can read. Keep a copy apart from the trail:
without the key, nobody can ever read again what it has encrypted.`,
		Example: `  fielato wsfev1 audit new-key ./data/audit.encryption-key
  export FIELATO_ENCRYPTION_KEY=$(fielato wsfev1 audit new-key)`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := audit.NewContentKey(rand.Reader)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return flags.Report(cmd, madeKey{ID: key.ID(), Key: key.Private()}, cmd.OutOrStdout(), "%s\n", key.Private())
			}
			if err := durable.WriteNew(args[0], strings.NewReader(key.Private()+"\n")); err != nil {
				return fmt.Errorf("writing the encryption key: %w", err)
			}
			return flags.Report(cmd, madeKey{ID: key.ID(), File: args[0]}, cmd.ErrOrStderr(),
				"the key %s is in %s: keep a copy of it elsewhere\n", key.ID(), args[0])
		},
	}
	flags.BindReport(cmd.Flags())
	return cmd
}

// madeKey is the report for programs: the key, or the file that holds it.
type madeKey struct {
	ID   string `json:"id"`
	Key  string `json:"key,omitzero"`
	File string `json:"file,omitzero"`
}
