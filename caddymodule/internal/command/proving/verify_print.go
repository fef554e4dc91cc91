package proving

import (
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
)

// reportPrinter writes the i-th of several reports.
type reportPrinter func(w io.Writer, found *verifyResult, i, of int) error

func reportPrinterOf(format string, painter view.Painter) reportPrinter {
	if format == "json" {
		return func(w io.Writer, found *verifyResult, _, of int) error { return printReportObject(w, found, of == 1) }
	}
	return func(w io.Writer, found *verifyResult, i, _ int) error {
		if i > 0 {
			fmt.Fprintln(w)
		}
		return printReport(w, found, painter)
	}
}

func withCommas(n uint64) string { return humanize.Comma(int64(n)) }

// printReport writes a report for people. The verdict comes last, where a terminal shows it.
func printReport(w io.Writer, found *verifyResult, painter view.Painter) error {
	var fields table.Fields
	row := fields.Addf
	row("log", "%s", found.Log)
	source := "named by the store itself; one that was kept elsewhere, given with --key, proves more"
	if found.keyGiven {
		source = "given with --key"
	}
	row("public key", "%s (%s)", view.OrDash(found.Verifier), source)
	if c := found.Checkpoint; c != nil {
		row("checkpoint", "%s records, root %s, signed by the key", withCommas(c.Size), c.Root)
	} else {
		row("checkpoint", "none that is signed by the key")
	}
	if c := found.Kept; c != nil {
		row("kept", "%s records, root %s, signed by the key", withCommas(c.Size), c.Root)
	}
	if w := found.witnessed; w != nil {
		row("witnesses", "%s", w)
	}
	row("records", "%s read, %s purged, %s encrypted", withCommas(found.Records), withCommas(found.Purged), withCommas(found.Sealed))
	if old := found.Unrecorded; old.Count > 0 {
		row("unrecorded", "content of %s of the months before %s was purged by a build that did not record it, or by somebody: if you know of it, audit purge --acknowledge", withCommas(old.Count), old.Before)
	}
	row("open intents", "%s", listText(found.Open))
	if err := fields.Print(w); err != nil {
		return err
	}
	printListing(w, "remarks", found.Remarks)
	printListing(w, "flaws", found.Flaws)
	_, err := fmt.Fprintln(w, "\n"+verdictLine(found, painter))
	return err
}

func verdictLine(found *verifyResult, painter view.Painter) string {
	switch {
	case found.unwitnessed != nil:
		return painter.Bad("NOT WITNESSED") + ": " + found.unwitnessed.Error()
	case found.Sound() && found.Kept != nil:
		return painter.Good("sound") + ": every record is what was signed, and the log is an extension of the checkpoint that was kept"
	case found.Sound():
		return painter.Good("sound") + ": every record is what was signed"
	case found.Unfinished():
		return painter.Bad("NOT FINISHED") + ": " + found.Flaws.Items[0].String() + "; run the audit copy that began it again"
	}
	return painter.Bad("BROKEN") + ": " + found.Flaws.Items[0].String()
}

// listText formats a count and the listed numbers.
func listText(numbers verify.Listing[uint64]) string {
	if numbers.Count == 0 {
		return "0"
	}
	text := make([]string, len(numbers.Items))
	for i, n := range numbers.Items {
		text[i] = fmt.Sprint(n)
	}
	if numbers.Count > uint64(len(text)) {
		text = append(text, "…")
	}
	return fmt.Sprintf("%s: %s", withCommas(numbers.Count), strings.Join(text, ", "))
}

func printListing[T fmt.Stringer](w io.Writer, title string, list verify.Listing[T]) {
	if list.Count == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: %s\n", title, withCommas(list.Count))
	for _, item := range list.Items {
		fmt.Fprintf(w, "  %s\n", item)
	}
	if more := list.Count - uint64(len(list.Items)); more > 0 {
		fmt.Fprintf(w, "  and %s more\n", withCommas(more))
	}
}

// reportObject is a report for programs.
type reportObject struct {
	Log        string            `json:"log"`
	Sound      bool              `json:"sound"`
	PublicKey  string            `json:"public_key"`
	KeyFrom    string            `json:"public_key_from"`
	Checkpoint *checkpointObject `json:"checkpoint"`
	Kept       *checkpointObject `json:"kept_checkpoint"`
	Witnessed  *view.Witnessed   `json:"witnesses"`
	Records    uint64            `json:"records"`
	Purged     uint64            `json:"purged"`
	Sealed     uint64            `json:"sealed"`
	Unrecorded uint64            `json:"purged_unrecorded"`
	PurgesFrom *uint64           `json:"purges_recorded_from"`
	Open       uint64            `json:"open_intents"`
	OpenList   []uint64          `json:"open_intents_listed"`
	Remarks    uint64            `json:"remarks"`
	RemarkList []remarkObject    `json:"remarks_listed"`
	Flaws      uint64            `json:"flaws"`
	FlawList   []flawObject      `json:"flaws_listed"`
}

type checkpointObject struct {
	Size uint64 `json:"size"`
	Root string `json:"root"`
}

type remarkObject struct {
	Kind   verify.RemarkKind `json:"kind"`
	Index  uint64            `json:"index"`
	Intent uint64            `json:"intent"`
	Text   string            `json:"text"`
}

// flawObject names the first and the last record of a flaw, if it has records.
type flawObject struct {
	Kind  audit.FlawKind `json:"kind"`
	First *uint64        `json:"first,omitzero"`
	Last  *uint64        `json:"last,omitzero"`
	From  *uint64        `json:"from,omitzero"`
	Text  string         `json:"text"`
}

func printReportObject(w io.Writer, found *verifyResult, alone bool) error {
	object := reportObject{
		Log: found.Log, Sound: found.Sound(), PublicKey: found.Verifier, KeyFrom: keyFrom(found.keyGiven, "store"),
		Checkpoint: objectOf(found.Checkpoint), Kept: objectOf(found.Kept), Witnessed: found.witnessed,
		Records: found.Records, Purged: found.Purged, Sealed: found.Sealed, Unrecorded: found.Unrecorded.Count,
		Open: found.Open.Count, OpenList: found.Open.Items,
		Remarks: found.Remarks.Count, Flaws: found.Flaws.Count,
	}
	if found.PurgesRecorded {
		object.PurgesFrom = &found.PurgesFrom
	}
	for _, r := range found.Remarks.Items {
		object.RemarkList = append(object.RemarkList, remarkObject{r.Kind, r.Index, r.Intent, r.String()})
	}
	for _, f := range found.Flaws.Items {
		one := flawObject{Kind: f.Kind, Text: f.String()}
		if f.Next > 0 {
			last := f.Next - 1
			one.First, one.Last = &f.First, &last
		}
		if f.Kind == audit.FlawMoved {
			one.From = &f.From
		}
		object.FlawList = append(object.FlawList, one)
	}
	text, err := json.Marshal(&object, jsontext.Multiline(alone))
	if err != nil {
		return fmt.Errorf("printing the report: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func objectOf(c *audit.Checkpoint) *checkpointObject {
	if c == nil {
		return nil
	}
	return &checkpointObject{c.Size, c.Root.String()}
}
