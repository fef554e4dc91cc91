package view

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// printedProof is a proven record as JSON.
type printedProof struct {
	Proven   bool             `json:"proven"`
	Log      string           `json:"log"`
	Index    uint64           `json:"index"`
	TreeSize uint64           `json:"tree_size"`
	Root     string           `json:"root"`
	Key      string           `json:"public_key"`
	Content  string           `json:"content"` // present, purged or sealed
	Record   printable.Record `json:"record"`
}

func PrintProven(out io.Writer, p Printer, r *audit.Record, tree audit.Checkpoint, verifier string) error {
	table, ok := p.(*tablePrinter)
	if !ok {
		line, err := json.Marshal(printedProof{
			true, r.Log, r.Index, tree.Size, tree.Root.String(), verifier, r.Presence.String(), printable.RecordOf(r),
		}, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return fmt.Errorf("printing record %d: %w", r.Index, err)
		}
		_, err = out.Write(append(line, '\n'))
		return err
	}
	fmt.Fprintf(table.w, "proof\t%s: the record is in the log, unchanged and in its place\n", Painter{table.columns.colored}.Good("holds"))
	fmt.Fprintf(table.w, "log\t%s\nindex\t%d\ntree size\t%d\nroot\t%s\nsigned by\t%s\n", r.Log, r.Index, tree.Size, tree.Root, verifier)
	if r.Presence != audit.Present {
		fmt.Fprintf(table.w, "content\tnot in this file, which says that it is %s\n", r.Presence)
	}
	fmt.Fprintln(table.w)
	table.half = true
	return table.Full(Entry{Exchange: story.ExchangeOf(r)})
}
