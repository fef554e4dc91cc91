package gateway_test

import (
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
)

// TestScrapeWhileARequestWaitsInItsSeries: one is at the service, one behind it.
func TestScrapeWhileARequestWaitsInItsSeries(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	release := upstream.Hold(t, 1)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	waits := s.Metric("wsfev1_series_wait_duration_seconds_count")
	var clients sync.WaitGroup
	issue := func(number int) {
		clients.Go(func() {
			if got := s.Post("FECAESolicitar", caddytest.Invoice(number)); string(got.Body) != caddytest.ApprovalOf(number) {
				t.Errorf("invoice %d: %d %s", number, got.Status, got.Body)
			}
		})
	}
	issue(1)
	<-upstream.Arrived
	issue(2)
	s.WantMetrics(t, "one behind", map[string]string{
		"wsfev1_series_waiting": "1", `wsfev1_in_flight{kind="issuing"}`: "1", "wsfev1_audit_open_intents": "1",
		"wsfev1_audit_tree_size": "1", "wsfev1_unknown_outcomes": "0",
	})
	release()
	clients.Wait()
	s.WantMetrics(t, "in the end", map[string]string{
		"wsfev1_series_waiting": "0", `wsfev1_in_flight{kind="issuing"}`: "0", "wsfev1_audit_open_intents": "0",
		"wsfev1_audit_tree_size": "4", "wsfev1_series_wait_duration_seconds_count": caddytest.Plus(t, waits, 2),
	})
}

// TestScrapeWhileAnOutcomeIsUnknown: from the loss of the answer until it is settled, also
// through a restart.
func TestScrapeWhileAnOutcomeIsUnknown(t *testing.T) {
	asked, answer := make(chan struct{}, 16), make(chan struct{})
	var away atomic.Bool
	away.Store(true)
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		switch operation := path.Base(r.URL.Path); {
		case operation == "FECAESolicitar" && away.Load():
			caddytest.HangUp("")(w, r)
		case operation == "FECAESolicitar":
			caddytest.Answering(200, caddytest.Approval)(w, r)
		case away.Load():
			asked <- struct{}{}
			<-answer
			caddytest.Answering(502, "away")(w, r)
		default:
			caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
		}
	})
	release := sync.OnceFunc(func() { close(answer) })
	t.Cleanup(release)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "recover within 400ms", "replay on")
	done := make(chan caddytest.Response, 1)
	go func() { done <- s.Post("FECAESolicitar", caddytest.Invoice(1)) }()
	<-asked
	s.WantMetrics(t, "while its client waits", map[string]string{"wsfev1_unknown_outcomes": "1"})
	release()
	if got := <-done; got.Header.Get("Wsfev1-Outcome") != "unknown" {
		t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
	}
	s.WantMetrics(t, "when its client has left", map[string]string{"wsfev1_unknown_outcomes": "1", "wsfev1_audit_open_intents": "0"})
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.Load(s.Config(s.WithAudit("recover within 400ms", "replay on"), caddytest.ProxyTo(upstream.URL)))
	s.WantMetrics(t, "after a restart", map[string]string{"wsfev1_unknown_outcomes": "1"})
	away.Store(false)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
		t.Errorf("when the service is back: %d %s", got.Status, got.Body)
	}
	s.WantMetrics(t, "when it is settled", map[string]string{"wsfev1_unknown_outcomes": "0", "wsfev1_audit_open_intents": "0"})
}

// TestScrapeShowsTheRoomAtTheService: the requests there and their limits, through a reload while
// a request of the configuration before is at the service.
func TestScrapeShowsTheRoomAtTheService(t *testing.T) {
	arrived, proceed := make(chan struct{}, 1), make(chan struct{})
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-proceed
		caddytest.Answering(200, `{"ResultGet":{}}`)(w, r)
	})
	release := sync.OnceFunc(func() { close(proceed) })
	t.Cleanup(release)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "in_flight tables 3 queries 7")
	done := make(chan caddytest.Response, 1)
	go func() { done <- s.Post("FEParamGetTiposIva", caddytest.Query) }()
	<-arrived
	s.WantMetrics(t, "one at the service", map[string]string{
		`wsfev1_in_flight{kind="tables"}`: "1", `wsfev1_in_flight{kind="queries"}`: "0", `wsfev1_in_flight_limit{kind="tables"}`: "3",
		`wsfev1_in_flight_limit{kind="queries"}`: "7", `wsfev1_in_flight_limit{kind="issuing"}`: "256",
		`wsfev1_in_flight_ratio{kind="tables"}`: strconv.FormatFloat(1.0/3, 'g', -1, 64), `wsfev1_in_flight_ratio{kind="issuing"}`: "0",
	})
	s.Load(s.Config(s.WithAudit("in_flight tables 5"), caddytest.ProxyTo(upstream.URL)))
	s.WantMetrics(t, "after a reload", map[string]string{
		`wsfev1_in_flight{kind="tables"}`: "1", `wsfev1_in_flight_limit{kind="tables"}`: "5", `wsfev1_in_flight_limit{kind="queries"}`: "64",
		`wsfev1_in_flight_ratio{kind="tables"}`: "0", // it is not in the room of the new one
	})
	release()
	<-done
	s.WantMetrics(t, "in the end", map[string]string{`wsfev1_in_flight{kind="tables"}`: "0"})
}

