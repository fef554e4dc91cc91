package keeping

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

const continueHelp = `
Lets a gateway go on whose log has lost its end: an older copy of the store was put in place,
and there is no newer one. The gateway does not start then, as its key has signed more than the
store holds. The newest signed checkpoint stands beside the key for that (NAME.LOG.tip).

The log stays as it is, and ends. A new one begins in the same store, whose name has the time
in addition; it is signed with the same key. Its first record says how many records the log
had, how many are left, who ran the command, and why. No address is ever given twice, and all
that was proven stays proven. The configuration stays as it is too, the node name in it as well.
The gateway looks into both logs for what it has issued.

What was issued after the backup is not in the store. If a client repeats such a request, the
service rejects its number. Unless recover is off, the gateway asks the service then, and answers
with the CAE, if the invoice is the same one. Before the first new invoice of a series, the gateway
asks for what is missing in it (FECompUltimoAutorizado, FECompConsultar), and has the newest 100 of
the answers in its trail. The log says where that is not all.

Stop the gateway first. Where checkpoint_to names a file, move that away and keep it: it shows
what the lost records were. A checkpoint that was kept elsewhere shows the loss too, with
--checkpoint, if there is none beside the key.

Exit status:
  0  the gateway can start, and goes on in the new log
  1  the log does not hold: something in it was changed
  2  nothing was done: nothing is missing, or the message says what to do`

type continueFlags struct {
	cli.StoreFlags
	cli.ReportFlags
	reason, checkpoint string
}

func continueCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &continueFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "continue-after-restore --reason TEXT [flags]",
		Short: "Lets a gateway go on in a new log after its log has lost its end",
		Long:  continueHelp,
		Example: `  fielato wsfev1 audit continue-after-restore --store sqlite:./data/audit.db --reason disk-failed
  fielato wsfev1 audit continue-after-restore --store postgres://node-1@db.example/invoices --log node-1 --key-file ./node-1.key --reason failover`,
		Args: cli.None,
	}
	flags.Bind(cmd.Flags())
	cmd.Flags().StringVar(&flags.reason, "reason", "", "Why records are missing, for the record: up to 200 characters")
	cmd.Flags().StringVar(&flags.checkpoint, "checkpoint", "", "A file with a signed checkpoint of the log that was kept elsewhere")
	flags.BindReport(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runContinue(cmd, flags) }
	return cmd
}

// continued is the report for programs.
type continued struct {
	Log     string `json:"log"`     // the new one
	Lost    string `json:"lost"`    // the one that has lost its end
	Had     uint64 `json:"had"`     // records of the lost log, once
	Has     uint64 `json:"has"`     // and now
	Record  string `json:"record"`  // says so
	Witness string `json:"witness"` // the file that shows the loss
}

func runContinue(cmd *cobra.Command, flags *continueFlags) error {
	if err := audit.CheckOverride(flags.reason); err != nil {
		return cli.UsageError(fmt.Errorf("--reason: %w", err))
	}
	at, err := flags.Named()
	if err != nil {
		return cli.UsageError(err)
	}
	key, err := flags.ContentKey()
	if err != nil {
		return cli.UsageError(err)
	}
	ctx, stop := cli.UntilInterrupted(cmd.Context())
	defer stop()
	// A store that is not there must not be made.
	s, err := cli.OpenSession(ctx, cmd, flags.TrailFlags, at, key)
	if err != nil {
		return err
	}
	log, err := flags.currentLog(ctx, s)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if err := ownFolder(at); err != nil {
		return err
	}
	store, err := at.Kind.Write(ctx, at.Place, key)
	if err != nil {
		return fmt.Errorf("the gateway must be stopped: %w", err)
	}
	done, err := flags.goOn(ctx, cmd, store, at, log)
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	if err := flags.Report(cmd, done, cmd.OutOrStdout(), "the log %s has %s and had %d: those from %d on are missing\nthe gateway goes on in the log %s, and the record %s says so\n",
		done.Lost, cli.CountOf(done.Has, "record"), done.Had, done.Has, done.Log, done.Record); err != nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "keep the file "+done.Witness+", and move the file of checkpoint_to away, if there is one; start the gateway without recover off")
	fmt.Fprintln(cmd.ErrOrStderr(), "if witnesses sign the log, their operators need the origin and the public key of the new one, which fielato doctor prints")
	return nil
}

