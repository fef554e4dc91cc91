package export

import (
	"fmt"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export/internal/invoice"
	"github.com/fielato/fielato/audit/export/internal/jsonline"
)

// exported is a record on its way into a file. Its bodies are in the memory of the piece.
type exported struct {
	record  audit.Record
	leaf    [32]byte
	line    []byte
	details []invoice.Detail
}

// unpacked are the records of a piece.
type unpacked struct {
	records []exported
	// kept is the memory of records, nil after release.
	kept *[]exported
	// piece is the store's memory that the bodies are in.
	piece audit.Piece
	// text has all lines, nil after release.
	text *[]byte
	err  error
}

// lineTexts holds the memory of lines that were written.
var lineTexts = sync.Pool{New: func() any { return new([]byte) }}

// keptText bounds what stays in lineTexts: a piece has a megabyte of lines at most, except for one of a
// single record.
const keptText = 4 << 20

// borrowText returns an empty text, which is the caller's until returnText.
func borrowText() *[]byte {
	text := lineTexts.Get().(*[]byte)
	*text = (*text)[:0]
	return text
}

func returnText(text *[]byte) {
	if cap(*text) <= keptText {
		lineTexts.Put(text)
	}
}

// release gives the memory of the lines and of the bodies back, once they were written.
func (u *unpacked) release() {
	if u.text != nil {
		returnText(u.text)
	}
	if u.kept != nil {
		for i := range u.records {
			r := &u.records[i].record
			// Short lists and nothing else: what waits to be used again holds nothing of a piece.
			u.records[i] = exported{record: audit.Record{Vouchers: shortList(r.Vouchers), Findings: shortList(r.Findings)}}
		}
		if cap(*u.kept) <= keptRecords {
			exportedRecords.Put(u.kept)
		}
	}
	if u.piece.Release != nil {
		u.piece.Release()
	}
	u.text, u.kept, u.records = nil, nil, nil
}

// shortList returns the memory of a list, nil if it is much.
func shortList[T any](list []T) []T {
	const most = 16
	if cap(list) > most {
		return nil
	}
	return list[:0]
}

// exportedRecords holds the memory of records that were written.
var exportedRecords = sync.Pool{New: func() any { return new([]exported) }}

// keptRecords bounds what stays in exportedRecords. The pieces of both stores have fewer records.
const keptRecords = 256

// borrowRecords returns so many records, and their memory.
func borrowRecords(n uint64) ([]exported, *[]exported) {
	kept := exportedRecords.Get().(*[]exported)
	if n > uint64(len(*kept)) {
		*kept = make([]exported, n)
	}
	return (*kept)[:n], kept
}

// unpackLines makes the lines of a piece from the record from on, on any goroutine.
func unpackLines(piece audit.Piece, log string, from uint64) (all unpacked) {
	forms, err := piece.Unpack()
	if err != nil {
		return unpacked{err: err}
	}
	skipped := min(uint64(len(forms)), max(from, piece.First)-piece.First)
	all.records, all.kept = borrowRecords(uint64(len(forms)) - skipped)
	all.piece, all.text = piece, borrowText()
	text, l := *all.text, new(jsonline.Line)
	ends := make([]int, len(all.records))
	for i := range all.records {
		x, form, index := &all.records[i], forms[skipped+uint64(i)], piece.First+skipped+uint64(i)
		if err := audit.DecodeInto(&x.record, form); err != nil {
			return unpacked{err: fmt.Errorf("record %d: %w", index, err)}
		}
		x.record.Log, x.record.Index = log, index
		x.leaf, x.details = form.Leaf(), invoice.Details(&x.record)
		start := len(text)
		text = l.Append(text, &x.record, form, x.leaf)
		if len(text)-start > maxLine {
			return unpacked{err: fmt.Errorf("record %d takes a line of %d bytes", index, len(text)-start)}
		}
		ends[i] = len(text)
	}
	*all.text = text
	start := 0
	for i, end := range ends {
		all.records[i].line, start = text[start:end], end
	}
	return all
}
