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

// each calls yield with each invoice of a lot, until it returns false.
func (r *Row) each(yield func(backend.Invoice) bool) error {
	plain, err := decompressed(r.Lot)
	if err != nil {
		return err
	}
	c := cursor{rest: plain}
	before := backend.Invoice{CbteHasta: r.CbteDesde - 1}
	for range c.number(maxInvoices) {
		v := c.invoice(&before)
		if c.damaged {
			return errDamaged
		}
		before = v
		if !yield(v) {
			return nil
		}
	}
	if c.damaged || len(c.rest) > 0 || before.CbteHasta != r.CbteHasta {
		return errDamaged
	}
	return nil
}

func decompressed(lot []byte) ([]byte, error) {
	if len(lot) == 0 || lot[0] != formS2 {
		return nil, fmt.Errorf("of a form that this build does not know: %w", errDamaged)
	}
	n, err := s2.DecodedLen(lot[1:])
	if err != nil || n > maxPlain {
		return nil, errDamaged
	}
	plain, err := s2.Decode(make([]byte, n), lot[1:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return plain, nil
}

// cursor reads a decompressed lot. After damage it returns zeros.
type cursor struct {
	rest    []byte
	damaged bool
}

func (c *cursor) invoice(before *backend.Invoice) (v backend.Invoice) {
	flags := c.take(1)
	if c.damaged {
		return v
	}
	has := func(flag byte) bool { return flags[0]&flag != 0 }
	v.CbteDesde = before.CbteHasta + 1
	if v.CbteHasta = v.CbteDesde; has(spans) {
		v.CbteHasta += int64(c.number(backend.MaxNumber))
	}
	text := func(same byte, before string) string {
		if has(same) {
			return before
		}
		return string(c.text())
	}
	v.CbteFch = wsfev1.Date(text(sameFch, string(before.CbteFch)))
	v.Code = text(sameCode, before.Code)
	v.EmisionTipo = text(sameEmision, before.EmisionTipo)
	v.FchVto = wsfev1.Date(text(sameVto, string(before.FchVto)))
	v.FchProceso = wsfev1.Timestamp(text(sameProceso, string(before.FchProceso)))
	v.Detail = c.text()
	if has(observed) {
		v.Observaciones = c.text()
	}
	return v
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
