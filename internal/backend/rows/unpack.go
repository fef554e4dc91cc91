package rows

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/s2"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/wsfev1"
)

// maxPlain bounds what a damaged lot can make its reader allocate. It is more than any lot needs.
const maxPlain = 2 * maxTexts

// decompressed returns the content of a lot, in the memory of into if there is enough of it.
func decompressed(into, lot []byte) ([]byte, error) {
	if len(lot) == 0 || lot[0] != formS2 {
		return into, fmt.Errorf("of a form that this build does not know: %w", errDamaged)
	}
	n, err := s2.DecodedLen(lot[1:])
	if err != nil || n > maxPlain {
		return into, errDamaged
	}
	if n > cap(into) {
		into = make([]byte, n)
	}
	plain, err := s2.Decode(into[:n], lot[1:])
	if err != nil {
		return into, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return plain, nil
}

// cursor goes through the invoices of a lot. Its members are the present one's, in the memory of the lot.
type cursor struct {
	rest    []byte
	damaged bool
	// last is the last number of the whole lot, left how many invoices follow the present one.
	last int64
	left int

	flags                            byte
	desde, hasta                     int64
	fch, code, emision, vto, proceso []byte
	detail, notes                    []byte
}

func newCursor(plain []byte, first, last int64) *cursor {
	c := &cursor{rest: plain, last: last, hasta: first - 1}
	c.left = c.number(maxInvoices)
	return c
}

// next goes to the next invoice. It returns false after the last one, and where the lot is damaged.
func (c *cursor) next() bool {
	if c.left == 0 {
		c.damaged = c.damaged || len(c.rest) > 0 || c.hasta != c.last
		return false
	}
	c.left--
	c.flags = 0
	if flags := c.take(1); len(flags) > 0 {
		c.flags = flags[0]
	}
	c.desde = c.hasta + 1
	if c.hasta = c.desde; c.flags&spans != 0 {
		c.hasta += int64(c.number(backend.MaxNumber))
	}
	c.member(&c.fch, sameFch)
	c.member(&c.code, sameCode)
	c.member(&c.emision, sameEmision)
	c.member(&c.vto, sameVto)
	c.member(&c.proceso, sameProceso)
	c.detail, c.notes = c.text(), nil
	if c.flags&observed != 0 {
		c.notes = c.text()
	}
	return !c.damaged
}

// invoice sets v, which is the invoice before, to the present one.
func (c *cursor) invoice(v *backend.Invoice) {
	v.CbteDesde, v.CbteHasta, v.Detail, v.Observaciones = c.desde, c.hasta, c.detail, c.notes
	// Only members that differ from those before are copied.
	if c.flags&sameFch == 0 {
		v.CbteFch = wsfev1.Date(c.fch)
	}
	if c.flags&sameCode == 0 {
		v.Code = string(c.code)
	}
	if c.flags&sameEmision == 0 {
		v.EmisionTipo = string(c.emision)
	}
	if c.flags&sameVto == 0 {
		v.FchVto = wsfev1.Date(c.vto)
	}
	if c.flags&sameProceso == 0 {
		v.FchProceso = wsfev1.Timestamp(c.proceso)
	}
}

func (c *cursor) member(m *[]byte, same byte) {
	if c.flags&same == 0 {
		*m = c.text()
	}
}

func (c *cursor) text() []byte { return c.take(c.number(maxPlain)) }

// take returns the next n bytes. Appending to them does not reach the following ones.
func (c *cursor) take(n int) []byte {
	if n > len(c.rest) {
		c.rest, c.damaged = nil, true
		return nil
	}
	taken := c.rest[:n:n]
	c.rest = c.rest[n:]
	return taken
}

// number reads a number that is most at the greatest.
func (c *cursor) number(most int) int {
	n, length := binary.Uvarint(c.rest)
	if length <= 0 || n > uint64(most) {
		c.rest, c.damaged = nil, true
		return 0
	}
	c.rest = c.rest[length:]
	return int(n)
}
