package view

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// printedProof is a proven record as JSON.
type printedProof struct {
	Proven    bool             `json:"proven"`
	Log       string           `json:"log"`
	Index     uint64           `json:"index"`
	TreeSize  uint64           `json:"tree_size"`
	Root      string           `json:"root"`
	Key       string           `json:"public_key"`
	Content   string           `json:"content"` // present, purged or sealed
	Witnessed *Witnessed       `json:"witnesses"`
	Record    printable.Record `json:"record"`
}

func PrintProven(out io.Writer, p Printer, r *audit.Record, tree audit.Checkpoint, verifier string, witnessed *Witnessed) error {
	printer, ok := p.(*tablePrinter)
	if !ok {
		line, err := json.Marshal(printedProof{
			true, r.Log, r.Index, tree.Size, tree.Root.String(), verifier, r.Presence.String(), witnessed, printable.RecordOf(r),
		}, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return fmt.Errorf("printing record %d: %w", r.Index, err)
		}
		_, err = out.Write(append(line, '\n'))
		return err
	}
	var f table.Fields
	f.Add("proof", Painter{printer.columns.colored}.Good("holds")+": the record is in the log, unchanged and in its place")
	f.Add("log", r.Log)
	f.Addf("index", "%d", r.Index)
	f.Addf("tree size", "%d", tree.Size)
	f.Addf("root", "%s", tree.Root)
	f.Add("signed by", verifier)
	if len(witnessed.Signed) > 0 || len(witnessed.Unknown) > 0 {
		f.Add("witnesses", witnessed.String())
	}
	if r.Presence != audit.Present {
		f.Addf("content", "not in this file, which says that it is %s", r.Presence)
	}
	if err := f.Print(out); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	printer.half = true
	return printer.Full(Entry{Exchange: story.ExchangeOf(r)})
}
