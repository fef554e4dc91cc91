package command

import (
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/internal/openapi"
)

func openapiCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "openapi",
		Short: "Prints the description of the whole interface as OpenAPI 3.1",
		Long: `
Prints the interface of the service as an OpenAPI 3.1 document in JSON: all operations, their
requests and answers, an example of each, and what the gateway adds. Clients can be
generated from it. The handler's option "openapi" serves the same document.`,
		Example: `  fielato wsfev1 openapi > openapi.json
  npx openapi-typescript openapi.json --output wsfev1.d.ts`,
		Args: cli.None,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, err := cmd.OutOrStdout().Write(openapi.Document)
		return err
	}
	return cmd
}
