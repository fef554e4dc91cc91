package gateway_test

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// scrapeOpenMetrics returns the metrics in the form that has exemplars.
func scrapeOpenMetrics(s *caddytest.Site) string {
	s.T.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.Metrics+"/metrics", nil)
	if err != nil {
		s.T.Fatal(err)
	}
	r.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	got := s.Do(r)
	if kind := got.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/openmetrics-text") {
		s.T.Fatalf("the metrics are %s", kind)
	}
	return string(got.Body)
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
	s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewIssuing(t).URL))
	// Not each that goes well gets one.
	caddytest.Eventually(t, "an invoice in an exemplar", func() bool {
		got, text := s.Post("FECAESolicitar", caddytest.Invoice(1)), scrapeOpenMetrics(s)
		want := `record="` + got.Header.Get("Wsfev1-Record") + `"`
		return slices.Contains(exemplars(text, `wsfev1_exchange_duration_seconds_bucket{operation="FECAESolicitar"`), want) &&
			slices.Contains(exemplars(text, `wsfev1_upstream_duration_seconds_bucket{operation="FECAESolicitar"`), want)
	})
	const questions = `wsfev1_exchange_duration_seconds_bucket{operation="FECompTotXRequest"`
	before := exemplars(scrapeOpenMetrics(s), questions) // of other tests'
	s.Post("FECompTotXRequest", caddytest.Query)
	if got := exemplars(scrapeOpenMetrics(s), questions); !slices.Equal(got, before) {
		t.Errorf("a question has one of %q", got)
	}
	s = caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.HangUp("")).URL))
	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
	want := `record="` + got.Header.Get("Wsfev1-Record") + `"`
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
		" version goversion catalogue le record trace_id event certificate login")
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		caddytest.Answering(200, strings.NewReplacer(`"PtoVta":1`, `"PtoVta":54321`, `"CbteDesde":1`, `"CbteDesde":87654321`,
			`"CbteHasta":1`, `"CbteHasta":87654321`).Replace(caddytest.Approval))(w, r)
	})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker 5 service wordofanoperator")
	sent := func() {
		body := strings.NewReplacer(`"PtoVta":1,`, `"PtoVta":54321,`, `"DocTipo":99,"DocNro":0`, `"DocTipo":80,"DocNro":30500010912`).Replace(caddytest.Invoice(87654321))
		s.Post("FECAESolicitar", body)
		s.Post("FECAESolicitar", strings.Replace(body, "121.00", "121.77", 1))
		s.Post("FECAESolicitar", strings.Replace(body, `"Concepto"`, `"wordofaclient":1,"Concepto"`, 1))
		s.Post("wordofaclient", body)
		s.Post("FECompTotXRequest", caddytest.Query)
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
			for _, secret := range []string{"20111111112", "54321", "87654321", "30500010912", "86470000000001", "wordof", caddytest.Token, caddytest.Sign, "127."} {
				if strings.Contains(value, secret) {
					t.Errorf("%s is in a label: %s", secret, line)
				}
			}
		}
	}
	if values < 1000 {
		t.Errorf("only %d labels were looked at", values)
	}
	series := func() []string { return regexp.MustCompile(`(?m)^wsfev1_[^ ]+`).FindAllString(string(s.Scrape()), -1) }
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
