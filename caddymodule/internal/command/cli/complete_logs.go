package cli

import (
	"os"

	"github.com/spf13/cobra"
)

// CompleteLogs makes a shell complete the name of --log for cmd and the commands below it.
func CompleteLogs(cmd *cobra.Command) { complete(cmd, "log", completeLog) }

// completeLog offers the logs of the store, if it is a file. A server may take long to answer,
// or ask for a password. The names of logs are no content: log_reads does not record this.
func completeLog(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	flag := ""
	if given := cmd.Flag("store"); given != nil {
		flag = given.Value.String()
	}
	named, err := storeOf(flag)
	if err != nil || named.Kind.Shared {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if _, err := os.Stat(named.Place); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	store, err := named.Kind.read(cmd.Context(), named.Place, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer store.Close()
	logs, err := store.Logs(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return logs, cobra.ShellCompDirectiveNoFileComp
}
