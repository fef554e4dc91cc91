package proving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
)

var (
	errExport = errors.New("the export is broken")
	errNoKey  = errors.New("the export is consistent, but a forger could have made the key too: give --key, the public key that the gateway logs when it starts")
)

// runVerifyExport verifies the export in the folder of --export.
func runVerifyExport(cmd *cobra.Command, flags *verifyFlags) error {
	path := flags.export
	ctx, stop := cli.UntilInterrupted(cmd.Context())
	defer stop()
	check, err := flags.exportCheck()
	if err != nil {
		return cli.ExitWith(statusInconclusive, err)
	}
	witnesses, err := flags.WitnessFlags.Read()
	if err != nil {
		return cli.UsageError(err)
	}
	authority, err := flags.stampFlags.read()
	if err != nil {
		return cli.UsageError(err)
	}
	progress := cli.NewProgress(cmd, "verified")
	check.Progress = progress.Update
	report, err := verifyFolder(ctx, path, check)
	progress.Clear()
	if err != nil {
		return cli.ExitWith(statusInconclusive, fmt.Errorf("--export %s: %w", path, err))
	}
	found := exportResult{Report: report, keyGiven: check.Verifier != ""}
	if report.Sound() {
		found.judgeExport(authority, path, report.Timestamp)
		if err := found.witnessing.judge(witnesses, report.PublicKey, cosignedNote{report.Witnessed, report.WitnessedNote}); err != nil {
			return cli.ExitWith(statusInconclusive, fmt.Errorf("--export %s: %w", path, err))
		}
	}
	if flags.format == "json" {
		err = printExportObject(cmd.OutOrStdout(), &found)
	} else {
		err = printExportReport(cmd, &found, flags.Painter(cmd.OutOrStdout()))
	}
	switch {
	case err != nil:
		return cli.ExitWith(statusInconclusive, fmt.Errorf("printing what was found: %w", err))
	case found.unwitnessed != nil:
		return cli.Found(fmt.Errorf("%s: %w", path, found.unwitnessed))
	case found.unstamped != nil:
		return cli.Found(fmt.Errorf("%s: %w", path, found.unstamped))
	case !report.Sound():
		return cli.Found(fmt.Errorf("%s: %w: %s", path, errExport, cli.CountOf(uint64(report.FaultCount), "fault")))
	case check.Verifier == "":
		return cli.ExitWith(statusInconclusive, fmt.Errorf("%s: %w; the export's own is %s", path, errNoKey, report.PublicKey))
	}
	return nil
}

// exportResult is a report, where its key came from, and what witnesses have signed.
type exportResult struct {
	*export.Report
	keyGiven bool
	witnessing
	stamping
}

// printExportReport writes a report for people. It vouches for the export only with a key that
// was given.
func printExportReport(cmd *cobra.Command, report *exportResult, painter view.Painter) error {
	out := cmd.OutOrStdout()
	for _, fault := range report.Faults {
		fmt.Fprintln(out, fault)
	}
	if more := report.FaultCount - len(report.Faults); more > 0 {
		fmt.Fprintf(out, "… and %s more\n", humanize.Comma(int64(more)))
	}
	if len(report.Unfinished) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "not looked at, of a later export that is not finished: %s\n", strings.Join(report.Unfinished, ", "))
	}
	if old := report.Unrecorded; old.Count > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "content of %s of the months before %s was purged by a build that did not record it, or by somebody: nothing proves which\n",
			cli.CountOf(old.Count, "record"), old.Before)
	}
	if !report.Sound() || !report.keyGiven || !report.complete() || !report.stamped() {
		return nil
	}
	_, err := fmt.Fprintf(out, "%s: %s of the log %s (%s purged, %s encrypted) and %s are what the checkpoint over %s says, signed by %s\n", painter.Good("sound"),
		cli.CountOf(report.Records, "record"), report.Log, humanize.Comma(int64(report.Purged)), humanize.Comma(int64(report.Sealed)),
		cli.CountOf(report.Invoices, "invoice row"), humanize.Comma(int64(report.Checkpoint.Size)), report.PublicKey)
	if err == nil && report.witnessed != nil {
		_, err = fmt.Fprintf(out, "witnesses: %s\n", report.witnessed)
	}
	if err == nil {
		err = report.stamping.print(out)
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
		Log: report.Log, Sound: report.Sound(), PublicKey: report.PublicKey, KeyFrom: "export", Checkpoint: objectOf(&report.Checkpoint), Witnessed: report.witnessed, Stamps: report.stamps,
		Records: report.Records, Invoices: report.Invoices, Purged: report.Purged, Sealed: report.Sealed,
		Unrecorded: report.Unrecorded.Count, Faults: report.FaultCount, Unfinished: report.Unfinished,
	}
	if report.keyGiven {
		object.KeyFrom = "flag"
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

// exportCheck reads the log's public key, and a checkpoint that was kept elsewhere.
func (f *verifyFlags) exportCheck() (check export.VerifyOptions, err error) {
	if f.key != "" {
		if check.Verifier, err = cli.ParseVerifier(f.key); err != nil {
			return check, err
		}
	}
	if f.checkpoint != "" {
		if check.Known, err = os.ReadFile(f.checkpoint); err != nil {
			return check, fmt.Errorf("--checkpoint: %w", err)
		}
	}
	return check, nil
}
