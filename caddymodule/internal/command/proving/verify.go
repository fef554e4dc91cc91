package proving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
)

const verifyHelp = `
Reads the whole trail and checks it against what was signed: every record is decoded and
hashed into the log's tree (RFC 6962), whose root must be that of the signed checkpoint.
The store's hashes and search index are compared with the records. It names the first
record that was changed, removed, moved, inserted or cut off at the end, and continues
after it.

The public key is the one that the store names, unless --key gives another source for
it. Anyone who can change the store can change that key as well: keep a copy elsewhere.
In the same way --checkpoint takes a signed checkpoint that was kept elsewhere ("audit
checkpoint" prints the newest): the log must be an extension of it. Only this finds an
older copy of the whole store that was put back, or a history that was signed anew.

Intents without an outcome are counted and listed, and outcomes that are linked in an odd
way are mentioned: neither is a flaw of the trail. Content that was purged, or that is
encrypted and has no key here, cannot be compared with its hash in the record; the record
itself is proven all the same.

Each purge is recorded in the log before it begins. Missing content is a flaw if no such
record names it, if more is missing than the record names, or if its issuer was held.
Content purged by a build that did not record its purges is counted as unrecorded, and is
no flaw until it is acknowledged (audit purge --acknowledge). Logs that begin with a build
that records purges have none of it.

If several gateways share the store, all their logs are verified in turn, each with its own
key and checkpoint, and the status is the worst of them: 1 before 2. --log verifies one;
--checkpoint needs it, and so does --key if the key's name does not show its log.

Where witnesses cosign the checkpoints, the log is compared with the newest one that they
have signed, which the store keeps. --witness, or --policy, says whose signatures are
needed under it, or under the one of --checkpoint. They show that not even the holder of
the log's key has rewritten what they have signed.

With --export it verifies an export that "audit export" wrote, on any machine: records,
invoices and checkpoint must fit each other and the key. Without --key the status is 2. It
takes what "audit evidence" wrote as well: each proof must hold, and the requests and answers
must be those of the proofs.

An export or evidence with a time-stamp shows when it was stamped, and by whom according to
the stamp. --timestamp-roots verifies the authority as well, and fails without a stamp.

It only reads, and may run while a gateway does.

Exit status:
  0  the trail is sound
  1  the trail is broken; the output says where. A key that is not the one the trail is
     signed with ends here, too, and so does a kept checkpoint that was changed after it
     was signed, or is signed by another key. So do signatures of witnesses that were asked
     for and are not there, and a time-stamp
  2  unknown: the store cannot be opened or read, no public key is known, the checkpoint
     is that of another log or none at all, the log is a copy that is not finished, wrong
     flags`

type verifyFlags struct {
	cli.StoreFlags
	cli.ColorFlags
	proofFlags
	export, format string
}

func (f *verifyFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	set.StringVar(&f.checkpoint, "checkpoint", "", "A file with a signed checkpoint that was kept: the log must be an extension of it")
	f.proofFlags.bind(set, cli.KeyFlagUsage, "the export, or each record of the evidence")
	set.StringVar(&f.export, "export", "", "Verify the export, or the evidence, in this folder (or FILE.zip) instead of a store: it needs nothing but that and --key")
	cli.FormatVar(set, &f.format, "table, or json: one object, and one on each line where there are several logs")
	f.BindColor(set)
}

func verifyCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &verifyFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "verify [flags]",
		Short: "Proves that no record of the trail was changed, removed, moved or inserted",
		Long:  verifyHelp,
		Example: `  fielato wsfev1 audit verify --store sqlite:./data/audit.db
  fielato wsfev1 audit verify --store sqlite:./data/audit.db --key gateway-1.pub --checkpoint kept.txt
  fielato wsfev1 audit verify --format json
  fielato wsfev1 audit verify --store postgres://reader@db.example/invoices --log node-1 --checkpoint kept.txt
  fielato wsfev1 audit verify --export ./export --key gateway-1.pub
  fielato wsfev1 audit verify --export ./export --key gateway-1.pub --policy testigos.policy
  fielato wsfev1 audit verify --export ./export --key gateway-1.pub --timestamp-roots tsa-root.pem`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if flags.export != "" {
			if is, err := verifyEvidence(cmd, flags); is {
				return err
			}
			return runVerifyExport(cmd, flags)
		}
		if flags.roots != "" {
			return cli.UsageError(errors.New("--timestamp-roots is for --export: the time-stamps in a store are verified before they are kept"))
		}
		return runVerify(cmd, flags)
	}
	return cmd
}

var (
	// errBroken ends the process with status 1.
	errBroken = errors.New("the trail is broken")
	// errUnfinished is no verdict on the trail.
	errUnfinished = errors.New("the copy is not finished: run the audit copy that began it again, and verify then")
)

func runVerify(cmd *cobra.Command, flags *verifyFlags) error {
	print := reportPrinterOf(flags.format, flags.Painter(cmd.OutOrStdout()))
	broken := false
	err := cli.WithStore(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) (err error) {
		broken, err = verifyLogs(ctx, s, flags, print)
		return err
	})
	if broken {
		// It outweighs err: what could not be checked may be sound.
		cmd.SilenceErrors = err == nil // the report is printed
		return cli.Found(errors.Join(errBroken, err))
	}
	return cli.Inconclusive(err)
}

