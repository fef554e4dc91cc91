package proof

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/outage/history"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// fact is a line of what a record says.
type fact struct {
	Name, Value string
	// Mono: the value is compared letter by letter.
	Mono bool
}

// maxShown bounds a text that a record quotes, in characters.
const maxShown = 200

// oneLine returns a text for one line of the page: what cannot be printed, and what changes the
// direction of writing, is escaped.
func oneLine(text string) string {
	if utf8.RuneCountInString(text) > maxShown {
		text = string([]rune(text)[:maxShown]) + "…"
	}
	return printable.OneLine(text)
}

// factsOf returns what a record says about who, when and what. again: the record is the intent of one
// that has said what it is about.
func (p *proofPage) factsOf(r *audit.Record, again bool) []fact {
	if r.Kind == audit.KindOutage {
		return p.outageFacts(r)
	}
	who, _ := r.Reader()
	all := []fact{
		{p.T("when"), p.Moment(r.Time) + " (UTC−3)", false},
		{p.T("operation"), p.line(r.Operation), false},
		{p.T("kind"), p.T("kind." + r.Kind.String()), false},
		{p.T("outcome"), p.outcomeText(r), false},
		{p.T("certainty"), p.certaintyText(r), false},
		{p.T("codes.gateway"), p.line(strings.Join(findingCodes(r), " ")), false},
		{p.T("codes.answer"), p.line(strings.Join(answerCodes(r), " ")), false},
		{p.T("client"), strings.TrimSpace(p.line(who) + " " + oneLine(r.ClientAddress)), false},
		{p.T("gateway"), oneLine(r.Node), false},
		{p.T("upstream"), p.upstream(r), false},
		{p.T("environment"), p.Voice().Environment(environment.Of(r)), false},
		{p.T("exchange"), oneLine(r.ID), true},
		{p.T("digest.request"), p.digestText(r.RequestDigest, r.RequestLength), true},
		{p.T("digest.answer"), p.digestText(r.AnswerDigest, r.AnswerLength), true},
	}
	if !again {
		all = append([]fact{{p.T("voucher"), p.vouchersText(r), false}, {p.T("issuer"), story.IssuerOf(r), false}}, all...)
	}
	return known(all)
}

// known leaves out the facts without a value.
func known(all []fact) []fact {
	return slices.DeleteFunc(all, func(f fact) bool { return f.Value == "" })
}

// outageFacts returns the begin, the end and the length of an outage, and the service, as the record has them.
func (p *proofPage) outageFacts(r *audit.Record) []fact {
	all := []fact{
		{p.T("kind"), p.T("kind.outage"), false},
		{p.T("outage.began"), p.Moment(r.Time) + " (UTC−3)", false},
	}
	o, err := history.Of(r)
	switch {
	case err != nil: // its content is odd: the rest is in the summary
	case o.Lasts():
		all = append(all, fact{p.T("outage.ended"), p.T("outage.noticed"), false})
	default:
		all = append(all, fact{p.T("outage.ended"), p.Moment(o.Ended) + " (UTC−3)", false}, fact{p.T("outage.lasted"), p.Voice().Duration(o.Length()), false})
	}
	if err == nil {
		all = append(all, fact{p.T("outage.service"), p.line(o.Service), false})
		if n := o.Count(); n > 0 {
			all = append(all, fact{p.T("outage.failures"), p.Count(int64(n)), false})
		}
		for _, shown := range []struct{ key, record string }{{"first", o.First}, {"last", o.Last}, {"answer", o.Answer}} {
			all = append(all, fact{p.T("outage." + shown.key), oneLine(shown.record), true})
		}
	}
	return known(append(all, fact{p.T("gateway"), oneLine(r.Node), false}, fact{p.T("upstream"), p.upstream(r), false}, fact{p.T("environment"), p.Voice().Environment(environment.Of(r)), false}, fact{p.T("exchange"), oneLine(r.ID), true}))
}

// vouchersText names the vouchers with their codes, as far as they fit in a line.
func (p *proofPage) vouchersText(r *audit.Record) string {
	text := story.VouchersOf(r)
	if len(r.Vouchers) == 0 || text == r.Operation {
		return ""
	}
	code := story.FirstCode(r)
	if code == "" {
		return text
	}
	text += " · CAE " + oneLine(p.hide.Code(code))
	for _, v := range r.Vouchers {
		if v.Code == code && v.Expires != "" {
			return text + " (" + spanish.Day(wsfev1.Date(p.hide.Code(v.Expires))) + ")"
		}
	}
	return text
}

func (p *proofPage) outcomeText(r *audit.Record) string {
	if r.Kind == audit.KindIntent {
		return "" // its outcome's text counts
	}
	return p.line(p.Voice().Outcome(r))
}

func (p *proofPage) certaintyText(r *audit.Record) string {
	if r.Kind == audit.KindIntent {
		return ""
	}
	return p.T("certainty." + string(r.Certainty))
}

func (p *proofPage) digestText(digest [32]byte, length int64) string {
	text := printable.Digest(digest)
	if text == "" || p.Masked { // all else of a body may be known: the document could be tried
		return ""
	}
	return text + " · " + strconv.FormatInt(length, 10) + " bytes"
}

// HasMono reports whether a digest is among the facts.
func (v recordView) HasMono() bool {
	return slices.ContainsFunc(v.Facts, func(f fact) bool { return f.Mono })
}

// upstream names the server that was asked.
func (p *proofPage) upstream(r *audit.Record) string {
	if r.Upstream == audit.BuiltInUpstream {
		return p.T("test.service")
	}
	return oneLine(r.Upstream)
}
