package rules

import (
	"slices"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Which day of a voucher counts. The days of from and until are days of the process: on such a day the
// service began, or ceased, to apply the rule. A voucher may be dated before: one under a CAEA is
// reported later, and CbteFch of a CAE may lie back. No source says whether the service asks of such a
// voucher what was not asked on its own day. Rules that only look at what was sent keep to the day of
// the process; those that ask for something new are made by asksFrom
// (docs/validation.md#which-day-counts).

// asksFrom makes two sentences of a rule that asks for something new from its first day on: the
// rule itself, and one that observes vouchers dated before that day.
func asksFrom(r rule) []rule {
	check, day := r.invoice, r.from
	earlier := r
	earlier.level, earlier.announced, earlier.earlier = validate.Observe, "", true
	earlier.also = append(slices.Clone(r.also), byVoucherDay)
	earlier.invoice = func(c *invoiceCheck) {
		if c.isDatedBefore(day) {
			before := len(c.findings)
			check(c)
			for i := before; i < len(c.findings) && c.calendar.today >= day; i++ {
				f := &c.findings[i]
				f.Text = strings.TrimSuffix(f.Text, ".") + "; es anterior al " + validate.DayText(day) + ": quizás no se exija"
			}
		}
	}
	r.invoice = func(c *invoiceCheck) {
		if !c.isDatedBefore(day) {
			check(c)
		}
	}
	return []rule{r, earlier}
}

// isDatedBefore reports whether CbteFch is a day before another one. One that was not sent is today's.
func (c *invoiceCheck) isDatedBefore(day wsfev1.Date) bool {
	return c.CbteFch != "" && c.CbteFch < day && c.CbteFch.Valid()
}
