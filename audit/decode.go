package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// ErrEncoding is wrapped by the errors of Decode.
var ErrEncoding = errors.New("not the canonical form of a record")

// The least bytes that an item of a list takes. They bound what a damaged count
// can make Decode allocate.
const (
	minVoucher = 5
	minFinding = 4
)

// Decode reads what Encode wrote; Log and Index stay empty. It accepts exactly the
// canonical forms, and a content only if it is the one that the summary names: encoding
// what it returns gives the form again. Of a form without content it reads the summary.
// The record shares no memory with the form. Errors wrap ErrEncoding.
func Decode(form Form) (*Record, error) {
	r := new(Record)
	if err := r.decode(form, false); err != nil {
		return nil, err
	}
	return r, nil
}

// DecodeInto is Decode for a record that is there already, whose memory it uses again. The
// bodies stay in the form's memory. Of a form that is not canonical it leaves what could be
// read.
func DecodeInto(r *Record, form Form) error { return r.decode(form, true) }

// decode reads the form. With shared, bodies are in the form's memory.
func (r *Record) decode(form Form, shared bool) error {
	d := decoder{rest: form.Summary, summary: string(form.Summary), shared: shared}
	*r = Record{Presence: form.Presence, Vouchers: r.Vouchers[:0], Findings: r.Findings[:0]}
	fields := d.version()
	r.Kind = Kind(d.byte())
	if r.Kind < KindExchange || r.Kind > KindOutage {
		d.fail("kind of record")
	}
	d.head(r, fields)
	d.subject(r)
	d.decision(r)
	d.optional(r, fields)
	hash := d.hash()
	if len(d.rest) > 0 {
		d.fail("bytes after the record")
	}
	if d.err == nil && form.Presence == Present {
		d.content(r, form.Content, hash)
	}
	return d.err
}

// decoder reads from rest until the first error, after which it returns zeros.
type decoder struct {
	rest []byte
	err  error
	// summary is what rest was at first, empty in the content: a text of the summary
	// is a part of it, so that a record costs one piece of memory and not a dozen.
	summary string
	shared  bool
}

func (d *decoder) head(r *Record, fields uint64) {
	r.ID = d.text()
	r.Intent = d.uvarint()
	if fields&hasIntentLog != 0 {
		r.IntentLog = d.present("log of the intent")
	}
	r.Time = time.UnixMicro(d.varint()).UTC()
	r.Duration = time.Duration(d.varint())
	r.Node, r.ClientAddress, r.ClientIdentity = d.text(), d.text(), d.text()
}

func (d *decoder) subject(r *Record) {
	r.Operation = d.text()
	r.Cuit = wsfev1.CUIT(d.varint())
	r.PtoVta, r.CbteTipo = d.int32(), d.int32()
	if n := d.count(minVoucher); n > 0 {
		r.Vouchers = slices.Grow(r.Vouchers, int(n))[:n]
		for i := range r.Vouchers {
			r.Vouchers[i] = Voucher{
				CbteDesde: d.varint(), CbteHasta: d.varint(), Code: d.text(), Expires: d.text(), Resultado: d.text(),
			}
		}
	}
	r.Resultado = d.text()
}

func (d *decoder) decision(r *Record) {
	r.Decision, r.Outcome, r.Certainty = Decision(d.text()), Outcome(d.text()), Certainty(d.text())
	if n := d.count(minFinding); n > 0 {
		r.Findings = slices.Grow(r.Findings, int(n))[:n]
		for i := range r.Findings {
			r.Findings[i] = Finding{Code: d.text(), Severity: d.text(), Pointer: d.text(), Action: d.text()}
		}
	}
	r.Status = int(d.int32())
	r.Upstream = d.text()
	r.RequestLength, r.AnswerLength = d.varint(), d.varint()
	r.Fingerprint, r.IdempotencyKey = d.mark(), d.mark()
}

// content reads the other part.
func (d *decoder) content(r *Record, content []byte, hash [32]byte) {
	if sha256.Sum256(content) != hash {
		d.fail("the content is not the one that the summary names")
		return
	}
	d.rest, d.summary = content, ""
	copy(r.Salt[:], d.take(uint64(len(r.Salt)), "salt"))
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Text, f.Expected, f.Got, f.Tolerance, f.Difference = d.text(), d.text(), d.text(), d.text(), d.text()
	}
	r.Detail = d.text()
	r.RequestDigest, r.AnswerDigest, r.Request, r.Answer = d.bodies()
	for _, l := range []*Leg{r.Client, r.Service} {
		if l != nil {
			l.RequestDigest, l.AnswerDigest, l.Request, l.Answer = d.bodies()
		}
	}
	if len(d.rest) > 0 {
		d.fail("bytes after the content")
	}
}

// bodies reads what appendBodies wrote.
func (d *decoder) bodies() (requestDigest, answerDigest [32]byte, request, answer []byte) {
	flags := d.byte()
	if flags > hasRequestDigest|hasAnswerDigest {
		d.fail("flags")
	}
	if flags&hasRequestDigest != 0 {
		requestDigest = d.digest()
	}
	if flags&hasAnswerDigest != 0 {
		answerDigest = d.digest()
	}
	return requestDigest, answerDigest, d.body(), d.body()
}

func (d *decoder) fail(what string) { d.refuse(fmt.Errorf("%s: %w", what, ErrEncoding)) }

// refuse ends the form with an error, unless it has ended with another one.
func (d *decoder) refuse(err error) {
	if d.err == nil {
		d.err = err
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

func (d *decoder) text() string {
	n := d.uvarint()
	from := len(d.summary) - len(d.rest)
	text := d.take(n, "text")
	if d.summary != "" {
		return d.summary[from : from+len(text)]
	}
	return string(text)
}

func (d *decoder) body() []byte {
	body := d.take(d.uvarint(), "body")
	if d.shared && len(body) > 0 {
		return slices.Clip(body)
	}
	return append([]byte(nil), body...)
}

func (d *decoder) count(minItem int) uint64 {
	n := d.uvarint()
	if n > uint64(len(d.rest)/minItem) {
		d.fail("count")
		return 0
	}
	return n
}

func (d *decoder) hash() (hash [32]byte) {
	copy(hash[:], d.take(uint64(len(hash)), "hash"))
	return hash
}

// mark refuses zeros, which have another form.
func (d *decoder) mark() (mark [16]byte) {
	text := d.take(d.uvarint(), "mark")
	if len(text) == 0 {
		return mark
	}
	if len(text) != len(mark) || [16]byte(text) == mark {
		d.fail("mark")
		return mark
	}
	return [16]byte(text)
}

// digest refuses zeros, which have another form: no digest.
func (d *decoder) digest() [32]byte {
	digest := d.hash()
	if digest == ([32]byte{}) {
		d.fail("digest")
	}
	return digest
}
