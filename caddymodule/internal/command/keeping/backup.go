package keeping

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/backup"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/internal/durable"
)

const backupHelp = `
Writes what a trail in SQLite holds at this moment into one new file, while its gateway goes
on. The file is for its owner alone (mode 0600), is verified before it has its name, and
is whole by itself. A manifest stands beside it, FILE.json: the time, size and SHA-256 of the
file, and of each log the records, the public key and the newest signed checkpoint. It has
no secrets: keep a copy of it where the backup is not.

--to names a new file, or a folder in which each backup gets a name with the time. Nothing
is overwritten, and nothing old is removed. Run it from cron or a timer; the gateway shows
the time of the newest backup as wsfev1_audit_backup_timestamp_seconds, by a file beside the
trail (NAME.newest-backup).

The private key of the log and the encryption key are not in a backup: keep copies of them
apart from it. Content that a purge removes later stays in backups that were made before.
` + postgresBackup

const postgresBackup = `
A trail in PostgreSQL is backed up with its database: by a base backup with the archive of
its write-ahead log (so that nothing acknowledged is lost), or by pg_dump of the whole
database. A part of the tables is no backup. Keep each node's private key too. Then run
"audit verify" on a restored copy, with a kept checkpoint.`

var errBackupOfDatabase = errors.New("a trail in PostgreSQL is backed up and restored with its database: by a base backup with the archive of the write-ahead log, " +
	"or by pg_dump of the whole database, and each node's private key; then run audit verify on a restored copy")

type backupFlags struct {
	cli.StoreFlags
	cli.ReportFlags
	to string
}

func backupCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &backupFlags{StoreFlags: cli.StoreFlags{TrailFlags: common, Content: cli.ContentCounted}}
	cmd := &cobra.Command{
		Use:   "backup --to FILE|DIR [flags]",
		Short: "Writes a verified copy of a trail in SQLite into a file, while its gateway goes on",
		Long:  backupHelp,
		Example: `  fielato wsfev1 audit backup --store sqlite:./data/audit.db --to /backup/audit-2026-11-20.db
  fielato wsfev1 audit backup --store sqlite:./data/audit.db --to /backup`,
		Args: cli.None,
	}
	flags.Bind(cmd.Flags())
	cmd.Flags().StringVar(&flags.to, "to", "", "A new file, or a folder that is there")
	flags.BindReport(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runBackup(cmd, flags) }
	return cmd
}

// backedUp is the report for programs.
type backedUp struct {
	File     string       `json:"file"`
	Manifest string       `json:"manifest"`
	Bytes    int64        `json:"bytes"`
	SHA256   string       `json:"sha256"`
	Logs     []backup.Log `json:"logs"`
}

func runBackup(cmd *cobra.Command, flags *backupFlags) error {
	if flags.to == "" {
		return cli.UsageError(errors.New("--to is missing: give a new file, or a folder"))
	}
	if store, err := flags.Named(); err != nil {
		return cli.UsageError(err)
	} else if store.Kind.Backup == nil {
		return errBackupOfDatabase
	}
	return cli.WithStore(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		ctx, stop := cli.UntilInterrupted(ctx)
		defer stop()
		began := time.Now()
		file, err := backupFile(flags.to, s.Address.Place, began)
		if err != nil {
			return err
		}
		manifest, err := writeBackup(ctx, cmd, flags.TrailFlags, s.Address, file, began)
		if err != nil {
			return fmt.Errorf("nothing was backed up: %w", err)
		}
		object := backedUp{file, backup.ManifestOf(file), manifest.Bytes, manifest.SHA256, manifest.Logs}
		if err := flags.Report(cmd, object, cmd.OutOrStdout(), "%s holds %s, verified\n", file, namesOf(manifest.Logs)); err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "the private key of the log is not in it: keep a copy apart from the backup, or nothing continues the log")
		return backup.Newest{Made: manifest.Made, File: file, Records: recordsOf(manifest.Logs)}.Keep(s.Address.Place)
	})
}

