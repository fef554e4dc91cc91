package rows

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/s2"

	"github.com/fielato/fielato/internal/backend"
)

// formS2 is the first byte of a lot in S2.
const formS2 = 1

// The flags of an invoice in a lot.
const (
	// spans: the invoice has several numbers.
	spans = 1 << iota
	// observed: the invoice has Observaciones.
	observed
	// same…: the member is the same as in the invoice before.
	sameFch
	sameCode
	sameEmision
	sameVto
	sameProceso
)

// scratch holds a lot before and after it is compressed.
type scratch struct{ plain, packed []byte }

var pool = sync.Pool{New: func() any { return new(scratch) }}

// maxPooled bounds the buffers that are kept. A usual lot takes a tenth of it.
const maxPooled = maxTexts

// pack returns the invoices as Row.Lot.
func pack(invoices []backend.Invoice) []byte {
	s := pool.Get().(*scratch)
	s.plain = binary.AppendUvarint(s.plain[:0], uint64(len(invoices)))
	before := &backend.Invoice{}
	for i := range invoices {
		s.plain = appendInvoice(s.plain, &invoices[i], before)
		before = &invoices[i]
	}
	if n := s2.MaxEncodedLen(len(s.plain)); n > cap(s.packed) {
		s.packed = make([]byte, n)
	}
	block := s2.Encode(s.packed[:cap(s.packed)], s.plain)
	lot := append(append(make([]byte, 0, 1+len(block)), formS2), block...)
	s.release()
	return lot
}

func (s *scratch) release() {
	if cap(s.plain) <= maxPooled {
		pool.Put(s)
	}
}

func appendInvoice(b []byte, v, before *backend.Invoice) []byte {
	at := len(b)
	b = append(b, 0)
	var flags byte
	if v.CbteHasta != v.CbteDesde {
		flags |= spans
		b = binary.AppendUvarint(b, uint64(v.CbteHasta-v.CbteDesde))
	}
	for _, member := range []struct {
		same         byte
		text, before string
	}{
		{sameFch, string(v.CbteFch), string(before.CbteFch)},
		{sameCode, v.Code, before.Code},
		{sameEmision, v.EmisionTipo, before.EmisionTipo},
		{sameVto, string(v.FchVto), string(before.FchVto)},
		{sameProceso, string(v.FchProceso), string(before.FchProceso)},
	} {
		if member.text == member.before {
			flags |= member.same
			continue
		}
		b = append(binary.AppendUvarint(b, uint64(len(member.text))), member.text...)
	}
	b = append(binary.AppendUvarint(b, uint64(len(v.Detail))), v.Detail...)
	if len(v.Observaciones) > 0 {
		flags |= observed
		b = append(binary.AppendUvarint(b, uint64(len(v.Observaciones))), v.Observaciones...)
	}
	b[at] = flags
	return b
}
