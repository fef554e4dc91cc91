package today

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/tally"
	"github.com/fielato/fielato/validate/rules"
)

// maxCode bounds the shown part of a code, in bytes, and maxText the words for it, in characters: the texts
// of a service may be of any length.
const maxCode, maxText = 40, 160

// needRefusal adds the invoices that were refused for one reason.
func (p *todayPage) needRefusal(ctx context.Context, sources []site.Source, one *tally.Refusal, day string) error {
	code := p.codeOf(one.Code)
	count, key := one.Invoices, "need.refusals"
	if count == 0 {
		count, key = one.Requests, "need.requests"
	}
	text := p.Plural(count, key)
	if one.Requests > count {
		text += " " + fmt.Sprintf(p.T("need.in_requests"), one.Requests)
	}
	if one.Cuit != 0 {
		text += " · " + spanish.CUIT(one.Cuit)
	}
	text += " · " + code
	why, err := p.why(ctx, sources, one.Code, one.Newest)
	if err != nil {
		return err
	}
	if why != "" {
		text += ": " + why
	}
	p.need(count, "bad", text, p.search(url.Values{"q": {p.mask.Numbers(one.Code) + " " + one.Cuit.String() + " " + day}}))
	return nil
}

// teller words reasons for a reader.
type teller struct {
	site.Frame

	// mask hides documents; nil if they are shown.
	mask *mask.Mask
}

func newTeller(f site.Frame) teller {
	t := teller{Frame: f}
	if f.Masks {
		t.mask = mask.New(0)
	}
	return t
}

// codeOf returns the shown part of a code.
func (p *teller) codeOf(code string) string {
	return printable.OneLine(p.mask.Numbers(code[:min(len(code), maxCode)]))
}

// why returns the words of a rule, or those that came with its code the last time.
func (p *teller) why(ctx context.Context, sources []site.Source, of string, newest tally.Found) (text string, err error) {
	code, err := strconv.ParseInt(of, 10, 32)
	rule, ok := rules.RuleByCode(int32(code))
	switch {
	case err == nil && ok && p.Lang == "en":
		text = rule.English
	case err == nil && ok:
		text = rule.Spanish
	case p.mask != nil: // the text may repeat a document, which is another one for each invoice
	default:
		r, err := recordOf(ctx, sources, newest)
		if damage.Is(err) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		for _, reason := range tally.ReasonsOf(r) {
			if reason.Code == of {
				text = reason.Text
			}
		}
	}
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "…"
	}
	return printable.OneLine(text), nil
}

// recordOf returns a record that was counted.
func recordOf(ctx context.Context, sources []site.Source, at tally.Found) (*audit.Record, error) {
	for _, source := range sources {
		for _, log := range source.Logs {
			if source.Key(log) == at.Log {
				return source.Store.Get(ctx, log, at.Index)
			}
		}
	}
	return nil, site.ErrNotFound
}
