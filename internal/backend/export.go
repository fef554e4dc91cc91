package backend

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// progressEvery is how many lines of an export or import come between two calls of progress.
const progressEvery = 1000

// Export writes everything that the ledger holds, as one View sees it, for Import to
// read. What it writes depends on the contents alone: equal ledgers give equal bytes.
// Memory does not grow with the ledger.
//
// progress, if it is not nil, is called now and then with the contents written so far. After an
// error the export is not whole, and Import refuses it.
func Export(ctx context.Context, ledger Ledger, w io.Writer, progress func(Contents)) (Contents, error) {
	buffered := bufio.NewWriterSize(w, 64<<10)
	e := &exporter{w: buffered, progress: progress}
	err := ledger.View(ctx, func(r Reader) error { return e.run(ctx, r) })
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return e.done, fmt.Errorf("export: %w", err)
	}
	return e.done, nil
}

type exporter struct {
	w        *bufio.Writer
	progress func(Contents)
	done     Contents
	// text is the line under way.
	text []byte
}

func (e *exporter) run(ctx context.Context, r Reader) error {
	if err := e.write(&headLine{kindHead, exportForm, exportVersion}); err != nil {
		return err
	}
	if err := writeAll(r.AllCAEAs(ctx), e.caea); err != nil {
		return err
	}
	if err := writeAll(r.AllSinMovimiento(ctx), e.sinMovimiento); err != nil {
		return err
	}
	all, err := r.AllSeries(ctx)
	if err != nil {
		return err
	}
	for _, series := range all {
		err := writeAll(r.AllInvoices(ctx, series), func(v *Invoice) error { return e.invoice(series, v) })
		if err != nil {
			return fmt.Errorf("series %v: %w", series, err)
		}
	}
	return e.write(&endLine{kindEnd, &e.done})
}

func writeAll[T any](all iter.Seq2[*T, error], write func(*T) error) error {
	for one, err := range all {
		if err != nil {
			return err
		}
		if err := write(one); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) caea(c *CAEA) error {
	e.done.CAEAs++
	return e.write(&caeaLine{
		kindCAEA, c.Code, c.Cuit, c.Periodo, c.Orden, c.FchVigDesde, c.FchVigHasta, c.FchTopeInf, c.FchProceso,
	})
}

func (e *exporter) sinMovimiento(d *SinMovimiento) error {
	e.done.SinMovimiento++
	return e.write(&sinMovimientoLine{kindSinMovimiento, d.CAEA, d.PtoVta, d.FchProceso})
}

func (e *exporter) invoice(series Series, v *Invoice) error {
	encoded, err := json.Marshal(&invoiceLine{
		Kind: kindInvoice, Cuit: series.Cuit, PtoVta: series.PtoVta, CbteTipo: series.CbteTipo,
		CbteDesde: v.CbteDesde, CbteHasta: v.CbteHasta, CbteFch: v.CbteFch, EmisionTipo: v.EmisionTipo,
		CodAutorizacion: v.Code, FchVto: v.FchVto, FchProceso: v.FchProceso,
	})
	if err != nil {
		return fmt.Errorf("invoice %d: %w", v.CbteDesde, err)
	}
	e.text = append(e.text[:0], encoded[:len(encoded)-1]...)
	for _, member := range []struct {
		name  string
		value jsontext.Value
	}{{"Detail", v.Detail}, {"Observaciones", v.Observaciones}} {
		if len(member.value) == 0 {
			continue
		}
		if !member.value.IsValid() || bytes.IndexByte(member.value, '\n') >= 0 {
			return fmt.Errorf("invoice %d: its %s is not JSON on one line", v.CbteDesde, member.name)
		}
		e.text = append(append(append(e.text, `,"`...), member.name...), `":`...)
		e.text = append(e.text, member.value...)
	}
	e.text = append(e.text, "}\n"...)
	if e.done.Invoices++; e.progress != nil && e.done.Invoices%progressEvery == 0 {
		e.progress(e.done)
	}
	_, err = e.w.Write(e.text)
	return err
}

func (e *exporter) write(line any) error {
	if err := json.MarshalWrite(e.w, line); err != nil {
		return err
	}
	return e.w.WriteByte('\n')
}
