package gateway_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// shownBy is the Detail of an outage's record.
type shownBy struct {
	Service             string
	Failures            map[string]int
	First, Last, Answer string
}

func evidenceOf(t *testing.T, r *audit.Record) (e shownBy) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.Detail), &e, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v: %s", err, r.Detail)
	}
	return e
}

func outagesIn(records []*audit.Record) []*audit.Record {
	return slices.DeleteFunc(records, func(r *audit.Record) bool { return r.Kind != audit.KindOutage })
}

func wantOutage(t *testing.T, s *caddytest.Site) {
	t.Helper()
	if err := outageOf(t, s); err != nil {
		t.Error(err)
	}
}

// TestBreakerOpensProbesAndCloses, with two records that say where the evidence is.
func TestBreakerOpensProbesAndCloses(t *testing.T) {
	upstream := caddytest.NewMoody(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker 3 rest "+breakerRest.String())
	open := s.Metric("wsfev1_breaker_open")
	upstream.Set(true)
	for range 4 { // nobody issues by them, and FEDummy and tables prove nothing
		s.Post("FEParamGetTiposIva", caddytest.Query)
	}
	var opens time.Time
	for range 3 {
		opens = time.Now()
		s.Post("FECAESolicitar", caddytest.Invoice(1))
		s.Post("FEDummy", "{}")
	}
	if now := s.Metric("wsfev1_breaker_open"); now != caddytest.Plus(t, open, 1) {
		t.Fatalf("wsfev1_breaker_open is %s", now)
	}
	probe := func(since time.Time) time.Time { return failedProbe(t, s, upstream, since) }
	rests := whileItRests(t, opens, probe, func() error {
		upstream.Since()
		refused := outageOf(t, s)
		if got := s.Post("FECompTotXRequest", caddytest.Query); got.Status != 502 || string(got.Body) == "" {
			t.Errorf("a query: %d %s", got.Status, got.Body)
		}
		return cmp.Or(refused, wantOnlyQuestion(upstream))
	})
	rests = probe(rests)
	upstream.Set(false)
	awaitRest(t, rests)
	var issued caddytest.Response
	caddytest.Eventually(t, "an issue", func() bool {
		upstream.Since()
		issued = s.Post("FECAESolicitar", caddytest.Invoice(1))
		return issued.Status == 200
	})
	if asked := upstream.Since(); !slices.Equal(asked, []string{"FEDummy", "FECompUltimoAutorizado", "FECAESolicitar"}) {
		t.Errorf("the service was asked %v", asked)
	}
	if now := s.Metric("wsfev1_breaker_open"); now != open {
		t.Errorf("wsfev1_breaker_open is %s", now)
	}
	wantEvidence(t, s.Records())
}

// TestBreakerOpensWhereOnlyQuestionsAreAnswered: one request after each rest is sent to
// look, and its answer alone closes it.
func TestBreakerOpensWhereOnlyQuestionsAreAnswered(t *testing.T) {
	upstream := caddytest.NewMoody(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker 3 rest "+breakerRest.String())
	upstream.Silence(true)
	var opens time.Time
	for range 3 {
		opens = time.Now()
		s.Post("FECAESolicitar", caddytest.Invoice(1))
		s.Post("FECompTotXRequest", caddytest.Query)
	}
	probe := func(since time.Time) (began time.Time) {
		awaitRest(t, since)
		var asked []string
		caddytest.Eventually(t, "a look that fails", func() bool {
			began = time.Now()
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			asked = upstream.Since()
			return len(asked) > 0 && got.Status == 502
		})
		if !slices.Equal(asked, []string{"FEDummy", "FECompUltimoAutorizado", "FECAESolicitar"}) {
			t.Errorf("the service was asked %v", asked)
		}
		return began
	}
	rests := whileItRests(t, opens, probe, func() error {
		upstream.Since()
		first := outageOf(t, s)
		s.Post("FECompTotXRequest", caddytest.Query)
		return cmp.Or(first, outageOf(t, s), wantOnlyQuestion(upstream))
	})
	rests = whileItRests(t, probe(rests), probe, func() error { return outageOf(t, s) })
	out, _ := s.Outages("--format", "json")
	if !strings.Contains(out, `"scope":"changes"`) || !strings.Contains(out, `"ongoing":true`) {
		t.Errorf("outages: %s", out)
	}
	upstream.Silence(false)
	awaitRest(t, rests)
	caddytest.Eventually(t, "an issue", func() bool { return s.Post("FECAESolicitar", caddytest.Invoice(1)).Status == 200 })
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.Status == 503 {
		t.Errorf("afterwards: %d %s", got.Status, got.Body)
	}
	outages := outagesIn(s.Records())
	if len(outages) != 2 || outages[1].Outcome != "outage_ended" {
		t.Errorf("%d records of outages", len(outages))
	}
}

// wantEvidence follows the addresses in the records of the one outage.
func wantEvidence(t *testing.T, records []*audit.Record) {
	t.Helper()
	all := slices.Clone(records)
	outages := outagesIn(all)
	if len(outages) != 2 || outages[0].Outcome != "outage_began" || outages[1].Outcome != "outage_ended" {
		t.Fatalf("%d records of outages", len(outages))
	}
	began, ended := outages[0], outages[1]
	if began.ID != ended.ID || !began.Time.Equal(ended.Time) || ended.Duration <= began.Duration || ended.Duration < 150*time.Millisecond {
		t.Errorf("%s %s %s, %s %s %s", began.ID, began.Time, began.Duration, ended.ID, ended.Time, ended.Duration)
	}
	at := func(address string) *audit.Record {
		for _, r := range records {
			if address == fmt.Sprintf("%s/%d", r.Log, r.Index) {
				return r
			}
		}
		t.Fatalf("no record %q", address)
		return nil
	}
	e := evidenceOf(t, began)
	first, last := at(e.First), at(e.Last)
	if e.Failures["service"] != 3 || first.Kind != audit.KindIntent || last.Kind != audit.KindIntent || first.Index >= last.Index || e.Answer != "" {
		t.Errorf("it begins with %+v", e)
	}
	if began.Time.Before(first.Time) || began.Upstream == "" {
		t.Errorf("it begins at %s, of %q", began.Time, began.Upstream)
	}
	e = evidenceOf(t, ended)
	if answer := at(e.Answer); answer.Operation != "FECompUltimoAutorizado" || answer.Outcome != "answered" || answer.Decision != "ask" {
		t.Errorf("it ends with %+v", answer)
	}
	if at(e.First) != first || e.Failures["service"] < 4 {
		t.Errorf("it ends with %+v", e)
	}
}

// TestOneProbeAtATime: of many clients that come after the rest one asks, and issues; the others
// are turned away meanwhile.
func TestOneProbeAtATime(t *testing.T) {
	upstream := caddytest.NewMoody(t)
	upstream.Hold = make(chan struct{})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker 1 rest 1ms")
	upstream.Set(true)
	s.Post("FECompTotXRequest", caddytest.Query)
	upstream.Set(false)
	upstream.Since()
	const clients = 8
	answers := make(chan caddytest.Response, clients)
	for series := range clients {
		go func() {
			answers <- s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), `"PtoVta":1`, fmt.Sprintf(`"PtoVta":%d`, series+1), 1))
		}()
	}
	for range clients - 1 {
		if got := <-answers; got.Status != 503 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	close(upstream.Hold)
	if got := <-answers; got.Status != 200 {
		t.Errorf("who has looked: %d %s", got.Status, got.Body)
	}
	if asked := upstream.Since(); !slices.Equal(asked, []string{"FEDummy", "FECompUltimoAutorizado", "FECAESolicitar"}) {
		t.Errorf("the service was asked %v", asked)
	}
}

