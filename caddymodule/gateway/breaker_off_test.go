package gateway_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// wantGauges looks at the gauges of an outage of changes, by how many there are more than
// before.
func wantGauges(t *testing.T, s *caddytest.Site, before map[string]string, more int) {
	t.Helper()
	for series, value := range before {
		if now := s.Metric(series); now != caddytest.Plus(t, value, more) {
			t.Errorf("%s is %s, and was %s", series, now, value)
		}
	}
}

func gauges(s *caddytest.Site) map[string]string {
	all := map[string]string{}
	for _, series := range []string{"wsfev1_breaker_open", `wsfev1_outages{scope="changes"}`, `wsfev1_service_down{class="service"}`} {
		all[series] = s.Metric(series)
	}
	return all
}

// TestOutageEndsAlsoWithTheBreakerOff: by the first answer, and not later. Its failures count
// until then, and no other begins.
func TestOutageEndsAlsoWithTheBreakerOff(t *testing.T) {
	for name, service := range map[string]string{"no name": "", "a name": " service arca"} {
		t.Run(name, func(t *testing.T) {
			upstream := caddytest.NewMoody(t)
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker 3 rest 1h"+service)
			load := func(breaker string) {
				s.Load(s.Config(breaker+service+"\n\t\t"+s.Audit(), caddytest.ProxyTo(upstream.URL)))
			}
			before := gauges(s)
			upstream.Silence(true)
			for range 3 {
				s.Post("FECompTotXRequest", caddytest.Query)
				s.Post("FECAESolicitar", caddytest.Invoice(1))
			}
			wantOutage(t, s)
			load("breaker off")
			if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 502 {
				t.Errorf("with the breaker off: %d %s", got.Status, got.Body)
			}
			s.Post("FECompTotXRequest", caddytest.Query) // which was answered all the time
			wantGauges(t, s, before, 1)
			upstream.Silence(false)
			if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			answered := time.Now()
			wantGauges(t, s, before, 0)
			if out, _ := s.Outages("--format", "json"); !strings.Contains(out, `"scope":"changes"`) || strings.Contains(out, `"ongoing":true`) {
				t.Errorf("outages: %s", out)
			}
			upstream.Silence(true)
			for range 4 {
				s.Post("FECAESolicitar", caddytest.Invoice(1))
			}
			upstream.Silence(false)
			load("breaker 3 rest 1h")
			if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
				t.Errorf("with the breaker on: %d %s", got.Status, got.Body)
			}
			outages := outagesIn(s.Records())
			if len(outages) != 2 || outages[1].Outcome != "outage_ended" {
				t.Fatalf("%d records of outages", len(outages))
			}
			ended := outages[1]
			if ended.Time.Add(ended.Duration).After(answered) {
				t.Errorf("it ended at %s, %s after the first answer", ended.Time.Add(ended.Duration), ended.Time.Add(ended.Duration).Sub(answered))
			}
			if e := evidenceOf(t, ended); e.Failures["service"] != 4 || e.Answer == "" {
				t.Errorf("it ended with %+v", e)
			}
		})
	}
}

// TestAnAnswerWithTheBreakerOffStandsBetweenFailures: they are not in a row.
func TestAnAnswerWithTheBreakerOffStandsBetweenFailures(t *testing.T) {
	upstream := caddytest.NewMoody(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker 3 rest 1h")
	load := func(breaker string) { s.Load(s.Config(breaker+"\n\t\t"+s.Audit(), caddytest.ProxyTo(upstream.URL))) }
	fail := func(times int) {
		upstream.Set(true)
		for range times {
			s.Post("FECAESolicitar", caddytest.Invoice(1))
		}
		upstream.Set(false)
	}
	fail(2)
	load("breaker off")
	fail(2)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	load("breaker 3 rest 1h")
	fail(2)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
		t.Errorf("after two failures: %d %s", got.Status, got.Body)
	}
	if outages := outagesIn(s.Records()); len(outages) != 0 {
		t.Errorf("%d records of outages", len(outages))
	}
}

// TestARefusedConfigurationLeavesTheBreakerAsItWas: the trail was open in it already, when
// something else failed.
func TestARefusedConfigurationLeavesTheBreakerAsItWas(t *testing.T) {
	next := caddytest.ProxyTo("http://" + caddytest.FreeAddress(t))
	s := caddytest.Start(t, next, "breaker 3 rest 1h")
	notAFolder := s.Store + "/audit.db"
	refused := s.Config("breaker 1 rest 1h\n\t\t"+s.Audit(), "handle {\n wsfev1 {\n audit sqlite "+notAFolder+"\n }\n "+next+"\n }")
	if err := caddytest.LoadCaddyfile(refused); err == nil || !strings.Contains(err.Error(), notAFolder) {
		t.Fatalf("loaded: %v", err)
	}
	for i, want := range []int{502, 502, 502, 503} {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != want {
			t.Errorf("request %d: %d %s, want %d", i, got.Status, got.Body, want)
		}
	}
}
