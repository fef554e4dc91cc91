package proving

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/internal/timestamp"
)

type checkProofFlags struct {
	cli.FormatFlags
	proofFlags
}

func (f *checkProofFlags) bind(set *pflag.FlagSet) {
	f.proofFlags.bind(set, "The log's public key, NAME+HASH+KEY, or a file that holds it", "the record; its files are beside the proof, as evidence has them")
	f.FormatFlags.Bind(set, "table, or json: one object")
	f.BindRaw(set)
}

func checkProofCommand() *cobra.Command {
	flags := &checkProofFlags{}
	cmd := &cobra.Command{
		Use:   "check-proof FILE --key KEY",
		Short: "Checks a proof that a record is in a trail and unchanged, without the trail, and prints the record",
		Long: `
Checks a proof that "audit prove" or "audit evidence" wrote: that the checkpoint in it is
signed by the log's key, that the record is in the log at its index, and that its bodies
are those that were recorded. It takes no trail, no gateway and no network, only the
public key. Get that from the gateway's operator, by another way than the proof: the
gateway logs it as public_key at each start, and /wsfev1/audit of the admin API shows it.

Where witnesses have cosigned the log, their lines stand under the checkpoint. --witness, or
--policy, says whose signatures are needed: they show that the log was not rewritten since,
not even by whoever holds its key. Get the keys from the witnesses themselves.

With --timestamp-roots, the time-stamp beside the proof has to hold as well: timestamp.txt,
timestamp.tsr and timestamp.consistency, as "audit evidence" writes them.

Exit status:
  0  the proof holds, and the witnesses that were asked for have signed
  1  it does not: the record, its place or the checkpoint was changed, or the checkpoint is
     not signed by this key; or those witnesses have not signed, or there is no such
     time-stamp
  2  unknown: no such file, no proof, one of a newer form, no key`,
		Example: `  fielato wsfev1 audit check-proof factura-15.tlog-proof --key fielato/gateway-1+3b9f1b2c+ASn2…
  fielato wsfev1 audit check-proof factura-15.tlog-proof --key gateway-1.pub --witness estudio.pub --witness sucursal.pub --quorum 1
  fielato wsfev1 audit check-proof factura-15.tlog-proof --key gateway-1.pub --format json`,
		Args: cli.Exactly(cli.Argument{Name: "FILE", What: "a proof that prove or evidence wrote"}),
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := runCheckProof(cmd, flags, args[0])
		if errors.Is(err, audit.ErrUnproven) || errors.Is(err, cli.ErrUnwitnessed) || errors.Is(err, errUnstamped) || evidence.IsStampFault(err) {
			return cli.Found(err)
		}
		return cli.UsageError(err)
	}
	return cmd
}

// runCheckProof returns an error that wraps audit.ErrUnproven if the proof does not hold, or cli.ErrUnwitnessed if it
// holds without the witnesses that were asked for, errUnstamped without the time-stamp, and another error if the proof cannot be checked.
func runCheckProof(cmd *cobra.Command, flags *checkProofFlags, path string) error {
	if flags.key == "" {
		return errors.New("--key is missing: give the log's public key, or a file that holds it")
	}
	asked, err := flags.read()
	if err != nil {
		return err
	}
	verifier := asked.key
	printer := flags.Printer(cmd.OutOrStdout(), 0)
	if err := notAProof(path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	data, err := checkpoint.ReadAtMost(path, audit.MaxProof)
	if err != nil {
		return err
	}
	proof, err := audit.ParseProof(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	record, err := proof.Check(verifier)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	tree, err := proof.Tree(verifier)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	witnessed, err := asked.witnesses.Judge(proof.Checkpoint, tree.Size, verifier)
	if err == nil {
		err = asked.witnesses.Check(witnessed)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if asked.authority != nil {
		if err := checkStampBeside(cmd, asked.authority, path, record, tree, verifier); err != nil {
			return err
		}
	}
	return view.PrintProven(cmd.OutOrStdout(), printer, record, tree, verifier, witnessed)
}

// checkStampBeside checks the time-stamp in the folder of a proof, and says what it found on the standard error.
func checkStampBeside(cmd *cobra.Command, by *timestamp.Authority, path string, record *audit.Record, tree audit.Checkpoint, verifier string) error {
	folder := filepath.Dir(path)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	stamp, err := evidence.CheckStamp(root.FS(), ".", record, tree, verifier)
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	if stamp == nil {
		return fmt.Errorf("%s: %w: it has no time-stamp beside it", path, errUnstamped)
	}
	found := new(stamping)
	stamp.Folder = folder
	if found.judge(by, *stamp); found.unstamped != nil {
		return found.unstamped
	}
	return found.print(cmd.ErrOrStderr())
}
