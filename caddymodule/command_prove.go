package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
)

func proveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prove INDEX",
		Short: "Writes a proof that a record is in the trail and unchanged; INDEX is a number, or the address that the gateway answered with",
		Long: `
Writes a proof that one record is in the trail, unchanged and in its place: the record
with its bodies, the newest signed checkpoint, and the hashes that lead from the one to
the other, as text in C2SP's form tlog-proof. Whoever has the public key of the log can
check it with check-proof, on another machine and without the trail. Token and Sign are
not in it.

A proof is about one record. An exchange that changed something has two: the outcome,
with the answer, and the intent, with the request. With --output the proof of an outcome
comes with a second file for its intent, FILE.intent.tlog-proof beside FILE.tlog-proof.
Nothing is overwritten.`,
		Example: `  fielato wsfev1 audit prove --store sqlite:./data/audit.db 41 --output factura-15.tlog-proof
  fielato wsfev1 audit prove --store sqlite:./data/audit.db gateway-1/41 >factura-15.tlog-proof`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().String("store", "", storeFlagUsage)
	cmd.Flags().String("output", "", "A file that is not there (default: the standard output)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runProve(cmd, args[0]) }
	return cmd
}

func runProve(cmd *cobra.Command, address string) error {
	log, index, err := addressOf(address)
	if err != nil {
		return err
	}
	output, _ := cmd.Flags().GetString("output")
	return withStore(cmd, func(ctx context.Context, store audit.Store) error {
		if log == "" {
			if log, err = logOf(ctx, cmd, store); err != nil {
				return err
			}
		}
		verifier, err := keyOfLog(ctx, store, log)
		if err != nil {
			return err
		}
		proof, record, err := proven(ctx, store, log, verifier, index)
		if err != nil {
			return err
		}
		if output == "" {
			if record.Kind == audit.KindOutcome {
				fmt.Fprintf(cmd.ErrOrStderr(), "this is the outcome of the intent %s/%d, which holds the request: prove that too, or both with --output FILE\n", log, record.Intent)
			}
			_, err := cmd.OutOrStdout().Write(proof.Marshal())
			return err
		}
		files := []proofFile{{output, proof}}
		if record.Kind == audit.KindOutcome {
			intent, _, err := proven(ctx, store, log, verifier, record.Intent)
			if err != nil {
				return err
			}
			files = append(files, proofFile{intentFile(output), intent})
		}
		return writeProofs(cmd, files, verifier)
	})
}

type proofFile struct {
	path  string
	proof *audit.Proof
}

// intentFile returns the name beside that of an outcome's proof.
func intentFile(path string) string {
	extension := filepath.Ext(path)
	return strings.TrimSuffix(path, extension) + ".intent" + extension
}

// writeProofs makes files that only their owner can read, all of them or none: they hold
// what an exchange said.
func writeProofs(cmd *cobra.Command, files []proofFile, verifier string) error {
	for i, file := range files {
		if err := writeNew(file.path, file.proof.Marshal()); err != nil {
			for _, made := range files[:i] {
				err = errors.Join(err, os.Remove(made.path))
			}
			return err
		}
	}
	for _, file := range files {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s proves record %d; check it with: fielato wsfev1 audit check-proof %s --key %s\n",
			file.path, file.proof.Index, file.path, verifier)
	}
	return nil
}

func writeNew(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, err), os.Remove(path))
	}
	return nil
}
