package caddymodule

import (
	"fmt"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// refuseEmptyFlags makes a flag without a value an error for a command and those below it: a
// script whose variable is not set must not be told that a trail is sound by a key that was
// not given, or get other records than it asked for.
func refuseEmptyFlags(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		refuseEmptyFlags(below)
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var empty error
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if f.Value.Type() == "string" && f.Value.String() == "" {
				empty = fmt.Errorf("--%s has no value: give one, or leave the flag out", f.Name)
			}
		})
		if empty != nil {
			return cmd.FlagErrorFunc()(cmd, empty)
		}
		return run(cmd, args)
	}
}

const writerFlagUsage = "Where no gateway runs, and the role of --store may not write the log (PostgreSQL): the same store by the role of a gateway"

// addReadFlags adds what all commands need that read a trail.
func addReadFlags(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.String("log", "", "One log, where several gateways share the store (default: all, for what looks into several)")
	flags.String("admin", "", "For what is written into the trail (log_reads, purge, hold): the admin API of the gateway that runs (default "+caddy.DefaultAdminListen+")")
	flags.String("key-file", "", "The same where no gateway runs: the log's private key (default: beside the store)")
}
