package tryit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/documents"
	"github.com/fielato/fielato/internal/mask/walk"
	"github.com/fielato/fielato/internal/members"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// offer is a figure that a finding expects in a member.
type offer struct {
	finding *validate.Finding
	// value is the figure as it is written into the text.
	value string
	spot  members.Spot
}

// key identifies the offer of a text, in a form and in an address. It has nothing of the text's figures: addresses
// stand in logs.
func (o *offer) key() string { return keyOf(o.finding) }

func keyOf(f *validate.Finding) string { return f.Code + " " + f.Pointer }

// useAll stands for all offers, one after the other.
const useAll = "all"

// counted is the member that has the number of invoices. It is no amount, but the invoices decide it.
const counted = "CantReg"

// isFigure reports whether a member has an amount or a count. Any other number is a code or a document: that one is
// expected does not make it true.
func isFigure(op *wsfev1.Operation, pointer string) bool {
	shape := op.Request
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case shape == nil:
			return false
		case shape.Kind == wsfev1.KindList:
			shape = shape.Item
		default:
			i, ok := shape.Member([]byte(step))
			if !ok {
				return false
			}
			shape = shape.Members[i].Shape
		}
	}
	return shape != nil && (shape.Kind == wsfev1.KindAmount || strings.HasSuffix(pointer, "/"+counted))
}

// isPlain reports whether a text is a number without an exponent.
func isPlain(text string) bool {
	value := jsontext.Value(text)
	return strings.Trim(text, "-.0123456789") == "" && value.IsValid()
}

// offersOf returns the figures that the findings about a text expect, in the order of the findings. A message in SOAP
// has none.
func offersOf(result *documents.Result, text []byte) (all []offer) {
	op := wsfev1.OperationByName(result.Operation)
	if op == nil || result.Form != "" {
		return nil
	}
	var pointers []string
	for i := range result.Findings {
		if f := &result.Findings[i]; isPlain(f.Expected) && isFigure(op, f.Pointer) {
			all, pointers = append(all, offer{finding: f, value: f.Expected}), append(pointers, f.Pointer)
		}
	}
	spots := members.Find(text, pointers...)
	all = slices.DeleteFunc(all, func(o offer) bool { _, ok := spots[o.finding.Pointer]; return !ok })
	for i := range all {
		all[i].spot = spots[all[i].finding.Pointer]
	}
	return all
}

// written returns a text with the figures of offers.
func written(text []byte, offers []offer) []byte {
	var edits []walk.Edit
	for _, o := range offers {
		edits = append(edits, o.spot.Edit(o.value))
	}
	return walk.Apply(text, inOrder(edits), members.Write)
}

func inOrder(edits []walk.Edit) []walk.Edit {
	slices.SortStableFunc(edits, func(a, b walk.Edit) int { return a.From - b.From })
	return edits
}

// rank orders the offers of an invoice: an item comes before the sum of it, and the total last.
func (o *offer) rank() int {
	rank := 2 * strings.Count(o.finding.Pointer, "/")
	if strings.HasSuffix(o.finding.Pointer, "/ImpTotal") {
		rank--
	}
	return rank
}

// together returns the offers that can be used at once: for each invoice the offers of the highest rank, one for each
// member. The others are sums of them.
func together(offers []offer) (chosen []offer) {
	highest, taken := map[int]int{}, map[string]bool{}
	for i := range offers {
		of := offers[i].finding.Invoice
		highest[of] = max(highest[of], offers[i].rank())
	}
	for _, o := range offers {
		if o.rank() == highest[o.finding.Invoice] && !taken[o.finding.Pointer] {
			taken[o.finding.Pointer] = true
			chosen = append(chosen, o)
		}
	}
	return chosen
}

// labelOf names the member of a finding: its name, the list that has it, and which of several invoices.
func (p *shown) labelOf(f *validate.Finding, invoices int) string {
	steps := strings.Split(strings.TrimPrefix(f.Pointer, "/"), "/")
	var parts []string
	for i := 1; i < len(steps); i++ {
		place, isItem := ordinal(steps[i])
		switch {
		case !isItem:
		case f.Invoice >= 0 && strings.HasPrefix(steps[i-1], "FECAE"):
			if invoices > 1 {
				parts = append(parts, p.T("voucher")+" "+place)
			}
		default:
			parts = append(parts, steps[i-1]+" "+place)
		}
	}
	return line(strings.Join(append(parts, steps[len(steps)-1]), " · "))
}

// ordinal returns the place of an item, from 1.
func ordinal(step string) (string, bool) {
	n, err := strconv.Atoi(step)
	return strconv.Itoa(n + 1), err == nil
}

// sentence words an offer.
func (p *shown) sentence(o *offer, invoices int) string {
	label, value := p.labelOf(o.finding, invoices), p.decimal(o.value)
	if o.spot.Absent() {
		return fmt.Sprintf(p.T("try.offer.absent"), label, value)
	}
	return fmt.Sprintf(p.T("try.offer"), label, value, p.decimal(o.finding.Got))
}

// decimal formats a figure for the reader's language.
func (p *shown) decimal(text string) string {
	if number, err := wsfev1.ParseAmount(text); err == nil {
		return p.Amount(number)
	}
	return line(text)
}
