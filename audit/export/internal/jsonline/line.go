package jsonline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Line is the memory in which lines are made one after the other.
type Line struct {
	audit.Record
	// content is the hash of a content that is not there.
	content [32]byte
	// leaf is the record's leaf hash as the line has it. It can be computed; a line that was
	// edited is named by it.
	leaf tlog.Hash
}

// lineMembers are the members of a line. They are the form "fielato-export/9": lines that were written must stay
// readable. Earlier forms have fewer members:
//
//   - in "fielato-export/8" no record has an environment,
//   - in /7 none has a certificate or a way,
//   - in /6 none has a client_table or a client_row,
//   - in /5 none has an origin or a cause,
//   - in /4 no purge has a retention, and no record a sent_fingerprint,
//   - in /3 no record has a leg,
//   - in /2 none has a trace identifier,
//   - in /1 none has a purge.
var lineMembers = []member[Line]{
	text("log", func(l *Line) *string { return &l.Log }),
	position("index", func(l *Line) *uint64 { return &l.Index }, always),
	word("kind", map[audit.Kind]string{
		audit.KindExchange: audit.KindExchange.String(), audit.KindIntent: audit.KindIntent.String(),
		audit.KindOutcome: audit.KindOutcome.String(), audit.KindAccess: audit.KindAccess.String(),
		audit.KindSettlement: audit.KindSettlement.String(), audit.KindOutage: audit.KindOutage.String(),
	}, func(l *Line) *audit.Kind { return &l.Kind }),
	text("id", func(l *Line) *string { return &l.ID }),
	position("intent", func(l *Line) *uint64 { return &l.Intent },
		func(l *Line) bool { return l.Kind == audit.KindOutcome || l.Intent != 0 }),
	text("intent_log", func(l *Line) *string { return &l.IntentLog }),
	moment("time", func(l *Line) *time.Time { return &l.Time }),
	integer("duration_ns", func(l *Line) *time.Duration { return &l.Duration }),
	text("node", func(l *Line) *string { return &l.Node }),
	text("client_address", func(l *Line) *string { return &l.ClientAddress }),
	text("client_identity", func(l *Line) *string { return &l.ClientIdentity }),
	text("operation", func(l *Line) *string { return &l.Operation }),
	integer("cuit", func(l *Line) *wsfev1.CUIT { return &l.Cuit }),
	integer("pto_vta", func(l *Line) *int32 { return &l.PtoVta }),
	integer("cbte_tipo", func(l *Line) *int32 { return &l.CbteTipo }),
	list("vouchers", voucherMembers, func(l *Line) *[]audit.Voucher { return &l.Vouchers }),
	text("resultado", func(l *Line) *string { return &l.Resultado }),
	text("decision", func(l *Line) *audit.Decision { return &l.Decision }),
	text("outcome", func(l *Line) *audit.Outcome { return &l.Outcome }),
	text("certainty", func(l *Line) *audit.Certainty { return &l.Certainty }),
	list("findings", findingMembers, func(l *Line) *[]audit.Finding { return &l.Findings }),
	integer("status", func(l *Line) *int { return &l.Status }),
	text("upstream", func(l *Line) *string { return &l.Upstream }),
	integer("request_length", func(l *Line) *int64 { return &l.RequestLength }),
	integer("answer_length", func(l *Line) *int64 { return &l.AnswerLength }),
	hexadecimal("fingerprint", func(l *Line) []byte { return l.Fingerprint[:] }),
	hexadecimal("idempotency_key", func(l *Line) []byte { return l.IdempotencyKey[:] }),
	object("purge", purgeMembers, func(l *Line) **audit.PurgeScope { return &l.Purge }),
	hexadecimal("trace_id", func(l *Line) []byte { return l.TraceID[:] }),
	object("client", legMembers, func(l *Line) **audit.Leg { return &l.Client }),
	object("service", legMembers, func(l *Line) **audit.Leg { return &l.Service }),
	hexadecimal("sent_fingerprint", func(l *Line) []byte { return l.SentFingerprint[:] }),
	text("origin", func(l *Line) *string { return &l.Origin }),
	text("cause", func(l *Line) *audit.Cause { return &l.Cause }),
	text("client_table", func(l *Line) *string { return &l.ClientTable }),
	text("client_row", func(l *Line) *string { return &l.ClientRow }),
	text("certificate", func(l *Line) *string { return &l.Certificate }),
	text("way", func(l *Line) *audit.Way { return &l.Way }),
	text("environment", func(l *Line) *audit.Environment { return &l.Environment }),
	word("content", map[audit.Presence]string{audit.Purged: audit.Purged.String(), audit.Sealed: audit.Sealed.String()},
		func(l *Line) *audit.Presence { return &l.Presence }),
	hexadecimal("content_sha256", func(l *Line) []byte { return l.content[:] }),
	hexadecimal("salt", func(l *Line) []byte { return l.Salt[:] }),
	text("detail", func(l *Line) *string { return &l.Detail }),
	hexadecimal("request_sha256", func(l *Line) []byte { return l.RequestDigest[:] }),
	text("request", func(l *Line) *[]byte { return &l.Request }),
	hexadecimal("answer_sha256", func(l *Line) []byte { return l.AnswerDigest[:] }),
	text("answer", func(l *Line) *[]byte { return &l.Answer }),
	hexadecimal("leaf", func(l *Line) []byte { return l.leaf[:] }),
}

