package closing

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
	"github.com/fielato/fielato/internal/jsonscan"
)

// appendLines adds the invoices of a request, as far as they can be read.
func appendLines(lines []line, request []byte) []line {
	if all, isPlain := appendPlainLines(lines, request); isPlain {
		return all
	}
	return append(lines, bodies.Invoices[line](request)...)
}

// appendPlainLines adds the invoices of a request that is plain, as nearly all are: it takes a fraction of the time that
// bodies.Invoices takes. It reports whether the request is one. What a decoder may take another way, such as null in place
// of an object, is not.
func appendPlainLines(lines []line, request []byte) (all []line, isPlain bool) {
	p := jsonscan.NewPlain(request)
	issued, reported := lines[len(lines):], []line(nil)
	p.Object(func(name []byte) {
		switch string(name) {
		case `"FeCAEReq"`:
			plainLot(p, `"FECAEDetRequest"`, &issued)
		case `"FeCAEARegInfReq"`:
			plainLot(p, `"FECAEADetRequest"`, &reported)
		default:
			p.Value()
		}
	})
	return append(append(lines, issued...), reported...), p.Done()
}

// plainLot reads the list of a lot.
func plainLot(p *jsonscan.Plain, list string, lines *[]line) {
	plainMember(p, `"FeDetReq"`, func() {
		p.Object(func(name []byte) {
			switch string(name) {
			case list:
				plainList(p, lines, (*line).plain)
			case `"FECAEDetRequest"`, `"FECAEADetRequest"`: // the other operation's
				p.List(func() { new(line).plain(p) })
			default:
				p.Value()
			}
		})
	})
}

// plainMember reads the one member of an object that is wanted.
func plainMember(p *jsonscan.Plain, wanted string, read func()) {
	p.Object(func(name []byte) {
		if string(name) == wanted {
			read()
		} else {
			p.Value()
		}
	})
}

// plainList reads a list of objects in place of another one, in its memory. read gets an object of the list before, or an
// empty one.
func plainList[T any](p *jsonscan.Plain, all *[]T, read func(*T, *jsonscan.Plain)) {
	*all = (*all)[:0]
	p.List(func() {
		n := len(*all)
		*all = slices.Grow(*all, 1)[:n+1]
		read(&(*all)[n], p)
	})
}

// plain reads an invoice. The memory of the line's lists is used again.
func (l *line) plain(p *jsonscan.Plain) {
	rates, notes := l.Iva.AlicIva[:0], l.CbtesAsoc.CbteAsoc[:0]
	*l = line{}
	l.Iva.AlicIva, l.CbtesAsoc.CbteAsoc = rates, notes
	p.Object(func(name []byte) {
		switch string(name) {
		case `"Iva"`:
			plainMember(p, `"AlicIva"`, func() { plainList(p, &l.Iva.AlicIva, (*taxed).plain) })
		case `"CbtesAsoc"`:
			plainMember(p, `"CbteAsoc"`, func() { plainList(p, &l.CbtesAsoc.CbteAsoc, (*associated).plain) })
		default:
			if value := p.Value(); value != nil {
				l.set(string(name), value)
			}
		}
	})
}

// set sets a member that is no object.
func (l *line) set(name string, value jsontext.Value) {
	switch name {
	case `"DocTipo"`:
		l.DocTipo.set(value)
	case `"DocNro"`:
		l.DocNro.set(value)
	case `"CbteDesde"`:
		l.CbteDesde.set(value)
	case `"CbteHasta"`:
		l.CbteHasta.set(value)
	case `"CbteFch"`:
		l.CbteFch.set(value)
	case `"MonId"`:
		l.MonId.set(value)
	case `"ImpTotal"`:
		l.ImpTotal.set(value)
	case `"ImpTotConc"`:
		l.ImpTotConc.set(value)
	case `"ImpNeto"`:
		l.ImpNeto.set(value)
	case `"ImpOpEx"`:
		l.ImpOpEx.set(value)
	case `"ImpTrib"`:
		l.ImpTrib.set(value)
	case `"ImpIVA"`:
		l.ImpIVA.set(value)
	case `"MonCotiz"`:
		l.MonCotiz.set(value)
	}
}

func (t *taxed) plain(p *jsonscan.Plain) {
	*t = taxed{}
	p.Object(func(name []byte) {
		value := jsontext.Value(p.Value())
		switch {
		case value == nil:
		case string(name) == `"Id"`:
			t.Id.set(value)
		case string(name) == `"BaseImp"`:
			t.BaseImp.set(value)
		case string(name) == `"Importe"`:
			t.Importe.set(value)
		}
	})
}

func (a *associated) plain(p *jsonscan.Plain) {
	*a = associated{}
	p.Object(func(name []byte) {
		value := jsontext.Value(p.Value())
		switch {
		case value == nil:
		case string(name) == `"Tipo"`:
			a.Tipo.set(value)
		case string(name) == `"PtoVta"`:
			a.PtoVta.set(value)
		case string(name) == `"Nro"`:
			a.Nro.set(value)
		case string(name) == `"Cuit"`:
			a.Cuit.set(value)
		}
	})
}