// TestAnswersThatRefuseAreAnswers: a service that rejects, or turns credentials away, is
// there.
func TestAnswersThatRefuseAreAnswers(t *testing.T) {
	for _, code := range []string{"10016", "600", "601"} {
		s := caddytest.Start(t, "respond `"+`{"Errors":{"Err":[{"Code":`+code+`,"Msg":"x"}]}}`+"`", "breaker 1")
		for range 3 {
			if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
				t.Errorf("%s: %d %s", code, got.Status, got.Body)
			}
		}
	}
}

// TestBreakerOff refuses nothing.
func TestBreakerOff(t *testing.T) {
	upstream := caddytest.NewMoody(t)
	upstream.Set(true)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker off")
	for range 8 {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 502 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	if n := len(outagesIn(s.Records())); n != 0 {
		t.Errorf("%d records of outages", n)
	}
}

// TestOutageOutlivesReloadAndRestart: the breaker is open after both, and the first answer
// ends the outage, also that to a client's query.
func TestOutageOutlivesReloadAndRestart(t *testing.T) {
	upstream := caddytest.NewMoody(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker 2 rest 1h")
	upstream.Set(true)
	for range 2 {
		s.Post("FECompTotXRequest", caddytest.Query)
	}
	wantOutage(t, s)
	s.Load(s.Config("breaker 4 rest 1h\n\t\tmax_body 1MiB\n\t\t"+s.Audit(), caddytest.ProxyTo(upstream.URL)))
	wantOutage(t, s)
	first := s.Store
	s.Store += ".other" // the trail closes
	s.Load(s.Config(s.Audit(), caddytest.ProxyTo(upstream.URL)))
	s.Store = first
	s.Load(s.Config("breaker 4 rest 1h\n\t\t"+s.Audit(), caddytest.ProxyTo(upstream.URL)))
	upstream.Since()
	s.Post("FECAESolicitar", caddytest.Invoice(1)) // it may be tried at once, and fails
	if asked := upstream.Since(); !slices.Equal(asked, []string{"FEDummy", "FECompUltimoAutorizado"}) {
		t.Errorf("the service was asked %v", asked)
	}
	wantOutage(t, s)
	upstream.Set(false)
	s.Post("FECompTotXRequest", caddytest.Query)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	outages := outagesIn(s.Records())
	if len(outages) != 2 || outages[0].ID != outages[1].ID || !outages[0].Time.Equal(outages[1].Time) {
		t.Fatalf("%d records of outages", len(outages))
	}
	if e := evidenceOf(t, outages[1]); e.Failures["service"] != 3 || e.First != evidenceOf(t, outages[0]).First {
		t.Errorf("%+v", e)
	}
}

// TestOutageOfTheBuiltInService: its faults behind a reverse_proxy, with recovery on.
func TestOutageOfTheBuiltInService(t *testing.T) {
	for _, fault := range []string{"drop", "html_502", "error_501", "dummy_only"} {
		t.Run(fault, func(t *testing.T) {
			s := caddytest.StartProxied(t, caddytest.WithFaults(t, "fault "+fault), "breaker 3 rest 1h", "recover within 50ms")
			caddytest.Eventually(t, "the breaker opens", func() bool {
				return s.Post("FECAESolicitar", caddytest.Invoice(1)).Header.Get("Wsfev1-Outcome") == "outage"
			})
			wantOutage(t, s)
			var outages []*audit.Record
			caddytest.Eventually(t, "the outage is recorded", func() bool { // the breaker opens before
				outages = outagesIn(s.Records())
				return len(outages) > 0
			})
			if len(outages) != 1 || outages[0].Outcome != "outage_began" {
				t.Errorf("%d records of outages", len(outages))
			}
		})
	}
}
