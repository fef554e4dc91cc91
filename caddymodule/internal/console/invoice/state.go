package invoice

import (
	"context"
	"errors"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/console/standing"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// fillState fills the state alone, where the exchanges are too many for a page: whether the invoice is authorised is
// known all the same.
func (p *invoicePage) fillState(ctx context.Context, sources []site.Source, wanted audit.Query) error {
	now, err := standing.Of(ctx, sources, wanted)
	if errors.Is(err, evidence.ErrTooMany) {
		return nil
	}
	if err != nil || now == nil || !now.Found.IsAuthorised() {
		return err
	}
	by := now.Found.By
	p.State, p.Class, p.Shown = p.T(now.Found.StateWord()), story.Good, p.linkTo(&part{source: now.Source}, by)
	p.Test = p.testOf(now.Found.Environment)
	if !p.Masks { // nothing was read that could be hidden
		p.CodeName, p.Code = now.Invoice.CodeName(), p.voice.Code(by.Voucher.Code)
	}
	return nil
}

// testOf says that an invoice is none for the tax authority, empty for one that is.
func (p *invoicePage) testOf(of environment.Environment) string {
	switch of {
	case environment.BuiltIn:
		return p.T("test")
	case environment.Testing:
		return p.voice.T("note.testing")
	}
	return ""
}

// judge words the state.
func (p *invoicePage) judge(f *found) {
	j, v := &f.best.Verdict, &f.best.Found
	p.Class = map[story.State]string{story.Approved: story.Good, story.Rejected: story.Bad, story.Unknown: story.Open}[j.Class]
	if p.Lang == "en" {
		p.judgeInEnglish(v)
		return
	}
	p.State, p.Sentence, p.Known, p.Intro = j.Title, f.hide.Text(j.Sentence), j.Known, j.Intro
	p.Consequence, p.Others = f.hide.Text(j.Consequence), j.Others
	for _, one := range j.Reasons {
		p.Reasons = append(p.Reasons, story.Clean(f.hide.Text(one.String())))
	}
}

// judgeInEnglish words the state for readers of English. The reasons of the service are in Spanish, on the page
// of the exchange.
func (p *invoicePage) judgeInEnglish(v *story.Verdict) {
	p.State = p.T(v.StateWord())
	if v.By == nil {
		p.State = p.T("state.none")
		return
	}
	p.Sentence = p.english(v.By)
	key := "known"
	if v.State == story.Unknown {
		key = "asked_on"
		p.Consequence = p.T("ask_first")
	}
	moment := v.By.Known()
	if v.State == story.Unknown {
		moment = v.By.Began
	}
	p.Known = p.T(key) + " " + p.Moment(moment)
}
