package keeping

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once/canonical"
)

type copyFlags struct {
	*cli.TrailFlags
	cli.ReportFlags
	from, to string
	all      bool
}

func (f *copyFlags) bind(set *pflag.FlagSet) {
	set.StringVar(&f.from, "from", "", "The store to copy from: "+cli.AddressForms)
	set.StringVar(&f.to, "to", "", "The store to copy to: the same forms")
	set.BoolVar(&f.all, "all", false, "All logs of the store, one after the other")
	f.BindReport(set)
}

func copyCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &copyFlags{TrailFlags: common}
	cmd := &cobra.Command{
		Use:   "copy --from STORE --to STORE [--log NAME | --all]",
		Short: "Copies a log into another store, so that its proofs hold and its gateway can go on there",
		Long:  copyHelp,
		Example: `  fielato wsfev1 audit copy --from sqlite:./data/audit.db --to postgres://node-1@db.example/invoices
  fielato wsfev1 audit copy --from postgres://node-1@db.example/invoices --to sqlite:./audit.db --log node-1
  fielato wsfev1 audit copy --from postgres://owner@old.example/invoices --to postgres://owner@new.example/invoices --all`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runCopy(cmd, flags) }
	return cmd
}

func runCopy(cmd *cobra.Command, flags *copyFlags) error {
	from, to, err := flags.addresses()
	if err != nil {
		return cli.UsageError(err)
	}
	key, err := flags.ContentKey()
	if err != nil {
		return cli.UsageError(err)
	}
	ctx, stop := cli.UntilInterrupted(cmd.Context())
	defer stop()
	c, err := openCopier(ctx, cmd, flags, from, to, key)
	if err != nil {
		return err
	}
	err = errors.Join(c.run(ctx), c.close())
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted: run the same command again to continue: %w", err)
	}
	return err
}

// addresses parses --from and --to.
func (f *copyFlags) addresses() (from, to cli.StoreAddress, err error) {
	switch {
	case f.from == "":
		return from, to, errors.New("--from is missing: give " + cli.AddressForms)
	case f.to == "":
		return from, to, errors.New("--to is missing: give " + cli.AddressForms)
	}
	if from, err = cli.AddressOfStore("from", f.from, ""); err != nil {
		return from, to, err
	}
	if to, err = cli.AddressOfStore("to", f.to, ""); err != nil {
		return from, to, err
	}
	switch {
	case from == to:
		return from, to, errors.New("--from and --to are the same store")
	case f.all && f.Log != "":
		return from, to, errors.New("--all and --log: give one of them")
	}
	return from, to, nil
}

// copier copies logs between two open stores.
type copier struct {
	cmd   *cobra.Command
	flags *copyFlags
	// source is opened for reading, with the key. sourceLock is the same store opened for
	// writing: while it is held, no gateway writes there.
	source             *cli.Session
	sourceLock, target audit.Store
	to                 cli.StoreAddress
	key                *audit.ContentKey
}

func openCopier(ctx context.Context, cmd *cobra.Command, flags *copyFlags, from, to cli.StoreAddress, key *audit.ContentKey) (_ *copier, err error) {
	c := &copier{cmd: cmd, flags: flags, to: to, key: key}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if c.source, err = cli.OpenSession(ctx, cmd, flags.TrailFlags, from, key); err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	if err := c.source.NoteRead(ctx); err != nil {
		return nil, err
	}
	// Without the key: the source stays as it is.
	if c.sourceLock, err = from.Kind.Write(ctx, from.Place, nil); err != nil {
		return nil, fmt.Errorf("the gateway must be stopped while its log is copied: %w", err)
	}
	if err := ownFolder(to); err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	if c.target, err = to.Kind.Write(ctx, to.Place, key); err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	return c, nil
}

func (c *copier) close() (err error) {
	for _, store := range []audit.Store{c.target, c.sourceLock} {
		if store != nil {
			err = errors.Join(err, store.Close())
		}
	}
	if c.source != nil {
		err = errors.Join(err, c.source.Close())
	}
	return err
}

