package rules

import "github.com/fielato/fielato/wsfev1"

// Environment is one of the authority's environments. They have figures of their own.
type Environment string

// The environments. AnyEnvironment is not known.
const (
	AnyEnvironment Environment = ""
	Testing        Environment = "homo"
	Production     Environment = "prod"
)

// dated is a figure and the first day on which it holds.
type dated struct {
	from   wsfev1.Date
	amount wsfev1.Amount
}

// figures are those that are known of each environment, ascending.
type figures struct {
	testing, production []dated
	// testingIsOpen: the test environment may have production's figures as well.
	testingIsOpen bool
}

var (
	// consumerFinalThresholds are the amounts from which a consumer is identified
	// (docs/sources.md#threshold).
	consumerFinalThresholds = figures{
		testing: []dated{
			{"20250101", wsfev1.MustAmount("417288.00")},
			{"20250411", wsfev1.MustAmount("3958316.00")},
		},
		production: []dated{
			{"20250101", wsfev1.MustAmount("417288.00")},
			{"20250529", wsfev1.MustAmount("10000000.00")},
		},
		testingIsOpen: true, // docs/sources.md#environments
	}
	// fceMinimums are the amounts from which a credit invoice may be due
	// (docs/sources.md#fce-minimum).
	fceMinimums = figures{
		testing: []dated{{"20250411", wsfev1.MustAmount("3958316.00")}},
		production: []dated{
			{"20250411", wsfev1.MustAmount("3958316.00")},
			{"20260414", wsfev1.MustAmount("5549862.00")},
		},
	}
)

// on returns the figure of a day, not sent where none is known.
func on(day wsfev1.Date, known []dated) wsfev1.Amount {
	var amount wsfev1.Amount
	for _, f := range known {
		if f.from <= day {
			amount = f.amount
		}
	}
	return amount
}

// threshold is an amount in pesos that may be one of several: from least on it may be reached, from
// most on it surely is. Either is not sent where it is not known: then nothing reaches it.
type threshold struct{ least, most wsfev1.Amount }

// widened returns the threshold that may be this amount as well.
func (t threshold) widened(amount wsfev1.Amount) threshold {
	if !amount.Sent() {
		t.most = wsfev1.Amount{}
		return t
	}
	if !t.least.Sent() || amount.Cmp(t.least) < 0 {
		t.least = amount
	}
	if t.most.Sent() && amount.Cmp(t.most) > 0 {
		t.most = amount
	}
	return t
}

// inWords writes the amount: desde $ 10.000.000,00, or the two between which it is.
func (t threshold) inWords() string {
	text := "desde $ " + inWords(t.least)
	if t.most.Sent() && !t.most.Equal(t.least) {
		text += " o desde $ " + inWords(t.most) + ", según el ambiente y la fecha,"
	}
	return text
}

// thresholdOn returns the figure of a day in an environment. set is the figure of a setting, which holds
// always.
func thresholdOn(day wsfev1.Date, environment Environment, of *figures, set wsfev1.Amount) threshold {
	switch {
	case set.Sent():
		return threshold{set, set}
	case environment == Testing && !of.testingIsOpen:
		amount := on(day, of.testing)
		return threshold{amount, amount}
	case environment == Production:
		amount := on(day, of.production)
		return threshold{amount, amount}
	}
	amount := on(day, of.production)
	return threshold{amount, amount}.widened(on(day, of.testing))
}

// threshold returns the invoice's threshold: today's, and its own day's where it is an earlier one, as no
// source says which of the two counts (docs/validation.md#which-day-counts).
func (c *invoiceCheck) threshold(today threshold, of *figures, set wsfev1.Amount) threshold {
	if set.Sent() || !c.isDatedBefore(c.calendar.today) {
		return today
	}
	own := thresholdOn(c.CbteFch, c.rules.settings.Environment, of, set)
	if own.least == today.least && own.most == today.most {
		return today
	}
	return today.widened(own.least).widened(own.most)
}

func (c *invoiceCheck) consumerFinal() threshold {
	return c.threshold(c.calendar.consumerFinal, &consumerFinalThresholds, c.rules.settings.ConsumerFinalThreshold)
}

func (c *invoiceCheck) creditMinimum() threshold {
	return c.threshold(c.calendar.fce, &fceMinimums, c.rules.settings.FCEMinimum)
}

// reachesThreshold reports whether the amount, divided among so many vouchers, surely
// reaches that from which the receiver must be identified. At a rate that the invoice does not name it surely
// reaches nothing: no source says at which one the service counts it.
func (c *invoiceCheck) reachesThreshold(vouchers int64) bool {
	return c.namesItsRate() && c.reaches(c.consumerFinal().most, vouchers)
}

// mayReachThreshold reports whether it reaches the least of the amounts that may be that one, and does not
// surely reach it.
func (c *invoiceCheck) mayReachThreshold(vouchers int64) bool {
	return c.reaches(c.consumerFinal().least, vouchers) && !c.reachesThreshold(vouchers)
}

// reaches reports whether the amount reaches another, for each of so many vouchers. Nothing reaches one
// that is not known. In pesos an amount may have more digits than are exact: what was rounded away
// is less than a cent.
func (c *invoiceCheck) reaches(threshold wsfev1.Amount, vouchers int64) bool {
	if !threshold.Sent() {
		return false
	}
	value := c.inPesos()
	if vouchers > 1 {
		threshold = threshold.Mul(wsfev1.AmountOf(vouchers, 0))
	}
	return threshold.Exact() && value.Cmp(threshold) >= 0
}

// vouchers is how many there are in a range.
func (c *invoiceCheck) vouchers() int64 { return c.CbteHasta - c.CbteDesde + 1 }

func (c *invoiceCheck) rangeReachesThreshold() bool {
	return c.isRange() && c.reachesThreshold(c.vouchers())
}
