package audit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// ErrEncoding is wrapped by the errors of Decode.
var ErrEncoding = errors.New("not the canonical form of a record")

// The least bytes that an item of a list takes. They bound what a damaged count
// can make Decode allocate.
const (
	minVoucher = 4
	minFinding = 8
)

// Decode reads what Encode wrote; Log and Index stay empty. It accepts exactly
// the canonical forms: encoding what it returns gives data again. The record
// shares no memory with data. Errors wrap ErrEncoding.
func Decode(data []byte) (*Record, error) {
	d := decoder{rest: data}
	if d.version = d.byte(); d.err == nil && (d.version < firstVersion || d.version > newestVersion) {
		return nil, fmt.Errorf("version %d of the record's form, this build reads %d to %d: %w",
			d.version, firstVersion, newestVersion, ErrEncoding)
	}
	r := &Record{Kind: Kind(d.byte())}
	if r.Kind < KindExchange || r.Kind > KindOutcome {
		d.fail("kind of record")
	}
	d.head(r)
	d.subject(r)
	d.verdict(r)
	d.bodies(r)
	if len(d.rest) > 0 {
		d.fail("bytes after the record")
	}
	if d.version != r.version() {
		d.fail("a later version than the record needs")
	}
	if d.err != nil {
		return nil, d.err
	}
	return r, nil
}

// decoder reads from rest until the first error, after which it returns zeros.
type decoder struct {
	rest    []byte
	version byte
	err     error
}

func (d *decoder) head(r *Record) {
	r.ID = d.text()
	r.Intent = d.uvarint()
	r.Time = time.UnixMicro(d.varint()).UTC()
	r.Duration = time.Duration(d.varint())
	r.Node, r.ClientAddress, r.ClientIdentity = d.text(), d.text(), d.text()
}

func (d *decoder) subject(r *Record) {
	r.Operation = d.text()
	r.Cuit = wsfev1.CUIT(d.varint())
	r.PtoVta, r.CbteTipo = d.int32(), d.int32()
	if n := d.count(minVoucher); n > 0 {
		r.Vouchers = make([]Voucher, n)
		for i := range r.Vouchers {
			r.Vouchers[i] = Voucher{
				CbteDesde: d.varint(), CbteHasta: d.varint(), Code: d.text(), Resultado: d.text(),
			}
		}
	}
	r.Resultado = d.text()
}

func (d *decoder) verdict(r *Record) {
	r.Decision, r.Outcome, r.Certainty = d.text(), d.text(), Certainty(d.text())
	if n := d.count(minFinding); n > 0 {
		r.Findings = make([]Finding, n)
		for i := range r.Findings {
			r.Findings[i] = Finding{
				Code: d.text(), Severity: d.text(), Pointer: d.text(), Action: d.text(), Text: d.text(),
				Expected: d.text(), Got: d.text(), Tolerance: d.text(),
			}
			if d.version >= differenceVersion {
				r.Findings[i].Difference = d.text()
			}
		}
	}
	r.Status = int(d.int32())
	r.Upstream, r.Detail = d.text(), d.text()
}

func (d *decoder) bodies(r *Record) {
	flags := d.byte()
	if flags > hasRequestDigest|hasAnswerDigest {
		d.fail("flags")
	}
	if flags&hasRequestDigest != 0 {
		r.RequestDigest = d.digest()
	}
	if flags&hasAnswerDigest != 0 {
		r.AnswerDigest = d.digest()
	}
	r.RequestLength, r.AnswerLength = d.varint(), d.varint()
	r.Request, r.Answer = d.body(), d.body()
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%s: %w", what, ErrEncoding)
	}
	d.rest = nil
}

func (d *decoder) take(n uint64, what string) []byte {
	if n > uint64(len(d.rest)) {
		d.fail(what)
		return nil
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) byte() byte {
	if b := d.take(1, "end of data"); len(b) == 1 {
		return b[0]
	}
	return 0
}

// uvarint refuses a number with more bytes than it needs: two forms of one record
// would let a changed byte go unseen.
func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || n > 1 && d.rest[n-1] == 0 {
		d.fail("number")
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) varint() int64 {
	u := d.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (d *decoder) int32() int32 {
	v := d.varint()
	if v < math.MinInt32 || v > math.MaxInt32 {
		d.fail("number of more than 32 bits")
		return 0
	}
	return int32(v)
}

func (d *decoder) text() string { return string(d.take(d.uvarint(), "text")) }

func (d *decoder) body() []byte {
	return append([]byte(nil), d.take(d.uvarint(), "body")...)
}

func (d *decoder) count(minItem int) uint64 {
	n := d.uvarint()
	if n > uint64(len(d.rest)/minItem) {
		d.fail("count")
		return 0
	}
	return n
}

// digest refuses zeros, which have another form: no digest.
func (d *decoder) digest() (digest [32]byte) {
	if copy(digest[:], d.take(32, "digest")); digest == ([32]byte{}) {
		d.fail("digest")
	}
	return digest
}
