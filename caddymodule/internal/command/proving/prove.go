package proving

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/internal/durable"
)

type proveFlags struct {
	cli.StoreFlags
	cli.ReportFlags
	output string
}

func (f *proveFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	set.StringVar(&f.output, "output", "", "A file that is not there (default: the standard output)")
	f.BindReport(set)
}

func proveCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &proveFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "prove INDEX",
		Short: "Writes a proof that a record is in the trail and unchanged; INDEX is a number, or the address that the gateway answered with",
		Long: `
Writes a proof that one record is in the trail, unchanged and in its place: the record
with its bodies, the newest signed checkpoint, and the hashes that lead from the one to
the other, as text in C2SP's form tlog-proof. Anyone with the public key of the log can
check it with check-proof, on another machine and without the trail. Token and Sign are
not in it.

A proof is about one record. An exchange that changed something has two: the outcome,
with the answer, and the intent, with the request. With --output the proof of an outcome
comes with a second file for its intent, FILE.intent.tlog-proof beside FILE.tlog-proof.
Nothing is overwritten.`,
		Example: `  fielato wsfev1 audit prove --store sqlite:./data/audit.db 41 --output factura-15.tlog-proof
  fielato wsfev1 audit prove --store sqlite:./data/audit.db gateway-1/41 >factura-15.tlog-proof`,
		Args: cli.Exactly(cli.Index),
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runProve(cmd, flags, args[0]) }
	return cmd
}

func runProve(cmd *cobra.Command, flags *proveFlags, address string) error {
	return cli.WithRecord(cmd, &flags.StoreFlags, address, func(ctx context.Context, s *cli.Session, log string, index uint64) error {
		verifier, err := evidence.KeyOfLog(ctx, s.Store, log)
		if err != nil {
			return err
		}
		proof, record, err := evidence.Proven(ctx, s.Store, log, verifier, index)
		if err != nil {
			return err
		}
		if flags.output == "" {
			if record.Kind == audit.KindOutcome {
				fmt.Fprintf(cmd.ErrOrStderr(), "this is the outcome of the intent %s/%d, which holds the request: prove that too, or both with --output FILE\n", log, record.Intent)
			}
			text := string(proof.Marshal())
			return flags.Report(cmd, writtenProof{audit.Address(log, index), "", text, verifier}, cmd.OutOrStdout(), "%s", text)
		}
		files := []proofFile{{flags.output, proof}}
		if record.Kind == audit.KindOutcome {
			intent, _, err := evidence.Proven(ctx, s.Store, log, verifier, record.Intent)
			if err != nil {
				return err
			}
			files = append(files, proofFile{intentFile(flags.output), intent})
		}
		return writeProofs(cmd, flags, log, files, verifier)
	})
}

// writtenProof is a proof for programs: its text, or the file that holds it.
type writtenProof struct {
	Record    string `json:"record"`
	File      string `json:"file,omitzero"`
	Proof     string `json:"proof,omitzero"`
	PublicKey string `json:"public_key"`
}

type proofFile struct {
	path  string
	proof *audit.Proof
}

// intentFile returns the name of the intent's proof, beside the outcome's.
func intentFile(path string) string {
	extension := filepath.Ext(path)
	return strings.TrimSuffix(path, extension) + ".intent" + extension
}

// writeProofs writes all files or none. Only their owner may read them: they hold the content
// of an exchange.
func writeProofs(cmd *cobra.Command, flags *proveFlags, log string, proofs []proofFile, verifier string) error {
	var made []*durable.NewFile
	for _, proof := range proofs {
		file, err := writeProof(proof)
		if file != nil {
			made = append(made, file)
		}
		if err != nil {
			for _, file := range made {
				err = errors.Join(err, file.Abandon())
			}
			return err
		}
	}
	for _, proof := range proofs {
		object := writtenProof{audit.Address(log, proof.proof.Index), proof.path, "", verifier}
		err := flags.Report(cmd, object, cmd.ErrOrStderr(), "%s proves record %d; check it with: fielato wsfev1 audit check-proof %s --key %s\n",
			proof.path, proof.proof.Index, proof.path, verifier)
		if err != nil {
			return err
		}
	}
	return nil
}

// writeProof returns the file also with an error, if it was created.
func writeProof(proof proofFile) (*durable.NewFile, error) {
	file, err := durable.CreateNew(proof.path)
	if err != nil {
		return nil, fmt.Errorf("making the proof: %w", err)
	}
	_, err = file.Write(proof.proof.Marshal())
	if err = errors.Join(err, file.Finish()); err != nil {
		return file, fmt.Errorf("writing %s: %w", proof.path, err)
	}
	return file, nil
}
