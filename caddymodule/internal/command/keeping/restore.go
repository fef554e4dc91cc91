package keeping

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/backup"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/durable"
)

const restoreHelp = `
Puts a backup of a trail in SQLite in its place, for its gateway to go on. Before anything is
put there, the command compares the file with its manifest (FILE.json), if that is there,
verifies all of it, and checks that the private key of the log is at its place, that the
folder belongs to the user who runs the command, and that no gateway has the trail open. Run
it as the user of the gateway, which must be stopped.

A trail that is there stays, and the command ends. With --force it moves aside, to
NAME.replaced-TIME: keep it until all that it holds is in the other one.

What was issued after the backup is not in it: see docs/troubleshooting.md before the gateway
starts.
` + postgresBackup + `

Exit status:
  0  the backup is in place, and sound
  1  the backup does not hold: it was changed, or is not what its manifest says
  2  nothing was put in place: the message says why`

type restoreFlags struct {
	cli.StoreFlags
	cli.ReportFlags
	from                string
	force, keyElsewhere bool
}

func restoreCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &restoreFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "restore --from FILE [flags]",
		Short: "Checks a backup of a trail in SQLite, and puts it in place",
		Long:  restoreHelp,
		Example: `  fielato wsfev1 audit restore --from /backup/audit-2026-11-20.db --store sqlite:./data/audit.db
  sudo -u fielato -- fielato wsfev1 audit restore --from /backup/audit.db --store sqlite:/var/lib/fielato/audit.db --force`,
		Args: cli.None,
	}
	flags.Bind(cmd.Flags())
	cmd.Flags().StringVar(&flags.from, "from", "", "The file of the backup")
	cmd.Flags().BoolVar(&flags.force, "force", false, "Move a trail that is there aside")
	cmd.Flags().BoolVar(&flags.keyElsewhere, "key-elsewhere", false, "The private key is not in a file: the option key of the configuration is a placeholder")
	flags.BindReport(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runRestore(cmd, flags) }
	return cmd
}

// restored is the report for programs.
type restored struct {
	Store    string       `json:"store"`
	From     string       `json:"from"`
	Manifest bool         `json:"manifest"` // it was compared with one
	Aside    string       `json:"aside,omitzero"`
	Logs     []backup.Log `json:"logs"`
}

func runRestore(cmd *cobra.Command, flags *restoreFlags) error {
	if flags.from == "" {
		return cli.UsageError(errors.New("--from is missing: give the file of a backup"))
	}
	to, err := flags.Named()
	switch {
	case err != nil:
		return cli.UsageError(err)
	case to.Kind.Restore == nil:
		return errBackupOfDatabase
	}
	ctx, stop := cli.UntilInterrupted(cmd.Context())
	defer stop()
	if err := ownFolder(to); err != nil {
		return err
	}
	object, err := flags.check(ctx, cmd, to)
	if err != nil {
		return fmt.Errorf("nothing was put in place: %w", err)
	}
	if object.Aside, err = asideOf(to.Place, flags.force, time.Now()); err != nil {
		return err
	}
	if err := to.Kind.Restore(ctx, flags.from, to.Place, object.Aside); err != nil {
		return err
	}
	if object.Aside != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "the trail that was there is in %s now: keep it until you know that nothing of it is needed\n", object.Aside)
	}
	if !object.Manifest {
		fmt.Fprintln(cmd.ErrOrStderr(), "the backup has no manifest beside it: whether it is the one that was made was not checked")
	}
	return flags.Report(cmd, object, cmd.OutOrStdout(), "%s holds %s, verified\n", to, namesOf(object.Logs))
}

// ownFolder makes the folder of a store in a file, and returns an error if another user owns it.
func ownFolder(at cli.StoreAddress) error {
	if at.Kind.Shared {
		return nil
	}
	folder := filepath.Dir(at.Place)
	if err := durable.MakeFolder(folder); err != nil {
		return fmt.Errorf("making the folder of the trail: %w", err)
	}
	return backup.CheckOwner(folder)
}

// check verifies the backup and its key.
func (f *restoreFlags) check(ctx context.Context, cmd *cobra.Command, to cli.StoreAddress) (*restored, error) {
	from := cli.StoreAddress{Kind: to.Kind, Place: f.from}
	manifest, err := backup.ReadManifest(f.from)
	if err != nil {
		return nil, err
	}
	logs, err := verifiedLogs(ctx, cmd, f.TrailFlags, from)
	if err != nil {
		return nil, err
	}
	if manifest != nil {
		if err := manifest.Matches(f.from, logs); err != nil {
			return nil, err
		}
	}
	own, err := f.ownLog(ctx, cmd, from, logs)
	if err == nil && !f.keyElsewhere {
		err = f.checkKey(to, own)
	}
	return &restored{Store: to.String(), From: f.from, Manifest: manifest != nil, Logs: logs}, err
}

// ownLog returns the log that the gateway of the backup writes.
func (f *restoreFlags) ownLog(ctx context.Context, cmd *cobra.Command, from cli.StoreAddress, logs []backup.Log) (own backup.Log, err error) {
	s, err := cli.OpenSession(ctx, cmd, f.TrailFlags, from, nil)
	if err != nil {
		return own, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	name, err := secretOf(ctx, s.Store, trail.LogNameKey)
	for _, log := range logs {
		if log.Log == string(name) {
			return log, err
		}
	}
	return own, errors.Join(err, errors.New("the backup does not say which log its gateway writes"))
}

// checkKey returns an error unless the private key of the log is where the gateway looks for it.
func (f *restoreFlags) checkKey(to cli.StoreAddress, log backup.Log) error {
	file := f.KeyFile(to, log.Log)
	verifier, _, err := signingkey.Public(file, "")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the private key of the log %s is not at %s: put it there first, its public key is %s; "+
			"name another file with --key-file, or give --key-elsewhere if the key is not in a file", log.Log, file, log.PublicKey)
	case err != nil:
		return err
	case verifier != log.PublicKey:
		return fmt.Errorf("the log %s is signed with the key %s, but %s holds %s: put the one it began with there", log.Log, log.PublicKey, file, verifier)
	}
	return nil
}

// asideOf returns where a trail that is in the place moves, empty for none.
func asideOf(path string, force bool, now time.Time) (string, error) {
	_, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("looking at the trail: %w", err)
	case !force:
		return "", fmt.Errorf("there is a trail at %s, and it stays as it is: --force moves it aside", path)
	}
	return path + ".replaced-" + now.UTC().Format("20060102T150405Z"), nil
}
