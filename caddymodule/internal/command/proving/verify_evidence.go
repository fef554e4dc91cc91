package proving

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// openFolder opens a folder, or a zip file that "audit evidence" wrote.
func openFolder(path string) (fs.FS, io.Closer, error) {
	if kindOf(path) == aZip {
		archive, err := zip.OpenReader(path)
		return archive, archive, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, nil, err
	}
	return root.FS(), root, nil
}

// verifyEvidence verifies the evidence of one invoice, if the path of --export holds that.
func verifyEvidence(cmd *cobra.Command, flags *verifyFlags) (is bool, err error) {
	path := flags.export
	folder, closer, err := openFolder(path)
	if err != nil {
		return kindOf(path) == aZip, cli.Inconclusive(fmt.Errorf("--export %s: %w", path, err))
	}
	defer closer.Close()
	if !evidence.IsBundle(folder) {
		return false, nil
	}
	if flags.checkpoint != "" {
		return true, cli.UsageError(fmt.Errorf("--checkpoint: %s is the evidence of one invoice, which has checkpoints of its own: leave it out", path))
	}
	asked, err := flags.read()
	if err != nil {
		return true, cli.Inconclusive(err)
	}
	checked, err := evidence.Check(folder, asked.key)
	if err != nil {
		return true, cli.Inconclusive(fmt.Errorf("--export %s: %w", path, err))
	}
	found := &evidenceResult{Checked: checked}
	if len(found.Faults) == 0 {
		found.judgeEvidence(asked.authority, path, checked)
		if err := found.judgeProofs(asked.witnesses, found.Proofs); err != nil {
			return true, cli.Inconclusive(fmt.Errorf("--export %s: %w", path, err))
		}
	}
	if err := printEvidence(cmd, flags, found); err != nil {
		return true, cli.Inconclusive(fmt.Errorf("printing what was found: %w", err))
	}
	return true, found.verdict(path, asked.key)
}

// verdict returns an error with its status, nil if all is shown with the key that was given.
func (found *evidenceResult) verdict(path, key string) error {
	if err := found.vouching.verdict("evidence", path, len(found.Faults), key, found.Key); err != nil || len(found.Foreign) == 0 {
		return err
	}
	return cli.Inconclusive(fmt.Errorf("%s: %s proven by the key that was given, and those of the log %s by the key that the evidence itself names: check again with their --key",
		path, cli.CountOf(found.byKey(), "record"), strings.Join(found.Foreign, ", ")))
}

// byKey counts the proofs that hold by the key that was given.
func (found *evidenceResult) byKey() (proofs uint64) {
	for _, one := range found.Proofs {
		if one.Key == found.Key {
			proofs++
		}
	}
	return proofs
}

// evidenceResult is what was checked, and what witnesses have signed of it.
type evidenceResult struct {
	*evidence.Checked
	vouching
}

// evidenceObject is the report for programs.
type evidenceObject struct {
	Sound     bool            `json:"sound"`
	PublicKey string          `json:"public_key"`
	KeyFrom   string          `json:"public_key_from"`
	Witnessed *view.Witnessed `json:"witnesses"`
	Stamps    []stampObject   `json:"timestamps"`
	Proofs    int             `json:"proofs"`
	Files     int             `json:"files"`
	Faults    []string        `json:"faults_listed"`
	Foreign   []string        `json:"logs_without_key"`
	Unlisted  []string        `json:"unlisted"`
}

// printEvidence writes the report. It vouches for the evidence only with a key that was given.
func printEvidence(cmd *cobra.Command, flags *verifyFlags, found *evidenceResult) error {
	out := cmd.OutOrStdout()
	if flags.format == "json" {
		object := evidenceObject{len(found.Faults) == 0, found.Key, keyFrom(flags.key != "", "evidence"), found.witnessed, found.stamps, len(found.Proofs), found.Files, found.Faults, found.Foreign, found.Unlisted}
		return view.PrintLines(out, []evidenceObject{object}, func(o evidenceObject) string { return o.PublicKey })
	}
	for _, fault := range found.Faults {
		fmt.Fprintln(out, printable.OneLine(fault))
	}
	if len(found.Unlisted) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "not looked at, as the manifest does not name it: %s\n", printable.OneLine(strings.Join(found.Unlisted, ", ")))
	}
	if len(found.Faults) > 0 || flags.key == "" || len(found.Foreign) > 0 || !found.complete() {
		return nil
	}
	_, err := fmt.Fprintf(out, "%s: %s proven, signed by %s; the requests and answers are theirs. The page and the other files are as the manifest says, and not signed\n",
		flags.Painter(out).Good("sound"), cli.CountOf(uint64(len(found.Proofs)), "record"), found.Key)
	if err == nil {
		err = found.vouching.print(out, "witnesses, of the oldest checkpoint")
	}
	return err
}
