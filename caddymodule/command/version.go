package command

import (
	"fmt"
	"io"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/internal/version"
)

const jsonUsage = "Print what the program was built from as one JSON object, with the SHA-256 of its file"

func versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version [--json]",
		Short: "Prints which Fielato this is, and what the program was built from",
		Long: `
Prints Fielato's version, its commit and Caddy's version, as "fielato version" does.

With --json it prints all that the go command has written into the program: module,
commit, when it was committed and whether anything else was in the folder, Go's version
and the settings of the build. executable_sha256 is the digest of the file that runs, by
which it is compared with a release: docs/verify-release.md. Where the file cannot be
read it is missing, and a line on standard error says why.`,
		Example: `  fielato wsfev1 version
  fielato wsfev1 version --json`,
		Args: cobra.NoArgs,
	}
	asJSON := cmd.Flags().Bool("json", false, jsonUsage)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *asJSON {
			return printProgram(cmd.OutOrStdout(), cmd.ErrOrStderr())
		}
		_, err := fmt.Fprintln(cmd.OutOrStdout(), versionText())
		return err
	}
	return cmd
}

// versionText names Fielato and Caddy on one line.
func versionText() string {
	onCaddy, _ := caddy.Version()
	return version.Read().String() + ", Caddy " + onCaddy
}

// takeJSON gives Caddy's own command version the flag --json.
func takeJSON(cmd *cobra.Command) {
	asJSON := cmd.Flags().Bool("json", false, jsonUsage)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *asJSON {
			return printProgram(cmd.OutOrStdout(), cmd.ErrOrStderr())
		}
		return run(cmd, args)
	}
}

// printProgram prints what this program was built from. A digest that cannot be had is only noted.
func printProgram(out, notes io.Writer) error {
	program, err := version.ReadProgram()
	if err != nil {
		fmt.Fprintln(notes, "there is no executable_sha256:", err)
	}
	onCaddy, _ := caddy.Version()
	err = json.MarshalWrite(out, struct {
		version.Program
		Caddy string `json:"caddy"`
	}{program, onCaddy}, json.Deterministic(true), jsontext.WithIndent("  "))
	if err == nil {
		_, err = fmt.Fprintln(out)
	}
	if err != nil {
		return fmt.Errorf("printing what the program was built from: %w", err)
	}
	return nil
}
