package invoice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// step is something that happened to the invoice: an exchange, or several of the same kind in a row.
type step struct {
	When, Machine, Text, Class string
	// Lot says that the invoice was in a lot; empty if it was alone.
	Lot string
	// Environment is the service that was asked, where the exchanges were with several.
	Environment string
	// Count says how often it happened, and when the last time was; empty for once.
	Count    string
	Attempts []attempt

	at   time.Time
	kind string
}

// attempt is one exchange, with the address of its page.
type attempt struct{ When, Name, Address string }

// steps tells what was tried, oldest first. What has the same outcome as the exchange before it is one step
// with it.
func (p *invoicePage) steps(f *found) []step {
	var all []step
	for i := range f.parts {
		part := &f.parts[i]
		for _, s := range part.Invoice.Entries {
			all = append(all, p.stepOf(f, part, s))
		}
		for _, o := range part.Invoice.Outages {
			all = append(all, p.outage(part, o.Began, "story.outage", story.Bad)...)
			all = append(all, p.outage(part, o.Ended, "story.outage_over", story.Good)...)
		}
	}
	slices.SortStableFunc(all, func(a, b step) int { return a.at.Compare(b.at) })
	return p.fold(all)
}

// stepOf tells of one exchange.
func (p *invoicePage) stepOf(f *found, of *part, s *story.Entry) step {
	at := s.Began
	if s.Kind == audit.KindSettlement {
		at = s.Known()
	}
	one := step{
		When: p.Moment(at), Machine: machine(at), Class: classOf(s), at: at,
		kind: fmt.Sprint(s.Kind == audit.KindIntent, s.Outcome, s.IsOwn(), s.IsQuestion(), s.Voucher.Resultado, s.Voucher.Code, s.Codes),
	}
	if s.Kind == audit.KindSettlement || s.IsAuthorised() && s.Outcome != audit.OutcomeReplayed {
		one.kind += s.Address() // what settles the state stands alone
	}
	if p.Lang == "en" {
		one.Text = p.english(s)
	} else {
		one.Text = of.Invoice.Result(s)
	}
	one.Text = f.hide.Text(one.Text)
	if s.Lot > 1 {
		one.Lot = fmt.Sprintf(p.T("in_lot"), p.Count(int64(s.Lot)))
	}
	if p.mixed {
		one.Environment = p.voice.Environment(of.Invoice.EnvironmentOf(s))
		one.kind += one.Environment
	}
	one.Attempts = []attempt{{one.When, s.Address(), p.linkTo(of, s)}}
	return one
}

// linkTo returns the address of the page of an exchange. Within a lot it leads to the invoice.
func (p *invoicePage) linkTo(of *part, s *story.Entry) string {
	address := p.AddressOf(of.source.Key(s.Log), s.Index)
	if s.Lot < 2 || s.Position < 0 {
		return address
	}
	if from := s.Position - s.Position%tree.Window; from > 0 {
		address += "?from=" + strconv.Itoa(from)
	}
	return address + "#comprobante-" + strconv.Itoa(s.Position+1)
}

// classOf returns how the outcome of an exchange is to be looked at.
func classOf(s *story.Entry) story.Class {
	switch {
	case s.IsAuthorised():
		return story.Good
	case s.IsOpen():
		return story.Open
	case s.IsQuestion():
		return ""
	}
	return story.Bad
}

// outage tells of an end of an outage; nothing without its record.
func (p *invoicePage) outage(of *part, r *audit.Record, key string, class story.Class) []step {
	if r == nil {
		return nil
	}
	at := story.Ended(r)
	if class == story.Bad {
		at = r.Time
	}
	when := p.Moment(at)
	return []step{{
		When: when, Machine: machine(at), Text: p.T(key) + ".", Class: class, at: at, kind: r.Address(),
		Attempts: []attempt{{when, r.Address(), p.AddressOf(of.source.Key(r.Log), r.Index)}},
	}}
}

// fold makes one step of those in a row that are of the same kind.
func (p *invoicePage) fold(all []step) (folded []step) {
	for _, one := range all {
		if n := len(folded); n > 0 && folded[n-1].kind == one.kind {
			folded[n-1].Attempts = append(folded[n-1].Attempts, one.Attempts...)
			continue
		}
		folded = append(folded, one)
	}
	for i := range folded {
		one := &folded[i]
		n := len(one.Attempts)
		if n < 2 {
			continue
		}
		key := "times"
		if strings.Contains(one.kind, string(audit.OutcomeReplayed)) {
			key = "repeats"
		}
		one.Count = fmt.Sprintf(p.T(key), p.Count(int64(n)), one.Attempts[n-1].When)
	}
	return folded
}

func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// english words what an exchange has shown, for readers of English.
func (p *invoicePage) english(s *story.Entry) string {
	text := p.T("kind." + kindOf(s))
	if text == "" {
		text = p.T("kind.other") + " " + p.voice.OutcomeWord(s.Outcome)
	}
	if s.IsAuthorised() && s.Voucher.Code != "" {
		text += ", " + p.T("with_code") + " " + p.voice.Code(s.Voucher.Code)
	}
	return text + "."
}

// kindOf returns the key of the words for an exchange.
func kindOf(s *story.Entry) string {
	answer := map[bool]string{true: ".yes", false: ".no"}[s.IsAuthorised()]
	switch {
	case s.Kind == audit.KindIntent:
		return "intent"
	case s.Kind == audit.KindSettlement && s.Disputed:
		return "settled.denied" + answer
	case s.Kind == audit.KindSettlement:
		return "settled" + answer
	case s.IsQuestion() && s.Outcome != audit.OutcomeAnswered && s.Outcome != audit.OutcomeCached:
		return "question.nothing"
	case s.IsQuestion():
		return "question" + answer
	case s.Outcome == audit.OutcomePartial, s.Outcome == audit.OutcomeApproved, s.Outcome == audit.OutcomeObserved:
		return "answered" + answer
	}
	if s.Disputed {
		return string(s.Outcome) + ".denied"
	}
	return string(s.Outcome)
}