// backupFile returns the file to write: to, or a new name in the folder to.
func backupFile(to, database string, now time.Time) (string, error) {
	meansFolder := strings.HasSuffix(filepath.ToSlash(to), "/")
	to, err := filepath.Abs(to)
	if err != nil {
		return "", fmt.Errorf("--to: %w", err)
	}
	if info, err := os.Stat(to); meansFolder && errors.Is(err, fs.ErrNotExist) {
		return "", cli.UsageError(fmt.Errorf("--to: there is no folder %s: make it, or mount its disk", to))
	} else if err == nil && info.IsDir() {
		name := filepath.Base(database)
		extension := filepath.Ext(name)
		to = filepath.Join(to, strings.TrimSuffix(name, extension)+now.UTC().Format("-20060102T150405Z")+extension)
	}
	for _, path := range []string{to, backup.ManifestOf(to)} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return "", cli.UsageError(fmt.Errorf("--to: %s is there already, and stays as it is: name another file", path))
		}
	}
	return to, nil
}

// writeBackup makes a backup. The file gets its name last: one that has it was verified.
func writeBackup(ctx context.Context, cmd *cobra.Command, flags *cli.TrailFlags, from cli.StoreAddress, file string, now time.Time) (_ *backup.Manifest, err error) {
	unverified := file + durable.Temporary
	if err := from.Kind.Backup(ctx, from.Place, unverified); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(unverified))
		}
	}()
	logs, err := verifiedLogs(ctx, cmd, flags, cli.StoreAddress{Kind: from.Kind, Place: unverified})
	if err != nil {
		return nil, err
	}
	manifest, err := backup.Describe(unverified, now, logs)
	if err != nil {
		return nil, err
	}
	if err := manifest.Write(file); err != nil {
		return nil, err
	}
	if err := os.Rename(unverified, file); err != nil {
		return nil, errors.Join(fmt.Errorf("naming the backup: %w", err), os.Remove(backup.ManifestOf(file)))
	}
	return manifest, durable.SyncFolder(filepath.Dir(file))
}

// verifiedLogs verifies all logs of a store that no gateway writes.
func verifiedLogs(ctx context.Context, cmd *cobra.Command, flags *cli.TrailFlags, of cli.StoreAddress) (logs []backup.Log, err error) {
	s, err := cli.OpenSession(ctx, cmd, flags, of, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	names, err := s.AllLogs(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		log, err := verifiedLog(ctx, cmd, s.Store, name)
		if err != nil {
			return nil, fmt.Errorf("the log %s: %w", name, err)
		}
		logs = append(logs, log)
	}
	if len(logs) == 0 {
		return nil, errors.New("no gateway has written to this store")
	}
	return logs, nil
}

func verifiedLog(ctx context.Context, cmd *cobra.Command, store audit.Store, log string) (backup.Log, error) {
	verifier, err := evidence.KeyOfLog(ctx, store, log)
	if err != nil {
		return backup.Log{}, err
	}
	if err := checkSound(ctx, cmd, store, log, verifier); err != nil {
		return backup.Log{}, err
	}
	head, err := store.Head(ctx, log)
	if err != nil {
		return backup.Log{}, fmt.Errorf("reading its head: %w", err)
	}
	return backup.Log{Log: log, Records: head.Size, PublicKey: verifier, Checkpoint: string(head.Checkpoint)}, nil
}

// namesOf returns the logs and their records for people.
func namesOf(logs []backup.Log) string {
	var names []string
	for _, log := range logs {
		names = append(names, fmt.Sprintf("the log %s with %s", log.Log, cli.CountOf(log.Records, "record")))
	}
	return strings.Join(names, ", ")
}

func recordsOf(logs []backup.Log) (n uint64) {
	for _, log := range logs {
		n += log.Records
	}
	return n
}