// currentLog returns the log that the gateway of --log writes, or the only gateway of the store.
func (f *continueFlags) currentLog(ctx context.Context, s *cli.Session) (string, error) {
	log := f.Log
	if log == "" {
		own, err := secretOf(ctx, s.Store, trail.LogNameKey)
		if err != nil {
			return "", err
		}
		log = string(own)
	}
	logs, err := s.AllLogs(ctx)
	if err != nil {
		return "", err
	}
	if log == "" && len(logs) > 0 {
		log = sentinel.First(logs[0])
		for _, other := range logs {
			if sentinel.First(other) != log {
				return "", cli.UsageError(fmt.Errorf("the store has the logs of several gateways: name one of them with --log: %s", strings.Join(logs, ", ")))
			}
		}
	}
	if !slices.Contains(logs, log) {
		return "", cli.UsageError(fmt.Errorf("the store has no log %q, it has %s", log, strings.Join(logs, ", ")))
	}
	current, _, err := sentinel.Current(ctx, s.Store, log)
	return current, err
}

// goOn makes the new log while it holds the right to write the lost one.
func (f *continueFlags) goOn(ctx context.Context, cmd *cobra.Command, store audit.Store, at cli.StoreAddress, log string) (done continued, err error) {
	held, err := trail.Claim(ctx, store, log)
	if err != nil {
		return done, fmt.Errorf("the gateway must be stopped: %w", err)
	}
	if held != nil {
		defer func() { err = errors.Join(err, held.Release(context.WithoutCancel(ctx))) }()
	}
	verifier, err := evidence.KeyOfLog(ctx, store, log)
	if err != nil {
		return done, err
	}
	source, err := f.Key(at, log)
	if err != nil {
		return done, err
	}
	key, _, err := source.Open(ctx, store, log)
	if err != nil {
		return done, err
	}
	lost, err := f.lost(ctx, store, at, log, verifier)
	if err != nil {
		return done, err
	}
	if err := checkSound(ctx, cmd, store, log, verifier); err != nil {
		return done, fmt.Errorf("the log %s: %w", log, err)
	}
	used := keyfile.UsedOf(f.KeyFile(at, log))
	c := sentinel.Continuation{
		Lost: lost, Key: key, Who: cli.UserAtHost(), Reason: f.reason, Now: time.Now(),
		Taken: func(next string) bool { return used.For(verifier, next) != "" },
	}
	next, err := sentinel.Continue(ctx, store, c, func(next string) error {
		if _, err := keepSecret(ctx, store, signingkey.VerifierKeyOf(next), []byte(verifier)); err != nil {
			return err
		}
		if err := copyBuiltInMark(ctx, store, log, store, next); err != nil {
			return err
		}
		return used.Keep(verifier, next)
	})
	return continued{next, log, lost.Had, lost.Has, audit.Address(next, 0), lost.Where}, err
}

// lost returns which records are missing in the log.
func (f *continueFlags) lost(ctx context.Context, store audit.Store, at cli.StoreAddress, log, verifier string) (*sentinel.LostError, error) {
	// A key that is elsewhere has its tip beside the place where it would be.
	err := sentinel.TipOf(f.KeyFile(at, log), log).Check(ctx, store, log, verifier)
	if err == nil {
		err = sentinel.TipOf(at.KeyFile(log), log).Check(ctx, store, log, verifier)
	}
	if err == nil && f.checkpoint != "" {
		note, read := checkpoint.ReadKept(f.checkpoint)
		if read != nil {
			return nil, read
		}
		had, opened := audit.OpenKeptCheckpoint(note, verifier, log)
		if opened != nil {
			return nil, opened
		}
		err = sentinel.Compare(ctx, store, log, verifier, had, f.checkpoint)
	}
	var lost *sentinel.LostError
	switch {
	case errors.As(err, &lost):
		return lost, nil
	case err != nil:
		return nil, err
	}
	return nil, fmt.Errorf("nothing shows that the log %s has lost records, and the gateway can start: "+
		"give --checkpoint if a checkpoint that was kept elsewhere shows it", log)
}
