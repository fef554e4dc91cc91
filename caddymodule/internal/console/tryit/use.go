package tryit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"unicode/utf16"

	"github.com/fielato/fielato/caddymodule/internal/documents"
	"github.com/fielato/fielato/internal/mask/walk"
	"github.com/fielato/fielato/internal/members"
)

const (
	// maxPasses bounds how often a text is judged again while all offers are used. A sum of sums takes four.
	maxPasses = 8
	// maxUsed is how many of the figures that were used are told.
	maxUsed = 10
)

// tried is a text that was judged.
type tried struct {
	judge  *documents.Judge
	text   []byte
	result *documents.Result
	offers []offer
	// edits lead from the text that came to this one. used says so in words.
	edits []edit
	used  []string
}

// edit is a place of the text that came, in units of UTF-16, as scripts count, and the new text for it.
type edit struct {
	From, To int
	Text     string
}

func newTried(j *documents.Judge, text []byte) *tried {
	result := j.Document(documents.Whole(text))
	return &tried{judge: j, text: text, result: result, offers: offersOf(result, text)}
}

// use writes the offer with this key into the text, or all of them, and judges again.
func (p *shown) use(ctx context.Context, came *tried, key string) *tried {
	now, values, taken := came, map[string]string{}, map[string]bool{}
	var used []string
	for range maxPasses {
		chosen := slices.DeleteFunc(now.chosen(key), func(o offer) bool { return taken[o.key()] })
		if len(chosen) == 0 || ctx.Err() != nil {
			break
		}
		for _, o := range chosen {
			taken[o.key()], values[o.finding.Pointer] = true, o.value
			used = append(used, p.sentence(&o, len(now.result.Subject().Invoices)))
		}
		if now = newTried(came.judge, written(now.text, chosen)); key != useAll {
			break
		}
	}
	now.used, now.edits = p.told(used, now, taken), editsOf(came.text, values)
	return now
}

// chosen returns the offers that are used at once.
func (t *tried) chosen(key string) []offer {
	if key == useAll {
		return together(t.offers)
	}
	if i := slices.IndexFunc(t.offers, func(o offer) bool { return o.key() == key }); i >= 0 {
		return []offer{t.offers[i]}
	}
	return nil
}

// told names the figures that were used, and says whether they were enough.
func (p *shown) told(used []string, now *tried, keys map[string]bool) []string {
	if len(used) == 0 {
		return []string{p.T("try.use.gone")}
	}
	said := slices.Clone(used[:min(len(used), maxUsed)])
	for i := range said {
		said[i] = p.T("try.used") + " " + said[i] + "."
	}
	if more := len(used) - len(said); more > 0 {
		said = append(said, fmt.Sprintf(p.T("try.used.more"), more))
	}
	for i := range now.result.Findings {
		if f := &now.result.Findings[i]; keys[keyOf(f)] {
			return append(said, fmt.Sprintf(p.T("try.use.failed"), line(f.Code)))
		}
	}
	return said
}

// editsOf returns the edits that give members of a text these values.
func editsOf(text []byte, values map[string]string) (all []edit) {
	spots := members.Find(text, slices.Collect(maps.Keys(values))...)
	var edits []walk.Edit
	for pointer, spot := range spots {
		edits = append(edits, spot.Edit(values[pointer]))
	}
	done, units := 0, 0
	to := func(offset int) int {
		for _, r := range string(text[done:offset]) {
			units += utf16.RuneLen(r)
		}
		done = offset
		return units
	}
	for _, e := range inOrder(edits) {
		from := to(e.From)
		all = append(all, edit{from, to(e.To), string(e.Text)})
	}
	return all
}
