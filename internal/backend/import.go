package backend

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

const (
	// maxLine is the longest line that is read, in bytes. An invoice is far shorter, even
	// one that fills the largest request a gateway accepts by default.
	maxLine = 16 << 20
	// maxBatch and maxBatchBytes bound the invoices that go into the ledger at a time.
	maxBatch, maxBatchBytes = 256, 1 << 20
)

// Import adds what Export wrote to the ledger, in one Update: all of it or, with an
// error, nothing. Invoices must follow the last ones of their series (ErrSequence),
// CAEs, advance codes and declarations must be new (ErrExists), and an advance code must come
// before the invoices and declarations under it. So an export fits an empty ledger, and any other
// that it does not conflict with. The error names the line. The last line is of kind "end";
// without one the file was cut.
//
// from is read from its current position, once for each run of the Update, which first reads
// the codes in the ledger. Memory grows with the codes of both, by some twenty bytes each.
// progress is as in Export.
//
// The serial numbers of this package's codes are skipped, so that the ledger never gives an
// imported code to a new invoice.
func Import(ctx context.Context, ledger Ledger, from io.ReadSeeker, progress func(Contents)) (Contents, error) {
	start, err := from.Seek(0, io.SeekCurrent)
	if err != nil {
		return Contents{}, fmt.Errorf("import: %w", err)
	}
	var done Contents
	err = ledger.Update(ctx, func(tx Tx) error {
		if _, err := from.Seek(start, io.SeekStart); err != nil {
			return err
		}
		i := &importer{ctx: ctx, tx: tx, progress: progress}
		err := i.run(from)
		done = i.done
		return err
	})
	if err != nil {
		return Contents{}, fmt.Errorf("import: nothing was imported: %w", err)
	}
	return done, nil
}

// importer is one run of an import.
type importer struct {
	ctx      context.Context
	tx       Tx
	progress func(Contents)
	done     Contents
	// number is the number of the current line, from 1.
	number int
	// head and end: the line of this kind has been read.
	head, end bool
	// lastSerial is the greatest in a code of this package.
	lastSerial int64
	known

	// batch are invoices of series that wait to be appended, batchBytes long; state is
	// how far the series has come with them.
	batch      []Invoice
	batchBytes int
	series     Series
	state      SeriesState
}

func (i *importer) run(from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		i.number++
		if err := i.ctx.Err(); err != nil {
			return err
		}
		if err := i.take(lines.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", i.number, err)
		}
		if i.progress != nil && i.number%progressEvery == 0 {
			i.progress(i.done)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line %d: it is longer than %d MiB", i.number+1, maxLine>>20)
		}
		return err
	}
	if !i.end {
		return fmt.Errorf("line %d: the last line is not of kind %q: the file was cut", i.number, kindEnd)
	}
	return i.tx.SkipSerials(i.ctx, i.lastSerial)
}

// take adds what one line holds.
func (i *importer) take(text []byte) error {
	var of anyLine
	if err := json.Unmarshal(text, &of); err != nil {
		return plainError(err)
	}
	switch {
	case i.end:
		return fmt.Errorf("it comes after the line of kind %q", kindEnd)
	case !i.head && of.Kind != kindHead:
		return fmt.Errorf("it has the kind %q: the first line of an exported ledger has the kind %q", of.Kind, kindHead)
	}
	switch of.Kind {
	case kindHead:
		return takeAs(text, i.takeHead)
	case kindCAEA:
		return takeAs(text, i.takeCAEA)
	case kindSinMovimiento:
		return takeAs(text, i.takeSinMovimiento)
	case kindInvoice:
		return takeAs(text, i.takeInvoice)
	case kindEnd:
		return takeAs(text, i.takeEnd)
	}
	return fmt.Errorf("it has the kind %q, which is none", of.Kind)
}

// takeAs reads a line of a kind. What it does not know it refuses: it would be lost.
func takeAs[Line any](text []byte, take func(*Line) error) error {
	l := new(Line)
	if err := json.Unmarshal(text, l, json.RejectUnknownMembers(true)); err != nil {
		return plainError(err)
	}
	return take(l)
}

func (i *importer) takeHead(l *headLine) error {
	switch {
	case i.head:
		return errors.New("it is a second head")
	case l.Form != exportForm:
		return fmt.Errorf("the form is %q: only %q can be read", l.Form, exportForm)
	case l.Version != exportVersion:
		return fmt.Errorf("the form has version %d and this Fielato reads %d: use the one that wrote it", l.Version, exportVersion)
	}
	i.head = true
	return i.recall()
}

func (i *importer) takeEnd(l *endLine) error {
	i.end = true
	if l.Count != nil && *l.Count != i.done {
		return fmt.Errorf("it counts %v, and there were %v: lines are missing, or too many", *l.Count, i.done)
	}
	return i.flush()
}
