package tryit

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/documents"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// maxFindings is how many findings are shown of one request.
	maxFindings = 200
	// maxText is how long a text of a finding may be, in characters. A longer one repeats text that the
	// reader has pasted.
	maxText = 600
	// maxAnswer is how much of an answer is shown, in bytes.
	maxAnswer = 64 << 10
)

// verdict is what was found out about one request, in words. The script gets it as JSON.
type verdict struct {
	// Class is good, open or bad, empty if nothing was judged; Heading says it in words.
	Class, Heading string
	// About are further sentences. Used name the figures that were written into the document, and Edits lead there
	// from the document that came.
	About, Used []string
	Edits       []edit
	Operation   string
	Findings    []finding
	// More is how many findings are not shown, Rest says so.
	More int
	Rest string
	// Answer is the answer that the client would get, Status its HTTP status with its text; both empty if
	// the request would be passed on.
	Status, Answer string
	Day            string
	// Offers is how many figures are offered. Passes: the gateway would send the request on.
	Offers int
	Passes bool

	// document is the one that was judged as a page may show it; empty if it may not.
	document string
}

// finding is one finding, in words.
type finding struct {
	Code, Action, Class, Text string
	// Known: the catalogue has a page for the code.
	Known bool
	// Place is the member, Line and Column where it stands, 0 where that is not known.
	Place                                string
	Line, Column                         int
	Expected, Got, Difference, Tolerance string
	// Offer says which member may get the expected figure, and Use is the key of that; both empty for none.
	Offer, Use string
}

// nothing is the verdict about an empty box.
func (p *shown) nothing() *verdict { return &verdict{Heading: p.T("try.empty")} }

// verdictOf puts a result into words.
func (p *shown) verdictOf(one *tried) (*verdict, error) {
	j, result := one.judge, one.result
	v := &verdict{Operation: result.Operation, Day: p.Date, Used: one.used, Edits: one.edits, Offers: len(one.offers)}
	v.Class, v.Heading = p.headingOf(result)
	v.Passes = v.Class == "good" || v.Class == "open"
	if shown, ok := j.WithoutTicket(result, one.text); ok {
		v.document = printable.Lines(strings.ToValidUTF8(string(shown), ""))
	}
	if result.NoTicket {
		v.About = append(v.About, p.T("try.no_ticket"))
	}
	offered := map[string]string{}
	for i := range one.offers {
		offered[one.offers[i].key()] = p.sentence(&one.offers[i], len(result.Subject().Invoices))
	}
	for i := range result.Findings[:min(len(result.Findings), maxFindings)] {
		f := &result.Findings[i]
		shown := p.findingOf(*f, result.PlaceOf(f.Pointer))
		if shown.Offer = offered[keyOf(f)]; shown.Offer != "" {
			shown.Use = keyOf(f)
		}
		v.Findings = append(v.Findings, shown)
	}
	if v.More = len(result.Findings) - len(v.Findings); v.More > 0 {
		v.Rest = fmt.Sprintf(p.T("try.more"), v.More)
	}
	answer, err := j.Answer(result)
	if err != nil || answer == nil {
		return v, err
	}
	v.Status = fmt.Sprintf("HTTP %d %s", answer.Status, http.StatusText(answer.Status))
	if v.Answer = p.plain(answer.Body); answer.Withheld {
		v.Answer = p.T("try.withheld")
	}
	return v, nil
}

// headingOf sums a result up.
func (p *shown) headingOf(result *documents.Result) (class, heading string) {
	switch {
	case result.Unreadable:
		return "bad", p.T("try.unreadable")
	case result.Refused():
		return "bad", p.T("try.refused")
	case len(result.Findings) > 0:
		return "open", p.T("try.observed")
	}
	return "good", p.T("try.clean")
}

func (p *shown) findingOf(f validate.Finding, at documents.Place) finding {
	place := f.Path
	if place == "" {
		place = f.Pointer
	}
	shown := finding{
		Code: line(f.Code), Class: "open", Known: f.Number() != 0, Action: p.T("try.observes"), Text: line(f.Text), Place: line(place), Line: at.Line, Column: at.Column,
		Expected: p.figure(f.Expected, f.Difference), Got: p.figure(f.Got, f.Difference),
		Difference: p.figure(f.Difference, f.Difference), Tolerance: p.figure(f.Tolerance, f.Difference),
	}
	switch f.Action {
	case validate.ActionRefuse:
		shown.Class, shown.Action = "bad", p.T("try.refuses")
	case documents.ActionNone:
		shown.Class, shown.Action = "bad", p.T("try.unread")
	}
	return shown
}

// figure formats a value of a finding. The values are figures if the finding has a difference.
func (p *shown) figure(text, difference string) string {
	if number, err := wsfev1.ParseAmount(text); difference != "" && err == nil {
		return p.Amount(number)
	}
	return line(text)
}

// line makes a text safe to show beside others: one line, nothing that turns its direction, not too long.
func line(text string) string {
	if utf8.RuneCountInString(text) > maxText {
		text = string([]rune(text)[:maxText]) + "…"
	}
	return printable.OneLine(text)
}

// plain makes an answer safe to show, line by line, and cuts it.
func (p *shown) plain(body []byte) string {
	text := jsontext.Value(body)
	if text.IsValid() {
		_ = text.Indent(jsontext.WithIndent("  ")) // it is valid
	}
	cut := ""
	if len(text) > maxAnswer {
		text, cut = text[:maxAnswer], "\n… "+p.T("try.cut")
	}
	return printable.Lines(strings.ToValidUTF8(string(text), "")) + cut
}
