package export

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export/internal/invoice"
)

// invoiceCheck compares a file of invoices with the records, row by row.
type invoiceCheck struct {
	name string
	// source is nil if the file is missing.
	source  *lines
	compare *invoice.Comparer
	csv     *invoice.File
	// differs is the first line that does not follow from the records, 0 as long as there is none.
	// The rest of the file is not read.
	differs int
}

func (v *verifier) openInvoices(f *RecordFile) (*invoiceCheck, error) {
	c := &invoiceCheck{name: f.Invoices.Name}
	source, err := openLines(v.folder, f.Invoices.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	c.source, c.compare = source, invoice.NewComparer(bufio.NewReaderSize(source.plain, chunkBytes))
	if c.csv, err = invoice.NewFile(c.compare); err != nil {
		return nil, errors.Join(err, source.close())
	}
	return c, nil
}

func (c *invoiceCheck) close() {
	if c.source != nil {
		_ = c.source.close() // it was read
	}
}

// rows compares the rows of a record.
func (c *invoiceCheck) rows(v *verifier, r *audit.Record, details []invoice.Detail) error {
	return c.judge(v.table.Rows(r, details, func(cells []string) error {
		v.report.Invoices++
		if c.source == nil || c.differs != 0 {
			return nil
		}
		return c.csv.Write(cells)
	}))
}

// judge keeps the first difference.
func (c *invoiceCheck) judge(err error) error {
	var differs *invoice.RowError
	switch {
	case errors.As(err, &differs):
		c.differs = differs.Line
	case err != nil:
		return fmt.Errorf("reading %s: %w", c.name, err)
	}
	return nil
}

// finish reports the faults of the file if its records are in order. Rows of faulty records are no
// faults of their own.
func (c *invoiceCheck) finish(v *verifier, f *RecordFile, inOrder bool) error {
	if c.source == nil {
		v.report.fault(c.name, 0, "the file is missing")
		return nil
	}
	if !inOrder {
		return nil
	}
	if c.differs == 0 {
		if err := c.judge(cmp.Or(c.csv.Flush(), c.compare.End())); err != nil {
			return err
		}
	}
	if c.differs != 0 {
		v.report.fault(c.name, c.differs, "the line is not what the records give")
		return nil
	}
	bytes, digest, err := c.source.sum()
	if err != nil {
		return fmt.Errorf("reading %s: %w", c.name, err)
	}
	if bytes != f.Invoices.Bytes || digest != f.Invoices.SHA256 || c.csv.Rows != f.Invoices.Rows {
		v.report.fault(c.name, 0, "%d rows, %d bytes with the SHA-256 %s, the manifest says %d, %d and %s",
			c.csv.Rows, bytes, digest, f.Invoices.Rows, f.Invoices.Bytes, f.Invoices.SHA256)
	}
	return nil
}
