package caddymodule_test

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scrapeOpenMetrics returns the metrics in the form that has exemplars.
func scrapeOpenMetrics(s *site) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.metrics+"/metrics", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	got := s.do(r)
	if kind := got.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/openmetrics-text") {
		s.t.Fatalf("the metrics are %s", kind)
	}
	return string(got.body)
}

// exemplars returns the labels of the exemplars in lines that begin so.
func exemplars(text, begin string) (all []string) {
	for line := range strings.Lines(text) {
		if _, exemplar, found := strings.Cut(line, " # {"); found && strings.HasPrefix(line, begin) {
			labels, _, _ := strings.Cut(exemplar, "}")
			all = append(all, labels)
		}
	}
	return all
}

// TestExemplarsLeadToTheRecord of what changes something and of what fails; a question that
// was answered has none.
func TestExemplarsLeadToTheRecord(t *testing.T) {
	s := start(t, proxyTo(newIssuing(t).URL))
	// Not each that goes well gets one.
	eventually(t, "an invoice in an exemplar", func() bool {
		got, text := s.post("FECAESolicitar", invoice(1)), scrapeOpenMetrics(s)
		want := `record="` + got.header.Get("Wsfev1-Record") + `"`
		return slices.Contains(exemplars(text, `wsfev1_exchange_duration_seconds_bucket{operation="FECAESolicitar"`), want) &&
			slices.Contains(exemplars(text, `wsfev1_upstream_duration_seconds_bucket{operation="FECAESolicitar"`), want)
	})
	const questions = `wsfev1_exchange_duration_seconds_bucket{operation="FECompTotXRequest"`
	before := exemplars(scrapeOpenMetrics(s), questions) // of other tests'
	s.post("FECompTotXRequest", query)
	if got := exemplars(scrapeOpenMetrics(s), questions); !slices.Equal(got, before) {
		t.Errorf("a question has one of %q", got)
	}
	s = start(t, proxyTo(newStub(t, hangUp("")).URL))
	got := s.post("FECAESolicitar", invoice(1))
	want := `record="` + got.header.Get("Wsfev1-Record") + `"`
	counted := exemplars(scrapeOpenMetrics(s), `wsfev1_exchanges_total{operation="FECAESolicitar",outcome="unknown"}`)
	if !slices.Equal(counted, []string{want}) { // the newest replaces all before it
		t.Errorf("an unknown outcome has %q, want %q", counted, want)
	}
}

var label = regexp.MustCompile(`([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"`)

// TestLabelsSayNothingOfAClient: what a client or the service makes up is in no label, and
// makes no series. The names of all labels are on a list.
func TestLabelsSayNothingOfAClient(t *testing.T) {
	allowed := strings.Fields("operation outcome sent code action gateway upstream cbte_tipo resultado result class kind scope server" +
		" version goversion catalogue le record")
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		answering(200, strings.NewReplacer(`"PtoVta":1`, `"PtoVta":54321`, `"CbteDesde":1`, `"CbteDesde":87654321`,
			`"CbteHasta":1`, `"CbteHasta":87654321`).Replace(approval))(w, r)
	})
	s := start(t, proxyTo(upstream.URL), "breaker 5 service wordofanoperator")
	sent := func() {
		body := strings.NewReplacer(`"PtoVta":1,`, `"PtoVta":54321,`, `"DocTipo":99,"DocNro":0`, `"DocTipo":80,"DocNro":30500010912`).Replace(invoice(87654321))
		s.post("FECAESolicitar", body)
		s.post("FECAESolicitar", strings.Replace(body, "121.00", "121.77", 1))
		s.post("FECAESolicitar", strings.Replace(body, `"Concepto"`, `"wordofaclient":1,"Concepto"`, 1))
		s.post("wordofaclient", body)
		s.post("FECompTotXRequest", query)
	}
	sent()
	text := scrapeOpenMetrics(s)
	values := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "wsfev1_") {
			continue
		}
		for _, found := range label.FindAllStringSubmatch(line, -1) {
			values++
			name, value := found[1], found[2]
			if !slices.Contains(allowed, name) {
				t.Errorf("label %s is not on the list: %s", name, line)
			}
			for _, secret := range []string{"20111111112", "54321", "87654321", "30500010912", "86470000000001", "wordof", token, sign, "127."} {
				if strings.Contains(value, secret) {
					t.Errorf("%s is in a label: %s", secret, line)
				}
			}
		}
	}
	if values < 1000 {
		t.Errorf("only %d labels were looked at", values)
	}
	series := func() []string { return regexp.MustCompile(`(?m)^wsfev1_[^ ]+`).FindAllString(string(s.scrape()), -1) }
	sent() // the first repeat finds what only a repeat does: 10016
	before := series()
	for range 3 {
		sent()
	}
	for _, one := range series() {
		if !slices.Contains(before, one) {
			t.Errorf("a new series: %s", one)
		}
	}
}
