package export

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export/internal/invoice"
)

// part is one file of records and the file of their invoices, while they are written.
type part struct {
	folder            Folder
	file              RecordFile
	records, invoices *countedFile
	// zstd is nil if records are not compressed. lines is it, or records.
	zstd  *zstd.Encoder
	lines io.Writer
	// csv makes rows, which the outbox takes.
	csv  *invoice.File
	rows rowText
}

// rowText collects rows in the memory of lineTexts.
type rowText struct{ text *[]byte }

// Write implements io.Writer.
func (t *rowText) Write(p []byte) (int, error) {
	if t.text == nil {
		t.text = borrowText()
	}
	*t.text = append(*t.text, p...)
	return len(p), nil
}

// take returns the text so far, never nil.
func (t *rowText) take() *[]byte {
	_, _ = t.Write(nil)
	text := t.text
	t.text = nil
	return text
}

func newPart(folder Folder, first uint64, compression string) (_ *part, err error) {
	p := &part{folder: folder, file: RecordFile{First: first}}
	if p.records, err = newCountedFile(folder, "records"+partialSuffix); err != nil {
		return nil, err
	}
	if p.invoices, err = newCountedFile(folder, "invoices"+partialSuffix); err != nil {
		return nil, errors.Join(err, p.records.file.Close())
	}
	p.lines = p.records
	if compression == compressionZstd {
		// Of one goroutine, the outbox's: the processors are busy with the records.
		p.zstd, err = zstd.NewWriter(p.records, zstd.WithEncoderConcurrency(1))
		p.lines = p.zstd
	}
	if err == nil {
		p.csv, err = invoice.NewFile(&p.rows)
	}
	if err != nil {
		return nil, errors.Join(err, p.abandon())
	}
	return p, nil
}

// add counts one more record, and makes the rows of its invoices. Its line goes with the block.
func (p *part) add(r *audit.Record, details []invoice.Detail, table *invoice.Table) error {
	if err := table.Rows(r, details, p.csv.Write); err != nil {
		return fmt.Errorf("writing the invoices of record %d: %w", r.Index, err)
	}
	p.file.Records++
	switch r.Presence {
	case audit.Purged:
		p.file.Purged++
	case audit.Sealed:
		p.file.Sealed++
	}
	return nil
}

// block returns the block of these lines and of the rows so far. release is called when the memory of the
// lines is not needed any more.
func (p *part) block(first uint64, lines []byte, release func()) (block, error) {
	if err := p.csv.Flush(); err != nil {
		return block{}, fmt.Errorf("writing the invoices of record %d: %w", first, err)
	}
	rows := p.rows.take()
	return block{part: p, first: first, lines: lines, rows: rows, done: func() {
		returnText(rows)
		release()
	}}, nil
}

// finish makes both files whole and durable under their own names. The outbox has written all blocks.
func (p *part) finish(compression string) (*RecordFile, error) {
	var err error
	if p.zstd != nil {
		err = p.zstd.Close()
	}
	f := &p.file
	f.Name, f.Invoices.Name = fileNames(f.First, f.end(), compression)
	if err == nil {
		err = errors.Join(p.records.sync(), p.invoices.sync())
	}
	if err = errors.Join(err, p.records.file.Close(), p.invoices.file.Close()); err != nil {
		return nil, fmt.Errorf("writing %s: %w", f.Name, err)
	}
	f.Bytes, f.SHA256 = p.records.sum()
	f.Invoices.Bytes, f.Invoices.SHA256 = p.invoices.sum()
	f.Invoices.Rows = p.csv.Rows
	if err := p.folder.Rename("invoices"+partialSuffix, f.Invoices.Name); err != nil {
		return nil, fmt.Errorf("writing %s: %w", f.Invoices.Name, err)
	}
	if err := p.folder.Rename("records"+partialSuffix, f.Name); err != nil {
		return nil, fmt.Errorf("writing %s: %w", f.Name, err)
	}
	return f, nil
}

// abandon closes the files. They stay for the next run to write again.
func (p *part) abandon() error {
	if p.zstd != nil {
		p.zstd.Reset(nil)
	}
	return errors.Join(p.records.file.Close(), p.invoices.file.Close())
}

// countedFile counts and hashes the bytes written to a file.
type countedFile struct {
	file   File
	buffer *bufio.Writer
	hash   hash.Hash
	bytes  int64
}

func newCountedFile(folder Folder, name string) (*countedFile, error) {
	file, err := folder.Create(name)
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", name, err)
	}
	return &countedFile{file: file, buffer: bufio.NewWriterSize(file, 64<<10), hash: sha256.New()}, nil
}

// Write implements io.Writer.
func (f *countedFile) Write(p []byte) (int, error) {
	n, err := f.buffer.Write(p)
	f.hash.Write(p[:n])
	f.bytes += int64(n)
	return n, err
}

func (f *countedFile) sync() error {
	if err := f.buffer.Flush(); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f *countedFile) sum() (bytes int64, digest string) {
	return f.bytes, hex.EncodeToString(f.hash.Sum(nil))
}
