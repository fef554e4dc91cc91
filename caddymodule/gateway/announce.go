package gateway

import (
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// countdownLog logs the coming changes by which the service will refuse more, for all gateways of
// a configuration.
type countdownLog struct {
	// next is from when it is logged again, in seconds since 1970.
	next atomic.Int64
}

// announce logs at the start, and then with the first request of each day, until the day itself. now is
// the time as of which requests are judged. Gateways that apply a rule alike share a line.
func (a *countdownLog) announce(now time.Time, all []*Gateway) {
	next := a.next.Load()
	if now.Unix() < next {
		return
	}
	today := wsfev1.DateOf(now)
	tomorrow, _ := today.AddDays(1).Time()
	if !a.next.CompareAndSwap(next, tomorrow.Unix()) {
		return // another request does
	}
	var codes []int32
	changes := rules.Changes()
	for i, c := range changes {
		codes = append(codes, c.Code)
		if i+1 < len(changes) && changes[i+1].Day == c.Day && changes[i+1].Text == c.Text {
			continue
		}
		if today <= c.Day {
			logChange(c, codes, now, all)
		}
		codes = nil
	}
}

// logChange logs a change, which has several codes: one for each operation.
func logChange(c rules.Change, codes []int32, now time.Time, all []*Gateway) {
	type terms struct{ level, contract, earlier string }
	alike := map[terms]int{}
	termsOf := func(g *Gateway) terms { return terms{string(g.levelOf(c.Code)), g.Contract, g.levelOfEarlier(c)} }
	for _, g := range all {
		alike[termsOf(g)]++
	}
	day, _ := c.Day.Time()
	for _, g := range all {
		t := termsOf(g)
		if alike[t] == 0 {
			continue // an earlier one has logged it
		}
		g.logger.Warn("from "+day.Format(time.DateOnly)+" "+c.Text,
			zap.Int("days", int(math.Ceil(c.In(now).Hours()/24))), zap.Int32s("rules", codes),
			zap.String("rule_level", t.level), zap.String("contract", t.contract),
			zap.String("earlier_vouchers", t.earlier), zap.Int("gateways", alike[t]))
		delete(alike, t)
	}
}

// levelOfEarlier says at which level vouchers dated before the day of a change are judged from then on:
// reports under a CAEA, and CAE with a CbteFch that lies back.
func (g *Gateway) levelOfEarlier(c rules.Change) string {
	level := g.levelOf(c.Code)
	if _, named := g.Rules[strconv.Itoa(int(c.Code))]; named || level != validate.Enforce {
		return "dated before that day: " + string(level)
	}
	return "dated before that day: " + string(validate.Observe) + ", as no source says which day counts"
}

// levelOf returns the level at which this gateway applies a rule about a member that the base
// contract lacks, from the rule's day on.
func (g *Gateway) levelOf(code int32) validate.Level {
	if level, named := g.Rules[strconv.Itoa(int(code))]; named {
		return level
	}
	if g.Mode == modeObserve || g.contract == validate.Base {
		return validate.Observe
	}
	return g.way.Book.Rules.Level(code)
}

// countdown exports how long it is until the service begins to refuse by each announced rule.
type countdown struct{ description *prometheus.Desc }

var ruleBegins = countdown{prometheus.NewDesc("wsfev1_rule_begins_in_seconds",
	"How long it is until the service begins to reject by a rule that it has announced, in seconds; 0 from its day on.", []string{"code"}, nil)}

// Describe implements prometheus.Collector.
func (c countdown) Describe(ch chan<- *prometheus.Desc) { ch <- c.description }

// Collect implements prometheus.Collector.
func (c countdown) Collect(ch chan<- prometheus.Metric) {
	now := time.Now()
	if a := app.Newest(); a != nil {
		now = a.Clock().At(now)
	}
	for _, change := range rules.Changes() {
		ch <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, change.In(now).Seconds(), metrics.CodeLabel(change.Code))
	}
}