// verifyLogs verifies the logs in turn and prints a report of each. It continues after a log
// that cannot be verified.
func verifyLogs(ctx context.Context, s *cli.Session, flags *verifyFlags, print reportPrinter) (broken bool, err error) {
	var kept []byte
	if flags.checkpoint != "" {
		if kept, err = checkpoint.ReadKept(flags.checkpoint); err != nil {
			return false, err
		}
	}
	logs, err := logsToVerify(ctx, s, flags)
	if err != nil {
		return false, err
	}
	witnesses, err := flags.WitnessFlags.Read()
	if err != nil {
		return false, cli.UsageError(err)
	}
	of := logOfCheckpoint(kept, logs)
	out := s.Cmd.OutOrStdout()
	for i, log := range logs {
		known := kept
		if i != of {
			known = nil
		}
		found, failed := verifyLog(ctx, s, log, flags.key, known)
		if failed == nil {
			failed = found.witness(witnesses, known)
		}
		if failed == nil {
			if failed = print(out, &found, i, len(logs)); failed != nil {
				failed = fmt.Errorf("printing what was found: %w", failed)
			}
			broken = broken || !found.good() && !found.Unfinished()
		}
		if failed == nil && found.Unfinished() {
			failed = errUnfinished
		}
		if failed != nil && len(logs) > 1 {
			failed = fmt.Errorf("log %s: %w", log, failed)
		}
		err = errors.Join(err, failed)
	}
	return broken, err
}

// logsToVerify returns the logs of the store, or only the log that --log names. A key belongs to one log, which the name in
// it may identify, and to those in which its gateway has gone on after a restoration. A checkpoint belongs to one log.
func logsToVerify(ctx context.Context, s *cli.Session, flags *verifyFlags) ([]string, error) {
	logs, err := s.Logs(ctx)
	if err != nil || len(logs) == 1 {
		return logs, err
	}
	if flags.key != "" {
		verifier, err := cli.ParseVerifier(flags.key)
		if err != nil {
			return nil, err
		}
		own := slices.DeleteFunc(slices.Clone(logs), func(log string) bool { return !audit.IsOrigin(audit.KeyName(verifier), sentinel.First(log)) })
		if len(own) > 0 {
			return own, nil
		}
	} else if flags.checkpoint == "" {
		return logs, nil
	}
	return nil, fmt.Errorf("--key and --checkpoint are of one log, and the store has several: name it with --log: %s", strings.Join(logs, ", "))
}

// logOfCheckpoint returns which of the logs a checkpoint is of. One of none of them is for the first to refuse.
func logOfCheckpoint(kept []byte, logs []string) int {
	origin, _, _ := strings.Cut(string(kept), "\n")
	return max(0, slices.IndexFunc(logs, func(log string) bool { return audit.IsOrigin(origin, log) }))
}

// verifyResult is a report and where its key came from.
type verifyResult struct {
	verify.Report
	// keyGiven: the public key comes from --key, not from the store.
	keyGiven bool
	witnessing
}

// good reports whether the log is sound and the witnesses that were asked for have signed.
func (r *verifyResult) good() bool { return r.Sound() && r.unwitnessed == nil }

// witness judges the cosigned checkpoint in the store, and the kept one, which may have the lines of witnesses too.
func (r *verifyResult) witness(by *cli.Witnesses, kept []byte) error {
	if !r.Sound() {
		return nil // no checkpoint helps
	}
	return r.judge(by, r.Verifier, cosignedNote{r.Cosigned, r.CosignedNote}, cosignedNote{r.Kept, kept})
}

// verifyLog verifies one log with the key of the flag, or the one that the store names.
func verifyLog(ctx context.Context, s *cli.Session, log, keyFlag string, kept []byte) (found verifyResult, err error) {
	key, err := cli.VerifierOf(ctx, keyFlag, s.Store, log)
	if err != nil {
		return found, err
	}
	if !key.FromFlag && !isVerifier(key.Text) {
		// A gateway wrote a key there, so the store was changed. Nothing can be proven now.
		found.Report = verify.Report{Log: log, Verifier: key.Text}
		found.Flaws = verify.Listing[audit.Flaw]{Count: 1, Items: []audit.Flaw{{
			Kind: audit.FlawCheckpoint, Detail: "secrets: what the store names as its public key is none",
		}}}
		return found, nil
	}
	shown := cli.NewProgress(s.Cmd, "verified")
	found.keyGiven = key.FromFlag
	found.Report, err = verify.Log(ctx, s.Store, log, key.Text, verify.Options{Kept: kept, Progress: shown.Update})
	shown.Clear()
	if err == nil && key.Stored != key.Text {
		found.Flaws.Count++
		found.Flaws.Items = append(found.Flaws.Items, audit.Flaw{
			Kind: audit.FlawCheckpoint, Detail: fmt.Sprintf("secrets: the store names another public key, %q", key.Stored),
		})
	}
	return found, err
}

func isVerifier(text string) bool {
	_, err := note.NewVerifier(text)
	return err == nil
}
