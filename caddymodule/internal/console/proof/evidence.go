package proof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
)

// Evidence is made whole in a temporary file before the first byte of it is sent: what fails halfway is
// a page then, and not half a zip file.
const (
	// maxMaking is how many evidences are made at the same time, maxExchanges how many exchanges one has,
	// maxBytes how long its file is, and patience how long it may take. The command has no such bounds.
	maxMaking    = 2
	maxExchanges = 500
	maxBytes     = 256 << 20
	patience     = time.Minute
	// maxForm is how long a form that asks for it is, in bytes.
	maxForm = 4 << 10
)

// evidenceForm asks for the evidence of an invoice of the record.
type evidenceForm struct {
	// First and Last are its numbers. Of one number there is nothing to choose.
	First, Last int64
	Command     string
}

// One reports whether the record is about one invoice.
func (f *evidenceForm) One() bool { return f.First == f.Last }

// evidenceFormOf returns the form, nil for a record that names no invoice.
func evidenceFormOf(r *audit.Record) *evidenceForm {
	if r == nil || r.Cuit == 0 || r.PtoVta == 0 || r.CbteTipo == 0 {
		return nil
	}
	f := new(evidenceForm)
	for _, v := range r.Vouchers {
		if v.CbteDesde <= 0 {
			continue
		}
		if f.First == 0 || v.CbteDesde < f.First {
			f.First = v.CbteDesde
		}
		f.Last = max(f.Last, v.CbteHasta)
	}
	if f.First == 0 || f.Last < f.First {
		return nil
	}
	f.Command = fmt.Sprintf("fielato wsfev1 audit evidence --cuit %d --pto-vta %d --cbte-tipo %d --nro %d --output %s", r.Cuit, r.PtoVta, r.CbteTipo, f.First, evidenceName(r, f.First))
	return f
}

func evidenceName(r *audit.Record, number int64) string {
	return fmt.Sprintf("evidencia-%d-%d-%d-%d.zip", int64(r.Cuit), r.CbteTipo, r.PtoVta, number)
}

// errNoInvoice: the record is not about this invoice.
var errNoInvoice = fmt.Errorf("%w: the record is not about an invoice with this number", site.ErrBadRequest)

// evidence hands out everything about an invoice of the record, as `audit evidence` writes it.
// masked: it is not, as it has everything, and the page says how to get it.
func (d *downloads) evidence(w http.ResponseWriter, r *http.Request, masked bool) error {
	log, mark, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	number, err := strconv.ParseInt(r.FormValue("nro"), 10, 64)
	switch {
	case err != nil:
		return errNoInvoice
	case masked:
		return d.refuse(w, r, errMasked, "problem.masked")
	}
	file, err := os.CreateTemp("", "fielato-evidence-*.zip")
	if err != nil {
		return fmt.Errorf("making the evidence: %w", err)
	}
	defer func() {
		_ = file.Close() // it is removed
		_ = os.Remove(file.Name())
	}()
	var name string
	what := "--nro " + strconv.FormatInt(number, 10)
	err = d.Read(r, log+mark, doing(d.Masks(r), log, index, "evidence "+what, "evidence "+audit.Address(log, index)+" "+what), func(sources []site.Source) error {
		name, err = d.write(r.Context(), file, &sources[0], log, index, number)
		return err
	})
	switch {
	case errors.Is(err, site.ErrBadRequest):
		return err
	case errors.Is(err, evidence.ErrTooMany), errors.Is(err, errTooLong), errors.Is(err, context.DeadlineExceeded):
		return d.explain(w, r, err, "problem.large_evidence")
	case err != nil:
		return d.explain(w, r, err, "problem.no_evidence")
	}
	length, err := file.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("reading the evidence: %w", err)
	}
	send(w, "application/zip", name, length, file)
	return nil
}

// write writes the evidence, and returns the name for its file.
func (d *downloads) write(ctx context.Context, file *os.File, source *site.Source, log string, index uint64, number int64) (string, error) {
	source, err := source.Proving(ctx, log, index)
	if err != nil {
		return "", err
	}
	f, err := find(ctx, source, log, index)
	if err != nil {
		return "", err
	}
	form := evidenceFormOf(f.record)
	if form == nil || number < form.First || number > form.Last {
		return "", errNoInvoice
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case d.making <- struct{}{}:
		defer func() { <-d.making }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	record := f.record
	wanted := audit.Query{Cuit: record.Cuit, PtoVta: record.PtoVta, CbteTipo: record.CbteTipo, Number: number}
	_, err = evidence.WriteZip(ctx, &bounded{file, maxBytes}, source.Store, source.Logs, wanted, maxExchanges)
	return evidenceName(record, number), err
}

// errTooLong: the evidence has more bytes than a page hands out.
var errTooLong = errors.New("the evidence is too long for a download")

// bounded writes at most so many bytes.
type bounded struct {
	to   io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errTooLong
	}
	return b.to.Write(p)
}
