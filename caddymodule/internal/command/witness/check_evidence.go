package witnesscmd

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/witness"
)

const checkHelp = `
Judges evidence that a witness has kept against a log: two checkpoints that the log's own
key has signed, and the proof that came with the second. It takes no witness, no trail and
no network, only the log's public key. Get that by another way than the evidence.

  forked      the key has signed two roots for one size. This shows that there are two histories
  rewritten   by the proof, the larger checkpoint has other records in the place of the smaller
              one's. This shows the same
  unproven    the proof does not lead from one checkpoint to the other. That alone proves
              nothing: anybody can send a wrong proof. Ask the log's operator for the right
              one ("audit consistency" makes it). Whoever cannot give it has rewritten the log
  consistent  the larger checkpoint continues the smaller one: nothing speaks against the log

The moment at which the witness refused is signed by nobody. With --witness, the moment of
its cosignature on the first checkpoint is verified.

Exit status:
  0  it proves that the log was rewritten
  1  it does not: it shows less, or a checkpoint is not signed by this key
  2  unknown: no such file, no evidence, no key`

type checkFlags struct {
	cli.ReportFlags
	logs    []string
	witness string
}

func checkEvidenceCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check-evidence FILE --log KEY",
		Short: "Judges what a witness has kept against a log, without the witness",
		Long:  checkHelp,
		Example: `  fielato wsfev1 witness check-evidence evidence.txt --log fielato/gateway-1+3b9f1b2c+ASn2…
  fielato wsfev1 witness check-evidence evidence.txt --log gateway-1.pub --format json`,
		Args: cli.Exactly(cli.Argument{Name: "FILE", What: "a file from the folder of evidence beside a witness's store"}),
		RunE: func(cmd *cobra.Command, args []string) error { return runCheckEvidence(cmd, f, args[0]) },
	}
	bindLogs(cmd.Flags(), &f.logs)
	cmd.Flags().StringVar(&f.witness, "witness", "", "The public key of the witness, to verify when it signed the first checkpoint")
	f.BindReport(cmd.Flags())
	return cmd
}

// headObject is a checkpoint for programs.
type headObject struct {
	Size uint64 `json:"size"`
	Root string `json:"root"`
}

// evidenceObject is the report for programs.
type evidenceObject struct {
	Verdict   witness.Verdict `json:"verdict"`
	Rewritten bool            `json:"proves_rewriting"`
	Log       string          `json:"log"`
	Signed    headObject      `json:"signed"`
	Refused   headObject      `json:"refused"`
	// OtherRoot is the root that the refused checkpoint has at the size of the signed one.
	OtherRoot string `json:"other_root,omitempty"`
	// RefusedAt is by the witness's word alone, CosignedAt verified.
	RefusedAt  time.Time  `json:"refused_at"`
	CosignedAt *time.Time `json:"cosigned_at,omitempty"`
}

func runCheckEvidence(cmd *cobra.Command, f *checkFlags, path string) error {
	if len(f.logs) == 0 {
		return errors.New("--log is missing: give the log's public key, or a file that holds it")
	}
	keys, err := logKeys(f.logs)
	if err != nil {
		return err
	}
	text, err := checkpoint.ReadAtMost(path, witness.MaxEvidence)
	if err != nil {
		return err
	}
	evidence, err := witness.ParseEvidence(text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	finding, err := evidence.Judge(keys)
	if err != nil {
		return cli.Found(fmt.Errorf("%s: %w", path, err))
	}
	cosigned, err := f.cosigned(evidence)
	if err != nil {
		return err
	}
	object := objectOf(evidence, finding, cosigned)
	if err := f.Report(cmd, object, cmd.OutOrStdout(), "%s", textOf(object)); err != nil {
		return err
	}
	if !finding.Verdict.Contradicts() {
		return cli.Found(fmt.Errorf("%s does not prove that the log %s was rewritten", path, finding.Older.Origin))
	}
	return nil
}

// cosigned returns when the witness has signed the first checkpoint, nil if nobody asks.
func (f *checkFlags) cosigned(e witness.Evidence) (*time.Time, error) {
	if f.witness == "" {
		return nil, nil
	}
	by, err := cosignature.ParseVerifier(strings.TrimSpace(f.witness))
	if err != nil {
		return nil, fmt.Errorf("--witness: %w", err)
	}
	opened, err := note.Open(e.Signed, note.VerifierList(by))
	if err != nil {
		return nil, cli.Found(fmt.Errorf("the first checkpoint is not cosigned by the witness %s: %w", by.Name(), err))
	}
	moment, err := cosignature.Time(opened.Sigs[0])
	return &moment, err
}

func objectOf(e witness.Evidence, f witness.Finding, cosigned *time.Time) evidenceObject {
	head := func(c audit.Checkpoint) headObject { return headObject{c.Size, c.Root.String()} }
	o := evidenceObject{
		Verdict: f.Verdict, Rewritten: f.Verdict.Contradicts(), Log: f.Older.Origin, Signed: head(f.Older), Refused: head(f.Refused),
		RefusedAt: e.Seen.UTC(), CosignedAt: cosigned,
	}
	if f.Verdict == witness.Rewritten {
		o.OtherRoot = f.Other.String()
	}
	return o
}

// explanations say what a verdict means.
var explanations = map[witness.Verdict]string{
	witness.Forked:     "One log has one root at one size. Whoever holds the log's key has written two histories.",
	witness.Rewritten:  "The tree of the refused checkpoint has another root at the size of the signed one: records below it were changed, or left out. Whoever holds the log's key has written two histories.",
	witness.Unproven:   "The proof that came with the refused checkpoint does not lead to it from the signed one. That proves nothing yet: anybody can send a wrong proof. Ask the operator of the log for the right one; whoever cannot give it has rewritten the log.",
	witness.Consistent: "The larger checkpoint continues the smaller one: nothing here speaks against the log.",
}

func textOf(o evidenceObject) string {
	var text strings.Builder
	row := func(name, value string, args ...any) {
		fmt.Fprintf(&text, "%-10s "+value+"\n", append([]any{name}, args...)...)
	}
	row("verdict", "%s", o.Verdict)
	row("log", "%s", o.Log)
	row("signed", "%s records, root %s", humanize.Comma(int64(o.Signed.Size)), o.Signed.Root)
	if o.CosignedAt != nil {
		row("", "cosigned by the witness at %s", o.CosignedAt.UTC().Format(time.RFC3339))
	}
	row("refused", "%s records, root %s", humanize.Comma(int64(o.Refused.Size)), o.Refused.Root)
	if o.OtherRoot != "" {
		row("", "root at %s records: %s", humanize.Comma(int64(o.Signed.Size)), o.OtherRoot)
	}
	row("refused at", "%s, by the word of the witness", o.RefusedAt.Format(time.RFC3339))
	fmt.Fprintf(&text, "\n%s\n", explanations[o.Verdict])
	return text.String()
}