// TestScrapeDuringAnOutage: what has no answer, and whose matter that is, also after a
// restart.
func TestScrapeDuringAnOutage(t *testing.T) {
	for name, test := range map[string]struct {
		fail         func(*caddytest.Moody)
		scope, class string
	}{
		"pages in place of answers": {func(m *caddytest.Moody) { m.Set(true) }, "everything", "service"},
		"nothing is issued":         {func(m *caddytest.Moody) { m.Silence(true) }, "changes", "service"},
		"nobody there":              {func(m *caddytest.Moody) { m.CloseClientConnections(); m.Listener.Close() }, "everything", "network"},
	} {
		t.Run(name, func(t *testing.T) {
			upstream := caddytest.NewMoody(t)
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker 2 rest 1h")
			s.WantMetrics(t, "before", map[string]string{"wsfev1_breaker_open": "0", `wsfev1_outages{scope="` + test.scope + `"}`: "0"})
			test.fail(upstream)
			for range 2 {
				if test.scope == "changes" {
					s.Post("FECompTotXRequest", caddytest.Query)
				}
				s.Post("FECAESolicitar", caddytest.Invoice(1))
			}
			others := map[string]string{"everything": "changes", "changes": "everything", "network": "service", "service": "network"}
			during := map[string]string{
				"wsfev1_breaker_open": "1", `wsfev1_outages{scope="` + test.scope + `"}`: "1", `wsfev1_outages{scope="` + others[test.scope] + `"}`: "0",
				`wsfev1_service_down{class="` + test.class + `"}`: "1", `wsfev1_service_down{class="` + others[test.class] + `"}`: "0",
			}
			s.WantMetrics(t, "during", during)
			if err := caddy.Stop(); err != nil {
				t.Fatal(err)
			}
			s.Load(s.Config(s.WithAudit("breaker 2 rest 1h"), caddytest.ProxyTo(upstream.URL)))
			s.WantMetrics(t, "after a restart", during)
		})
	}
}

// TestScrapeOfTheTrail: how large it is, since when nothing was added, and how much room it
// has.
func TestScrapeOfTheTrail(t *testing.T) {
	s := caddytest.Start(t, "respond `"+caddytest.Approval+"`")
	number := func(series string) float64 {
		value, err := strconv.ParseFloat(s.Metric(series), 64)
		if err != nil {
			t.Fatalf("%s: %v", series, err)
		}
		return value
	}
	before := float64(time.Now().UnixMilli()) / 1000
	if at := number("wsfev1_audit_checkpoint_timestamp_seconds"); at > before || at < before-60 {
		t.Errorf("checkpoint at %f before anything was written at %f", at, before)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	s.Post("FECompTotXRequest", caddytest.Query)
	if at := number("wsfev1_audit_checkpoint_timestamp_seconds"); at < before || at > before+60 {
		t.Errorf("checkpoint at %f, written after %f", at, before)
	}
	s.WantMetrics(t, "after two exchanges", map[string]string{"wsfev1_audit_tree_size": "3", "wsfev1_audit_queue_records": "0"})
	if free := s.Metric("wsfev1_audit_disk_free_bytes"); free == "" || free == "0" {
		t.Errorf("free: %q", free)
	}
	s = caddytest.StartFailing(t, "respond ok") // which is on no disk
	caddytest.Eventually(t, "nothing is said of a disk", func() bool { return s.Metric("wsfev1_audit_disk_free_bytes") == "" })
}

// TestScrapeWhileARecordIsWritten: it waits until it is durable.
func TestScrapeWhileARecordIsWritten(t *testing.T) {
	s := caddytest.StartFailing(t, "respond ok")
	held := audittest.NewFaulty(caddytest.Disk.Memory, nil)
	entered, release := held.Hold()
	caddytest.Disk.Lock()
	caddytest.Disk.Faulty = held
	caddytest.Disk.Unlock()
	done := make(chan caddytest.Response, 1)
	go func() { done <- s.Post("FECompTotXRequest", caddytest.Query) }()
	<-entered
	s.WantMetrics(t, "in the commit", map[string]string{"wsfev1_audit_queue_records": "1", "wsfev1_audit_tree_size": "0"})
	release()
	<-done
	s.WantMetrics(t, "in the end", map[string]string{"wsfev1_audit_queue_records": "0", "wsfev1_audit_tree_size": "1"})
}

// TestCodesAndServersOfTheService: a code that the catalogue does not have is other.
func TestCodesAndServersOfTheService(t *testing.T) {
	var db atomic.Value
	db.Store("OK")
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "FEDummy") {
			caddytest.Answering(200, `{"AppServer":"OK","DbServer":"`+db.Load().(string)+`","AuthServer":"OK"}`)(w, r)
			return
		}
		caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"},{"Code":424242,"Msg":"nuevo"},{"Code":602,"Msg":"otra vez"}]}}`)(w, r)
	})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	known, other := s.Metric(`wsfev1_service_codes_total{code="602"}`), s.Metric(`wsfev1_service_codes_total{code="other"}`)
	s.Post("FECompConsultar", "{"+caddytest.AuthText+`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`)
	s.WantMetrics(t, "after an answer", map[string]string{
		`wsfev1_service_codes_total{code="602"}`: caddytest.Plus(t, known, 2), `wsfev1_service_codes_total{code="other"}`: caddytest.Plus(t, other, 1),
		`wsfev1_service_codes_total{code="424242"}`: "",
	})
	for _, said := range []string{"OK", "NO"} {
		db.Store(said)
		s.Post("FEDummy", "{}")
		s.WantMetrics(t, "the database says "+said, map[string]string{
			`wsfev1_service_server_up{server="app"}`: "1", `wsfev1_service_server_up{server="auth"}`: "1",
			`wsfev1_service_server_up{server="db"}`: map[string]string{"OK": "1", "NO": "0"}[said],
		})
	}
}