// legMembers are the members of a leg. The last four are content.
var legMembers = []member[audit.Leg]{
	text("form", func(c *audit.Leg) *string { return &c.Form }),
	integer("request_length", func(c *audit.Leg) *int64 { return &c.RequestLength }),
	integer("answer_length", func(c *audit.Leg) *int64 { return &c.AnswerLength }),
	text("request_media_type", func(c *audit.Leg) *string { return &c.RequestType }),
	hexadecimal("request_sha256", func(c *audit.Leg) []byte { return c.RequestDigest[:] }),
	text("request", func(c *audit.Leg) *[]byte { return &c.Request }),
	hexadecimal("answer_sha256", func(c *audit.Leg) []byte { return c.AnswerDigest[:] }),
	text("answer", func(c *audit.Leg) *[]byte { return &c.Answer }),
}

var purgeMembers = []member[audit.PurgeScope]{
	integer("before", func(p *audit.PurgeScope) *audit.Period { return &p.Before }),
	position("first", func(p *audit.PurgeScope) *uint64 { return &p.First }, always),
	position("next", func(p *audit.PurgeScope) *uint64 { return &p.Next }, always),
	position("records", func(p *audit.PurgeScope) *uint64 { return &p.Records }, always),
	position("held_records", func(p *audit.PurgeScope) *uint64 { return &p.HeldRecords }, always),
	integers("held", func(p *audit.PurgeScope) *[]wsfev1.CUIT { return &p.Held }),
	object("retention", retentionMembers, func(p *audit.PurgeScope) **audit.PurgeRetention { return &p.Retention }),
}

var retentionMembers = []member[audit.PurgeRetention]{
	position("years", func(p *audit.PurgeRetention) *uint64 { return &p.Years }, always),
	text("override", func(p *audit.PurgeRetention) *string { return &p.Override }),
}

func always[T any](*T) bool { return true }

var voucherMembers = []member[audit.Voucher]{
	integer("cbte_desde", func(v *audit.Voucher) *int64 { return &v.CbteDesde }),
	integer("cbte_hasta", func(v *audit.Voucher) *int64 { return &v.CbteHasta }),
	text("code", func(v *audit.Voucher) *string { return &v.Code }),
	text("expires", func(v *audit.Voucher) *string { return &v.Expires }),
	text("resultado", func(v *audit.Voucher) *string { return &v.Resultado }),
}

var findingMembers = []member[audit.Finding]{
	text("code", func(f *audit.Finding) *string { return &f.Code }),
	text("severity", func(f *audit.Finding) *string { return &f.Severity }),
	text("action", func(f *audit.Finding) *string { return &f.Action }),
	text("pointer", func(f *audit.Finding) *string { return &f.Pointer }),
	text("text", func(f *audit.Finding) *string { return &f.Text }),
	text("expected", func(f *audit.Finding) *string { return &f.Expected }),
	text("got", func(f *audit.Finding) *string { return &f.Got }),
	text("difference", func(f *audit.Finding) *string { return &f.Difference }),
	text("tolerance", func(f *audit.Finding) *string { return &f.Tolerance }),
}

// Append appends the line of a record with this form, and a line feed.
func Append(dst []byte, r *audit.Record, form audit.Form) []byte {
	return new(Line).Append(dst, r, form, form.Leaf())
}

// Append is the function Append in memory that is used again. The leaf is form.Leaf.
func (l *Line) Append(dst []byte, r *audit.Record, form audit.Form, leaf tlog.Hash) []byte {
	l.Record, l.leaf, l.content = *r, leaf, [32]byte{}
	if form.Presence != audit.Present {
		l.content = form.ContentHash()
	}
	return append(appendObject(dst, lineMembers, l), '\n')
}

// The ways in which a line can be wrong, except for one that is no line at all.
var (
	errLineChanged = errors.New("the record was changed: its leaf hash is another one")
	errLineForm    = errors.New("the line is not written as an export writes it")
)

// Reader reads lines. It keeps its buffers, and is for one goroutine. Its zero value is ready.
type Reader struct {
	decoder *jsontext.Decoder
	again   []byte
	form    []byte
}

// Read reads a line, which has its end. It accepts exactly what Append writes, and
// returns the record with its leaf; they share no memory with the line. A record that comes with an error is named by
// it: it was changed, or is not written as Append writes it. Without a record the line is none.
func (lr *Reader) Read(line []byte) (*audit.Record, tlog.Hash, error) {
	if lr.decoder == nil {
		lr.decoder = new(jsontext.Decoder)
	}
	lr.decoder.Reset(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true)) // the order refuses them
	l := new(Line)
	if err := readObject(lr.decoder, lineMembers, l); err != nil {
		return nil, tlog.Hash{}, fmt.Errorf("no record of an export: %w", err)
	}
	if _, err := lr.decoder.ReadToken(); !errors.Is(err, io.EOF) || l.Kind == 0 {
		return nil, tlog.Hash{}, errLineForm
	}
	form := lr.encode(l)
	if form.Leaf() != l.leaf {
		return &l.Record, l.leaf, errLineChanged
	}
	if form.Presence != audit.Present {
		// Only the fields of the summary: a content that was added to the line is not proved.
		summary, err := audit.Decode(form)
		if err != nil {
			return nil, tlog.Hash{}, fmt.Errorf("no record of an export: %w", err)
		}
		summary.Log, summary.Index = l.Log, l.Index
		l.Record = *summary
	}
	lr.again = Append(slices.Grow(lr.again[:0], len(line)), &l.Record, form)
	if !bytes.Equal(lr.again, line) {
		return &l.Record, l.leaf, errLineForm
	}
	return &l.Record, l.leaf, nil
}

// encode makes the form of a line's record again. It lives until the next call.
func (lr *Reader) encode(l *Line) audit.Form {
	if l.Presence != audit.Present {
		lr.form = l.AppendSummary(lr.form[:0], l.content)
		return audit.Form{Summary: lr.form, Presence: l.Presence}
	}
	form := l.Encode(slices.Grow(lr.form[:0], l.EncodedSize()))
	lr.form = form.Content
	return form
}
