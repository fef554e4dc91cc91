package export

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

// recordLine is a record as it stands in a line of an export: everything that its canonical form is
// made from. So the tree proves the very text that people read.
type recordLine struct {
	audit.Record
	// content is the hash of a content that is not there.
	content [32]byte
	// leaf is the record's leaf hash as the line has it. It can be computed; a line that was
	// edited is named by it.
	leaf tlog.Hash
}

// lineMembers are the members of a line. They are the form "fielato-export/5": lines
// that were written must stay readable. In "fielato-export/8" no record has an environment, in "fielato-export/7" no record has a certificate or a way, in "fielato-export/6" no record has a client_table or a client_row, in "fielato-export/5" no record has an origin or a cause, in "fielato-export/4" no purge has a retention and no record a sent_fingerprint, in "fielato-export/3" no record has a leg, in
// "fielato-export/2" none has a trace identifier, in "fielato-export/1" none has a purge either.
var lineMembers = []member[recordLine]{
	text("log", func(l *recordLine) *string { return &l.Log }),
	position("index", func(l *recordLine) *uint64 { return &l.Index }, always),
	word("kind", map[audit.Kind]string{
		audit.KindExchange: audit.KindExchange.String(), audit.KindIntent: audit.KindIntent.String(),
		audit.KindOutcome: audit.KindOutcome.String(), audit.KindAccess: audit.KindAccess.String(),
		audit.KindSettlement: audit.KindSettlement.String(), audit.KindOutage: audit.KindOutage.String(),
	}, func(l *recordLine) *audit.Kind { return &l.Kind }),
	text("id", func(l *recordLine) *string { return &l.ID }),
	position("intent", func(l *recordLine) *uint64 { return &l.Intent },
		func(l *recordLine) bool { return l.Kind == audit.KindOutcome || l.Intent != 0 }),
	text("intent_log", func(l *recordLine) *string { return &l.IntentLog }),
	moment("time", func(l *recordLine) *time.Time { return &l.Time }),
	integer("duration_ns", func(l *recordLine) *time.Duration { return &l.Duration }),
	text("node", func(l *recordLine) *string { return &l.Node }),
	text("client_address", func(l *recordLine) *string { return &l.ClientAddress }),
	text("client_identity", func(l *recordLine) *string { return &l.ClientIdentity }),
	text("operation", func(l *recordLine) *string { return &l.Operation }),
	integer("cuit", func(l *recordLine) *wsfev1.CUIT { return &l.Cuit }),
	integer("pto_vta", func(l *recordLine) *int32 { return &l.PtoVta }),
	integer("cbte_tipo", func(l *recordLine) *int32 { return &l.CbteTipo }),
	list("vouchers", voucherMembers, func(l *recordLine) *[]audit.Voucher { return &l.Vouchers }),
	text("resultado", func(l *recordLine) *string { return &l.Resultado }),
	text("decision", func(l *recordLine) *audit.Decision { return &l.Decision }),
	text("outcome", func(l *recordLine) *audit.Outcome { return &l.Outcome }),
	text("certainty", func(l *recordLine) *audit.Certainty { return &l.Certainty }),
	list("findings", findingMembers, func(l *recordLine) *[]audit.Finding { return &l.Findings }),
	integer("status", func(l *recordLine) *int { return &l.Status }),
	text("upstream", func(l *recordLine) *string { return &l.Upstream }),
	integer("request_length", func(l *recordLine) *int64 { return &l.RequestLength }),
	integer("answer_length", func(l *recordLine) *int64 { return &l.AnswerLength }),
	hexadecimal("fingerprint", func(l *recordLine) []byte { return l.Fingerprint[:] }),
	hexadecimal("idempotency_key", func(l *recordLine) []byte { return l.IdempotencyKey[:] }),
	object("purge", purgeMembers, func(l *recordLine) **audit.PurgeScope { return &l.Purge }),
	hexadecimal("trace_id", func(l *recordLine) []byte { return l.TraceID[:] }),
	object("client", legMembers, func(l *recordLine) **audit.Leg { return &l.Client }),
	object("service", legMembers, func(l *recordLine) **audit.Leg { return &l.Service }),
	hexadecimal("sent_fingerprint", func(l *recordLine) []byte { return l.SentFingerprint[:] }),
	text("origin", func(l *recordLine) *string { return &l.Origin }),
	text("cause", func(l *recordLine) *audit.Cause { return &l.Cause }),
	text("client_table", func(l *recordLine) *string { return &l.ClientTable }),
	text("client_row", func(l *recordLine) *string { return &l.ClientRow }),
	text("certificate", func(l *recordLine) *string { return &l.Certificate }),
	text("way", func(l *recordLine) *audit.Way { return &l.Way }),
	text("environment", func(l *recordLine) *audit.Environment { return &l.Environment }),
	word("content", map[audit.Presence]string{audit.Purged: audit.Purged.String(), audit.Sealed: audit.Sealed.String()},
		func(l *recordLine) *audit.Presence { return &l.Presence }),
	hexadecimal("content_sha256", func(l *recordLine) []byte { return l.content[:] }),
	hexadecimal("salt", func(l *recordLine) []byte { return l.Salt[:] }),
	text("detail", func(l *recordLine) *string { return &l.Detail }),
	hexadecimal("request_sha256", func(l *recordLine) []byte { return l.RequestDigest[:] }),
	text("request", func(l *recordLine) *[]byte { return &l.Request }),
	hexadecimal("answer_sha256", func(l *recordLine) []byte { return l.AnswerDigest[:] }),
	text("answer", func(l *recordLine) *[]byte { return &l.Answer }),
	hexadecimal("leaf", func(l *recordLine) []byte { return l.leaf[:] }),
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

// appendLine appends the line of a record with this form, and a line feed.
func appendLine(dst []byte, r *audit.Record, form audit.Form) []byte {
	return new(recordLine).append(dst, r, form, form.Leaf())
}

// append is appendLine for a line whose memory is used again. The leaf is form.Leaf.
func (l *recordLine) append(dst []byte, r *audit.Record, form audit.Form, leaf tlog.Hash) []byte {
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

// lineReader reads lines. It keeps its buffers, and is for one goroutine.
type lineReader struct {
	decoder *jsontext.Decoder
	again   []byte
	form    []byte
}

// read reads a line, which has its end. It accepts exactly what appendLine writes, and
// returns the record with its leaf; they share no memory with the line.
func (lr *lineReader) read(line []byte) (*audit.Record, tlog.Hash, error) {
	if lr.decoder == nil {
		lr.decoder = new(jsontext.Decoder)
	}
	lr.decoder.Reset(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true)) // the order refuses them
	l := new(recordLine)
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
	lr.again = appendLine(slices.Grow(lr.again[:0], len(line)), &l.Record, form)
	if !bytes.Equal(lr.again, line) {
		return &l.Record, l.leaf, errLineForm
	}
	return &l.Record, l.leaf, nil
}

// encode makes the form of a line's record again. It lives until the next call.
func (lr *lineReader) encode(l *recordLine) audit.Form {
	if l.Presence != audit.Present {
		lr.form = l.AppendSummary(lr.form[:0], l.content)
		return audit.Form{Summary: lr.form, Presence: l.Presence}
	}
	form := l.Encode(slices.Grow(lr.form[:0], l.EncodedSize()))
	lr.form = form.Content
	return form
}
