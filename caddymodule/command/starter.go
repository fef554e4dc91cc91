package command

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/internal/nearest"
)

//go:embed starter/*.caddyfile
var starters embed.FS

// starterKinds are the Caddyfiles to start from.
var starterKinds = []string{"demo", "forward", "cluster"}

// defaultFile is the file that Caddy takes without --config.
const defaultFile = "Caddyfile"

// stdout is the path that stands for the standard output.
const stdout = "-"

// initCommand returns the command that writes a Caddyfile to start from.
func initCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:       "init [demo|forward|cluster [FILE]]",
		Short:     "Writes a Caddyfile to start from, with comments",
		ValidArgs: starterKinds,
		Long: `
Writes a Caddyfile to start from, with comments, into FILE, by default Caddyfile in this
folder. A file that is there already stays as it is. - writes it to the standard output.

demo, the default, has the built-in service, which is not ARCA. forward stands in front of a
real service, on one machine. cluster is for several gateways that share a trail in
PostgreSQL. Names and paths in it come from variables, or are to be replaced.`,
		Example: `  fielato wsfev1 init
  fielato wsfev1 init forward /etc/fielato/Caddyfile
  fielato wsfev1 init cluster -`,
		Args: cli.UsageArgs(cobra.MaximumNArgs(2)),
		RunE: writeStarter,
	}
	return cmd
}

func writeStarter(cmd *cobra.Command, args []string) error {
	args = append(args, "", "")
	kind, path := cmp.Or(args[0], starterKinds[0]), cmp.Or(args[1], defaultFile)
	text, err := starters.ReadFile("starter/" + kind + ".caddyfile")
	if err != nil {
		return cli.UsageError(fmt.Errorf("%q: use demo, forward or cluster%s", kind, nearest.Question(kind, starterKinds)))
	}
	if path == stdout {
		_, err := cmd.OutOrStdout().Write(text)
		return err
	}
	if err := writeNew(path, text); err != nil {
		return err
	}
	doctor := strings.TrimSuffix(cmd.CommandPath(), cmd.Name()) + "doctor"
	program, _, _ := strings.Cut(cmd.CommandPath(), " ")
	fmt.Fprintf(cmd.ErrOrStderr(), "%s is written. Next: %s, then %s run%s\n", path, doctor+naming(path), program, naming(path))
	return nil
}

// naming returns the flags by which a command finds the file: none for the one that is looked
// for, and no adapter where the name shows the language.
func naming(path string) string {
	switch base := strings.ToLower(filepath.Base(path)); {
	case path == defaultFile:
		return ""
	case strings.HasPrefix(base, "caddyfile") && !strings.HasSuffix(base, ".json"), strings.HasSuffix(base, ".caddyfile"):
		return " --config " + path
	}
	return " --config " + path + " --adapter caddyfile"
}

// writeNew makes a file. It never replaces one, and leaves none that is not whole: an empty Caddyfile is
// valid, serves nothing, and would keep the next init from writing.
func writeNew(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // it holds no secrets
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and stays as it is: name another file, or - for the standard output", path)
	}
	if err != nil {
		return fmt.Errorf("%w: name a file in a folder that is there, and that you may write", err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
