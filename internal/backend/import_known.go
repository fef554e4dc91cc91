package backend

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// known are the codes in the ledger and in the lines so far. A CAE belongs to one invoice of one
// series, of any issuer.
type known struct {
	// given is the line that has a code, 0 for the ledger.
	given map[int64]int32
	// advance are the advance codes among them.
	advance map[string]advanceCode
}

type advanceCode struct {
	cuit  wsfev1.CUIT
	until wsfev1.Date
}

// recall reads the codes of the ledger.
func (i *importer) recall() error {
	i.known = known{given: map[int64]int32{}, advance: map[string]advanceCode{}}
	for c, err := range i.tx.AllCAEAs(i.ctx) {
		if err != nil {
			return err
		}
		i.given[codeNumber(c.Code)] = 0
		i.advance[c.Code] = advanceCode{c.Cuit, c.FchVigHasta}
	}
	series, err := i.tx.AllSeries(i.ctx)
	if err != nil {
		return err
	}
	for _, s := range series {
		for v, err := range i.tx.AllInvoices(i.ctx, s) {
			if err != nil {
				return err
			}
			if v.EmisionTipo == EmisionCAE {
				i.given[codeNumber(v.Code)] = 0
			}
		}
	}
	return nil
}

// codeNumber reads a code, which is fourteen digits.
func codeNumber(code string) int64 {
	n, _ := strconv.ParseInt(code, 10, 64)
	return n
}

// give assigns a code to the current line.
func (i *importer) give(member, code string) error {
	line, twice := i.given[codeNumber(code)]
	switch {
	case twice && line == 0:
		return fmt.Errorf("%s %s is %w", member, code, ErrExists)
	case twice:
		return fmt.Errorf("%s %s is that of line %d: %w", member, code, line, ErrExists)
	}
	i.given[codeNumber(code)] = int32(i.number)
	return nil
}

// advanceOf returns the advance code with these digits, which has to come before the line
// under way.
func (i *importer) advanceOf(member, code string) (advanceCode, error) {
	advance, ok := i.advance[code]
	if !ok {
		return advance, fmt.Errorf("%s %s is that of no line before, nor in the ledger: a line of kind %q has to give it", member, code, kindCAEA)
	}
	return advance, nil
}

// checkCode holds the code of an invoice against all others.
func (i *importer) checkCode(l *invoiceLine) error {
	if l.EmisionTipo == EmisionCAE {
		if l.FchVto < l.CbteFch {
			return errors.New("FchVto is before CbteFch")
		}
		return i.give("CodAutorizacion", l.CodAutorizacion)
	}
	advance, err := i.advanceOf("CodAutorizacion", l.CodAutorizacion)
	switch {
	case err != nil:
		return err
	case advance.cuit != l.Cuit:
		return fmt.Errorf("CodAutorizacion %s is the CAEA of another issuer, %s", l.CodAutorizacion, advance.cuit)
	case advance.until != l.FchVto:
		return fmt.Errorf("FchVto is not %s, the last day of the CAEA", advance.until)
	}
	return nil
}

// checkFortnight holds the days of an advance code against the fortnight that it is for.
func (l *caeaLine) checkFortnight() error {
	fortnight, _ := wsfev1.FortnightOf(l.Periodo, l.Orden)
	switch {
	case l.FchVigDesde != fortnight.From || l.FchVigHasta != fortnight.To:
		return fmt.Errorf("FchVigDesde and FchVigHasta are not %s and %s, the days of fortnight %d of %d", fortnight.From, fortnight.To, l.Orden, l.Periodo)
	case l.FchTopeInf < l.FchVigHasta:
		return errors.New("FchTopeInf is before FchVigHasta")
	}
	return nil
}