// run copies the log of --log, or all logs with --all.
func (c *copier) run(ctx context.Context) error {
	logs, err := c.source.Logs(ctx)
	if err != nil {
		return err
	}
	if !c.flags.all && len(logs) > 1 {
		return fmt.Errorf("the store has several logs: name one of them with --log, or copy --all: %s", strings.Join(logs, ", "))
	}
	if err := c.checkEncryption(ctx); err != nil {
		return err
	}
	if err := c.copyFingerprintKey(ctx); err != nil {
		return err
	}
	if err := canonical.CopyForms(ctx, c.source.Store, c.target); err != nil {
		return err // it says which store
	}
	// Before any record, so that a purge of the target cannot come between.
	if _, err := c.copyHolds(ctx); err != nil {
		return err
	}
	for _, log := range logs {
		if err := c.copyLog(ctx, log, len(logs) == 1); err != nil {
			return err
		}
	}
	held, err := c.copyHolds(ctx) // one may have begun meanwhile
	if err != nil {
		return err
	}
	if held > 0 {
		fmt.Fprintf(c.cmd.ErrOrStderr(), "%s taken along\n", cli.CountOf(uint64(held), "legal hold"))
	}
	return c.copySettings(ctx, logs)
}

// checkSound verifies a log whole. An error that it is broken is a verdict.
func checkSound(ctx context.Context, cmd *cobra.Command, store audit.Store, log, verifier string) error {
	shown := cli.NewProgress(cmd, "verified")
	report, err := verify.Log(ctx, store, log, verifier, verify.Options{Progress: shown.Update})
	shown.Clear()
	switch {
	case err != nil:
		return fmt.Errorf("its copy could not be verified: %w", err)
	case !report.Sound():
		return cli.Found(fmt.Errorf("its copy is broken: %s", report.Flaws.Items[0]))
	}
	return nil
}

// copiedLog is the report of one copied log for programs.
type copiedLog struct {
	Log       string `json:"log"`
	Store     string `json:"store"`
	Records   uint64 `json:"records"`
	Root      string `json:"root"`
	PublicKey string `json:"public_key"`
	Verified  bool   `json:"verified"`
}

// copyLog copies one log while it holds the right to write it in both stores.
func (c *copier) copyLog(ctx context.Context, log string, alone bool) (err error) {
	for _, store := range []audit.Store{c.sourceLock, c.target} {
		held, err := trail.Claim(ctx, store, log)
		if err != nil {
			return fmt.Errorf("the gateway must be stopped while its log is copied: %w", err)
		}
		if held != nil {
			defer func() { err = errors.Join(err, held.Release(context.WithoutCancel(ctx))) }()
		}
	}
	verifier, err := evidence.KeyOfLog(ctx, c.source.Store, log)
	if err != nil {
		return err
	}
	if err := copyBuiltInMark(ctx, c.source.Store, log, c.target, log); err != nil {
		return err
	}
	if err := c.copyRetention(ctx, log); err != nil {
		return err
	}
	// Before the records: half a copy is verified with the key too.
	if err := c.copyNames(ctx, log, verifier, alone); err != nil {
		return err
	}
	shown := cli.NewProgress(c.cmd, "copied")
	copied, err := (&audit.Copy{From: c.source.Store, To: c.target, Log: log, Verifier: verifier, Progress: shown.Update}).Run(ctx)
	shown.Clear()
	if err != nil {
		return fmt.Errorf("copying the log %s: %w", log, err)
	}
	if err := (timestamped.Shelf{Store: c.source.Store, Log: log, Verifier: verifier}).Copy(ctx, c.target); err != nil {
		fmt.Fprintf(c.cmd.ErrOrStderr(), "not all time-stamps of the log %s were copied: %v\n", log, err)
	}
	if err := c.copyCosigned(ctx, log, verifier); err != nil {
		return err
	}
	if err := checkSound(ctx, c.cmd, c.target, log, verifier); err != nil {
		return fmt.Errorf("the log %s was copied: %w", log, err)
	}
	object := copiedLog{log, c.to.String(), copied.Size, copied.Root.String(), verifier, true}
	if err := c.flags.Report(c.cmd, object, c.cmd.OutOrStdout(), "the log %s is in %s: %s, root %s, with the same signed checkpoint, verified\n",
		log, c.to, cli.CountOf(copied.Size, "record"), copied.Root); err != nil {
		return err
	}
	fmt.Fprintf(c.cmd.ErrOrStderr(), "its gateway goes on there with the private key of %s; do not start it on the old store again\n", verifier)
	return nil
}
