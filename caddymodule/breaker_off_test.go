package caddymodule_test

import (
	"strings"
	"testing"
	"time"
)

// wantGauges looks at the gauges of an outage of changes, by how many there are more than
// before.
func wantGauges(t *testing.T, s *site, before map[string]string, more int) {
	t.Helper()
	for series, value := range before {
		if now := s.metric(series); now != plus(t, value, more) {
			t.Errorf("%s is %s, and was %s", series, now, value)
		}
	}
}

func gauges(s *site) map[string]string {
	all := map[string]string{}
	for _, series := range []string{"wsfev1_breaker_open", `wsfev1_outages{scope="changes"}`, `wsfev1_service_down{class="service"}`} {
		all[series] = s.metric(series)
	}
	return all
}

// TestOutageEndsAlsoWithTheBreakerOff: by the first answer, and not later. Its failures count
// until then, and no other begins.
func TestOutageEndsAlsoWithTheBreakerOff(t *testing.T) {
	for name, service := range map[string]string{"no name": "", "a name": " service arca"} {
		t.Run(name, func(t *testing.T) {
			upstream := newMoody(t)
			s := start(t, proxyTo(upstream.URL), "breaker 3 rest 1h"+service)
			load := func(breaker string) { s.load(s.config(breaker+service+"\n\t\t"+s.audit(), proxyTo(upstream.URL))) }
			before := gauges(s)
			upstream.silence(true)
			for range 3 {
				s.post("FECompTotXRequest", query)
				s.post("FECAESolicitar", invoice(1))
			}
			wantOutage(t, s)
			load("breaker off")
			if got := s.post("FECAESolicitar", invoice(1)); got.status != 502 {
				t.Errorf("with the breaker off: %d %s", got.status, got.body)
			}
			s.post("FECompTotXRequest", query) // which was answered all the time
			wantGauges(t, s, before, 1)
			upstream.silence(false)
			if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 {
				t.Errorf("%d %s", got.status, got.body)
			}
			answered := time.Now()
			wantGauges(t, s, before, 0)
			if out, _ := s.outages("--format", "json"); !strings.Contains(out, `"scope":"changes"`) || strings.Contains(out, `"ongoing":true`) {
				t.Errorf("outages: %s", out)
			}
			upstream.silence(true)
			for range 4 {
				s.post("FECAESolicitar", invoice(1))
			}
			upstream.silence(false)
			load("breaker 3 rest 1h")
			if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 {
				t.Errorf("with the breaker on: %d %s", got.status, got.body)
			}
			outages := outagesIn(s.records())
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
	upstream := newMoody(t)
	s := start(t, proxyTo(upstream.URL), "breaker 3 rest 1h")
	load := func(breaker string) { s.load(s.config(breaker+"\n\t\t"+s.audit(), proxyTo(upstream.URL))) }
	fail := func(times int) {
		upstream.set(true)
		for range times {
			s.post("FECAESolicitar", invoice(1))
		}
		upstream.set(false)
	}
	fail(2)
	load("breaker off")
	fail(2)
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	load("breaker 3 rest 1h")
	fail(2)
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 {
		t.Errorf("after two failures: %d %s", got.status, got.body)
	}
	if outages := outagesIn(s.records()); len(outages) != 0 {
		t.Errorf("%d records of outages", len(outages))
	}
}

// TestARefusedConfigurationLeavesTheBreakerAsItWas: the trail was open in it already, when
// something else failed.
func TestARefusedConfigurationLeavesTheBreakerAsItWas(t *testing.T) {
	next := proxyTo("http://" + freeAddress(t))
	s := start(t, next, "breaker 3 rest 1h")
	notAFolder := s.store + "/audit.db"
	refused := s.config("breaker 1 rest 1h\n\t\t"+s.audit(), "handle {\n wsfev1 {\n audit sqlite "+notAFolder+"\n }\n "+next+"\n }")
	if err := loadCaddyfile(refused); err == nil || !strings.Contains(err.Error(), notAFolder) {
		t.Fatalf("loaded: %v", err)
	}
	for i, want := range []int{502, 502, 502, 503} {
		if got := s.post("FECAESolicitar", invoice(1)); got.status != want {
			t.Errorf("request %d: %d %s, want %d", i, got.status, got.body, want)
		}
	}
}
