package exchange

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/internal/members"
)

// Request is the request of an exchange, for a page on which its reader corrects it.
type Request struct {
	// Record is the record of the page's address, and Address the page of the exchange. Outcome is how that ended,
	// in words, with its Class.
	Record, Address, Outcome, Class string
	Operation                       string
	At                              time.Time
	// Text is the request without Token and Sign, indented; empty if it is hidden as a whole. Twin: it is the
	// same in JSON as a message in SOAP.
	Text string
	Twin bool
	// Redacted: fingerprints stand in it for values that the gateway does not keep.
	Redacted bool
	// Said are the service's messages.
	Said []Said
	// Masked: documents of receivers are hidden in it. Revealed: they would be, and the reader wanted to see
	// them.
	Masked, Revealed bool
}

// refusedBy are the outcomes of requests that the gateway or the service has refused.
var refusedBy = []audit.Outcome{audit.OutcomeRefused, audit.OutcomeMalformed, audit.OutcomeRejected, audit.OutcomePartial}

// IsRefused reports whether an outcome says that the gateway or the service has refused a request, or a part of it.
func IsRefused(outcome audit.Outcome) bool { return slices.Contains(refusedBy, outcome) }

// CanTry reports whether the request of an exchange was refused, and is kept.
func CanTry(x *story.Exchange) bool {
	return IsRefused(x.Result().Outcome) && requestIn(x) != nil
}

// requestIn returns the request of an exchange as it is tried, nil if it is not kept. Of a message in SOAP that was
// malformed there may be the same in JSON, but that does not show the mistake.
func requestIn(x *story.Exchange) *story.Document {
	if kind := x.At.Kind; kind == audit.KindAccess || kind == audit.KindOutage {
		return nil
	}
	parts := []string{story.PartRequest, story.PartClientRequest}
	if x.Result().Outcome == audit.OutcomeMalformed {
		slices.Reverse(parts)
	}
	for _, part := range parts {
		if d := x.Document(part); d != nil && len(d.Kept) > 0 {
			return d
		}
	}
	return nil
}

// ReadRequest reads the request of the exchange of a record, as the reader may see it. The error is ErrNotFound if
// there is no such record, or its request is not kept.
func ReadRequest(s *site.Site, r *http.Request, f *site.Frame, reveal bool) (*Request, error) {
	log, mark, index, err := site.PlaceOf(r)
	if err != nil {
		return nil, err
	}
	p := &exchangePage{Frame: *f, mark: mark}
	made := &Request{Record: audit.Address(log, index), Address: p.AddressOf(log, index), Masked: f.Masks && !reveal, Revealed: f.Masks && reveal}
	err = s.Read(r, log+mark, doing(made.Revealed, log, index)+" request", func(sources []site.Source) error {
		sources, done := f.Tolerant(sources)
		defer done()
		x, err := chainOf(r.Context(), &sources[0], log, index)
		if err != nil {
			return err
		}
		d := requestIn(x)
		if d == nil {
			return site.ErrNotFound
		}
		p.voice.Lang = story.LangOf(p.Lang)
		if made.Masked {
			p.mask = maskOf(x)
			p.voice.Hide = p.mask
		}
		result := x.Result()
		made.Outcome, made.Class, made.At = p.voice.Outcome(result), story.ClassOf(result), x.Request().Time
		made.Operation = result.Operation
		if p.addSaid(result); result.Certainty == audit.Answered {
			made.Said = p.Said
		}
		made.write(d, p)
		return nil
	})
	return made, err
}

// write writes the text.
func (q *Request) write(d *story.Document, p *exchangePage) {
	kept, ok := hidden(d, p.mask)
	if !ok {
		return
	}
	if d.IsXML() {
		text, _ := p.indented(d, kept, nil)
		q.Text = printable.Lines(strings.ToValidUTF8(text, ""))
	} else {
		q.Twin = d.Of.Client != nil && d.Of.Client.Form != audit.FormJSON
		kept = members.Remove(kept, "/Auth", "Token", "Sign")
		var err error
		if q.Text, err = printable.JSON(kept); err != nil {
			q.Text = printable.Lines(strings.ToValidUTF8(string(kept), ""))
		}
	}
	q.Redacted = strings.Contains(q.Text, "hmac-sha256:")
}
