package proving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
)

// runVerifyExport verifies the export in the folder of --export.
func runVerifyExport(cmd *cobra.Command, flags *verifyFlags) error {
	path := flags.export
	ctx, stop := cli.UntilInterrupted(cmd.Context())
	defer stop()
	asked, err := flags.read()
	if err != nil {
		return cli.Inconclusive(err)
	}
	progress := cli.NewProgress(cmd, "verified")
	report, err := verifyFolder(ctx, path, export.VerifyOptions{Verifier: asked.key, Known: asked.known, Progress: progress.Update})
	progress.Clear()
	if err != nil {
		return cli.Inconclusive(fmt.Errorf("--export %s: %w", path, err))
	}
	found := exportResult{Report: report, keyGiven: asked.key != ""}
	if report.Sound() {
		found.judgeExport(asked.authority, path, report.Timestamp)
		if err := found.witnessing.judge(asked.witnesses, report.PublicKey, cosignedNote{report.Witnessed, report.WitnessedNote}); err != nil {
			return cli.Inconclusive(fmt.Errorf("--export %s: %w", path, err))
		}
	}
	if flags.format == "json" {
		err = printExportObject(cmd.OutOrStdout(), &found)
	} else {
		err = printExportReport(cmd, &found, flags.Painter(cmd.OutOrStdout()))
	}
	if err != nil {
		return cli.Inconclusive(fmt.Errorf("printing what was found: %w", err))
	}
	return found.verdict("export", path, report.FaultCount, asked.key, report.PublicKey)
}

// exportResult is a report, where its key came from, and what witnesses have signed.
type exportResult struct {
	*export.Report
	keyGiven bool
	vouching
}

// printExportReport writes a report for people. It vouches for the export only with a key that
// was given.
func printExportReport(cmd *cobra.Command, report *exportResult, painter view.Painter) error {
	out := cmd.OutOrStdout()
	for _, fault := range report.Faults {
		fmt.Fprintln(out, fault)
	}
	if more := report.FaultCount - len(report.Faults); more > 0 {
		fmt.Fprintf(out, "… and %s more\n", withCommas(uint64(more)))
	}
	if len(report.Unfinished) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "not looked at, of a later export that is not finished: %s\n", strings.Join(report.Unfinished, ", "))
	}
	if old := report.Unrecorded; old.Count > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "content of %s of the months before %s was purged by a build that did not record it, or by somebody: nothing proves which\n",
			cli.CountOf(old.Count, "record"), old.Before)
	}
	if !report.Sound() || !report.keyGiven || !report.complete() {
		return nil
	}
	_, err := fmt.Fprintf(out, "%s: %s of the log %s (%s purged, %s encrypted) and %s are what the checkpoint over %s says, signed by %s\n", painter.Good("sound"),
		cli.CountOf(report.Records, "record"), report.Log, withCommas(report.Purged), withCommas(report.Sealed),
		cli.CountOf(report.Invoices, "invoice row"), withCommas(report.Checkpoint.Size), report.PublicKey)
	if err == nil {
		err = report.print(out, "witnesses")
	}
	return err
}

// exportObject is the report for programs. Sound is only half a proof with a key that the
// export itself names.
type exportObject struct {
	Log        string            `json:"log"`
	Sound      bool              `json:"sound"`
	PublicKey  string            `json:"public_key"`
	KeyFrom    string            `json:"public_key_from"`
	Checkpoint *checkpointObject `json:"checkpoint"`
	Witnessed  *view.Witnessed   `json:"witnesses"`
	Stamps     []stampObject     `json:"timestamps"`
	Records    uint64            `json:"records"`
	Invoices   uint64            `json:"invoices"`
	Purged     uint64            `json:"purged"`
	Sealed     uint64            `json:"sealed"`
	Unrecorded uint64            `json:"purged_unrecorded"`
	Faults     int               `json:"faults"`
	FaultList  []string          `json:"faults_listed"`
	Unfinished []string          `json:"unfinished"`
}

func printExportObject(w io.Writer, report *exportResult) error {
	object := exportObject{
		Log: report.Log, Sound: report.Sound(), PublicKey: report.PublicKey, KeyFrom: keyFrom(report.keyGiven, "export"), Checkpoint: objectOf(&report.Checkpoint), Witnessed: report.witnessed, Stamps: report.stamps,
		Records: report.Records, Invoices: report.Invoices, Purged: report.Purged, Sealed: report.Sealed,
		Unrecorded: report.Unrecorded.Count, Faults: report.FaultCount, Unfinished: report.Unfinished,
	}
	for _, fault := range report.Faults {
		object.FaultList = append(object.FaultList, fault.String())
	}
	return view.PrintLines(w, []exportObject{object}, func(o exportObject) string { return o.Log })
}

func verifyFolder(ctx context.Context, path string, check export.VerifyOptions) (*export.Report, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("give the folder that audit export wrote: %w", err)
	case !info.IsDir():
		return nil, notAnExport(path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	report, err := export.Verify(ctx, root.FS(), check)
	return report, errors.Join(err, root.Close())
}
