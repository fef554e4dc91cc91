package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/doctor"
)

// programName is the command by which the program reaches Caddy's root command. Nothing shows it.
const programName = "fielato-program"

// Main runs the program fielato: Caddy with this module, short forms of the commands that come
// first, and hints where Caddy's own commands leave a beginner alone.
//
// Caddy builds its root command out of sight, and shows it only to a command that it runs. So it
// runs a hidden one, which completes the root and gives it the command line. The exit status
// stays Caddy's matter.
func Main() {
	given := os.Args
	if len(given) > 0 {
		caddycmd.RegisterCommand(caddycmd.Command{Name: programName, Short: "Runs the program", CobraFunc: func(cmd *cobra.Command) {
			cmd.Hidden, cmd.SilenceErrors = true, true
			cmd.RunE = func(cmd *cobra.Command, _ []string) error {
				os.Args = given
				root := cmd.Root()
				root.RemoveCommand(cmd)
				complete(root)
				root.SetArgs(given[1:])
				return root.Execute()
			}
		}})
		os.Args = []string{given[0], programName}
	}
	caddycmd.Main()
}

// complete adds Fielato's own commands to Caddy's root command.
func complete(root *cobra.Command) {
	root.Example = `  $ fielato init
  $ fielato doctor
  $ fielato run
  $ fielato reload
  $ fielato stop`
	cli.SetHelpFooter(root, cli.Documentation+"\nCaddy's commands: https://caddyserver.com/docs/command-line")
	root.SetFlagErrorFunc(cli.SuggestFlag)
	for _, short := range []*cobra.Command{initCommand(), doctor.Command()} {
		cli.Finish(short)
		short.Example = strings.ReplaceAll(short.Example, "fielato wsfev1 ", "fielato ")
		root.AddCommand(short)
	}
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "run", "start", "reload", "validate", "adapt":
			explain(cmd)
		}
		switch cmd.Name() {
		case "run":
			before(cmd, noteMissingCaddyfile)
		case "reload", "stop":
			after(cmd, noteNothingRuns)
		case "version":
			takeJSON(cmd)
		case "completion":
			cmd.Args = oneShell
		case "upgrade", "add-package", "remove-package":
			cmd.Hidden, cmd.RunE, cmd.Long = true, refuseReplacement, errReplacement.Error()
		}
	}
}

// explain ends a command's output with an error that begins with the mistake and its place. Caddy has
// logged its own error by then, behind a description of everything it was doing.
func explain(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		if err == nil {
			return nil
		}
		cmd.SilenceErrors = false
		config, _ := cmd.Flags().GetString("config") // empty for a command without
		adapter, _ := cmd.Flags().GetString("adapter")
		return cli.Explained(err, doctor.Refusal(config, adapter))
	}
}

func before(cmd *cobra.Command, note func(*cobra.Command)) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		note(cmd)
		return run(cmd, args)
	}
}

func after(cmd *cobra.Command, note func(*cobra.Command, error)) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		note(cmd, err)
		return err
	}
}

// noteMissingCaddyfile warns of a server that serves nothing: Caddy starts one without a word.
func noteMissingCaddyfile(cmd *cobra.Command) {
	for _, source := range []string{"config", "resume"} {
		if cmd.Flags().Changed(source) {
			return
		}
	}
	if _, err := os.Stat("Caddyfile"); errors.Is(err, fs.ErrNotExist) {
		caddy.Log().Warn("there is no Caddyfile in this folder, so nothing is served: `fielato init` writes one, and --config names another")
	}
}

// noteNothingRuns explains Caddy's error for an admin API at which nothing listens. Caddy keeps
// the text of the cause alone.
func noteNothingRuns(cmd *cobra.Command, err error) {
	if err != nil && strings.Contains(err.Error(), syscall.ECONNREFUSED.Error()) {
		fmt.Fprintln(cmd.ErrOrStderr(), "no gateway runs there: `fielato run` starts one, and --address names the admin API of another")
	}
}

var errReplacement = errors.New("caddyserver.com does not build this program: install the next release of Fielato, or build it again with the packages that you want, as docs/operating.md says")

// refuseReplacement keeps Caddy from putting a program of its own in the place of this one. Without it
// Caddy looks for the module of each plugin among the dependencies, and panics: here it is the program's own.
func refuseReplacement(*cobra.Command, []string) error { return errReplacement }

// oneShell refuses all but the name of one shell.
func oneShell(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || !slices.Contains(cmd.ValidArgs, args[0]) {
		return errors.New("name a shell: bash, zsh, fish or powershell")
	}
	return nil
}
