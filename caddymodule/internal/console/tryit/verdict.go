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
	// About are what else there is to say, one sentence each.
	About     []string
	Operation string
	Findings  []finding
	// More is how many findings are not shown, Rest says so.
	More int
	Rest string
	// Answer is the answer that the client would get, Status its HTTP status with its text; both empty if
	// the request would be passed on.
	Status, Answer string
	Day            string
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
}

// nothing is the verdict about an empty box.
func (p *shown) nothing() *verdict { return &verdict{Heading: p.T("try.empty")} }

// verdictOf puts a result into words.
func (p *shown) verdictOf(j *documents.Judge, result *documents.Result) (*verdict, error) {
	v := &verdict{Operation: result.Operation, Day: p.Date}
	v.Class, v.Heading = p.headingOf(result)
	if result.NoTicket {
		v.About = append(v.About, p.T("try.no_ticket"))
	}
	for _, f := range result.Findings[:min(len(result.Findings), maxFindings)] {
		v.Findings = append(v.Findings, p.findingOf(f, result.PlaceOf(f.Pointer)))
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
		return p.Decimal(number)
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
	lines := strings.Split(strings.ToValidUTF8(string(text), ""), "\n")
	for i := range lines {
		lines[i] = printable.OneLine(lines[i])
	}
	return strings.Join(lines, "\n") + cut
}
