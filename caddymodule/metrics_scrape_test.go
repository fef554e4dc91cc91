package caddymodule_test

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

	"github.com/fielato/fielato/audit/audittest"
)

// TestScrapeWhileARequestWaitsInItsSeries: one is at the service, one behind it.
func TestScrapeWhileARequestWaitsInItsSeries(t *testing.T) {
	upstream := newIssuing(t)
	release := upstream.hold(t, 1)
	s := start(t, proxyTo(upstream.URL))
	waits := s.metric("wsfev1_series_wait_duration_seconds_count")
	var clients sync.WaitGroup
	issue := func(number int) {
		clients.Go(func() {
			if got := s.post("FECAESolicitar", invoice(number)); string(got.body) != approvalOf(number) {
				t.Errorf("invoice %d: %d %s", number, got.status, got.body)
			}
		})
	}
	issue(1)
	<-upstream.arrived
	issue(2)
	s.wantMetrics(t, "one behind", map[string]string{
		"wsfev1_series_waiting": "1", `wsfev1_in_flight{kind="issuing"}`: "1", "wsfev1_audit_open_intents": "1",
		"wsfev1_audit_tree_size": "1", "wsfev1_unknown_outcomes": "0",
	})
	release()
	clients.Wait()
	s.wantMetrics(t, "in the end", map[string]string{
		"wsfev1_series_waiting": "0", `wsfev1_in_flight{kind="issuing"}`: "0", "wsfev1_audit_open_intents": "0",
		"wsfev1_audit_tree_size": "4", "wsfev1_series_wait_duration_seconds_count": plus(t, waits, 2),
	})
}

// TestScrapeWhileAnOutcomeIsUnknown: from the loss of the answer until it is settled, also
// through a restart.
func TestScrapeWhileAnOutcomeIsUnknown(t *testing.T) {
	asked, answer := make(chan struct{}, 16), make(chan struct{})
	var away atomic.Bool
	away.Store(true)
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		switch operation := path.Base(r.URL.Path); {
		case operation == "FECAESolicitar" && away.Load():
			hangUp("")(w, r)
		case operation == "FECAESolicitar":
			answering(200, approval)(w, r)
		case away.Load():
			asked <- struct{}{}
			<-answer
			answering(502, "away")(w, r)
		default:
			answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
		}
	})
	release := sync.OnceFunc(func() { close(answer) })
	t.Cleanup(release)
	s := start(t, proxyTo(upstream.URL), "recover within 400ms", "replay on")
	done := make(chan response, 1)
	go func() { done <- s.post("FECAESolicitar", invoice(1)) }()
	<-asked
	s.wantMetrics(t, "while its client waits", map[string]string{"wsfev1_unknown_outcomes": "1"})
	release()
	if got := <-done; got.header.Get("Wsfev1-Outcome") != "unknown" {
		t.Fatalf("%d %v %s", got.status, got.header, got.body)
	}
	s.wantMetrics(t, "when its client has left", map[string]string{"wsfev1_unknown_outcomes": "1", "wsfev1_audit_open_intents": "0"})
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.load(s.config(s.withAudit("recover within 400ms", "replay on"), proxyTo(upstream.URL)))
	s.wantMetrics(t, "after a restart", map[string]string{"wsfev1_unknown_outcomes": "1"})
	away.Store(false)
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 {
		t.Errorf("when the service is back: %d %s", got.status, got.body)
	}
	s.wantMetrics(t, "when it is settled", map[string]string{"wsfev1_unknown_outcomes": "0", "wsfev1_audit_open_intents": "0"})
}

// TestScrapeShowsTheRoomAtTheService: what is there and what may be, through a reload while
// a request of the configuration before is at the service.
func TestScrapeShowsTheRoomAtTheService(t *testing.T) {
	arrived, proceed := make(chan struct{}, 1), make(chan struct{})
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-proceed
		answering(200, `{"ResultGet":{}}`)(w, r)
	})
	release := sync.OnceFunc(func() { close(proceed) })
	t.Cleanup(release)
	s := start(t, proxyTo(upstream.URL), "in_flight tables 3 queries 7")
	done := make(chan response, 1)
	go func() { done <- s.post("FEParamGetTiposIva", query) }()
	<-arrived
	s.wantMetrics(t, "one at the service", map[string]string{
		`wsfev1_in_flight{kind="tables"}`: "1", `wsfev1_in_flight{kind="queries"}`: "0", `wsfev1_in_flight_limit{kind="tables"}`: "3",
		`wsfev1_in_flight_limit{kind="queries"}`: "7", `wsfev1_in_flight_limit{kind="issuing"}`: "256",
		`wsfev1_in_flight_ratio{kind="tables"}`: strconv.FormatFloat(1.0/3, 'g', -1, 64), `wsfev1_in_flight_ratio{kind="issuing"}`: "0",
	})
	s.load(s.config(s.withAudit("in_flight tables 5"), proxyTo(upstream.URL)))
	s.wantMetrics(t, "after a reload", map[string]string{
		`wsfev1_in_flight{kind="tables"}`: "1", `wsfev1_in_flight_limit{kind="tables"}`: "5", `wsfev1_in_flight_limit{kind="queries"}`: "64",
		`wsfev1_in_flight_ratio{kind="tables"}`: "0", // it is not in the room of the new one
	})
	release()
	<-done
	s.wantMetrics(t, "in the end", map[string]string{`wsfev1_in_flight{kind="tables"}`: "0"})
}

// TestScrapeDuringAnOutage: what has no answer, and whose matter that is, also after a
// restart.
func TestScrapeDuringAnOutage(t *testing.T) {
	for name, test := range map[string]struct {
		fail         func(*moody)
		scope, class string
	}{
		"pages in place of answers": {func(m *moody) { m.set(true) }, "everything", "service"},
		"nothing is issued":         {func(m *moody) { m.silence(true) }, "changes", "service"},
		"nobody there":              {func(m *moody) { m.CloseClientConnections(); m.Listener.Close() }, "everything", "network"},
	} {
		t.Run(name, func(t *testing.T) {
			upstream := newMoody(t)
			s := start(t, proxyTo(upstream.URL), "breaker 2 rest 1h")
			s.wantMetrics(t, "before", map[string]string{"wsfev1_breaker_open": "0", `wsfev1_outages{scope="` + test.scope + `"}`: "0"})
			test.fail(upstream)
			for range 2 {
				if test.scope == "changes" {
					s.post("FECompTotXRequest", query)
				}
				s.post("FECAESolicitar", invoice(1))
			}
			others := map[string]string{"everything": "changes", "changes": "everything", "network": "service", "service": "network"}
			during := map[string]string{
				"wsfev1_breaker_open": "1", `wsfev1_outages{scope="` + test.scope + `"}`: "1", `wsfev1_outages{scope="` + others[test.scope] + `"}`: "0",
				`wsfev1_service_down{class="` + test.class + `"}`: "1", `wsfev1_service_down{class="` + others[test.class] + `"}`: "0",
			}
			s.wantMetrics(t, "during", during)
			if err := caddy.Stop(); err != nil {
				t.Fatal(err)
			}
			s.load(s.config(s.withAudit("breaker 2 rest 1h"), proxyTo(upstream.URL)))
			s.wantMetrics(t, "after a restart", during)
		})
	}
}

// TestScrapeOfTheTrail: how large it is, since when nothing was added, and how much room it
// has.
func TestScrapeOfTheTrail(t *testing.T) {
	s := start(t, "respond `"+approval+"`")
	number := func(series string) float64 {
		value, err := strconv.ParseFloat(s.metric(series), 64)
		if err != nil {
			t.Fatalf("%s: %v", series, err)
		}
		return value
	}
	before := float64(time.Now().UnixMilli()) / 1000
	if at := number("wsfev1_audit_checkpoint_timestamp_seconds"); at > before || at < before-60 {
		t.Errorf("checkpoint at %f before anything was written at %f", at, before)
	}
	s.post("FECAESolicitar", invoice(1))
	s.post("FECompTotXRequest", query)
	if at := number("wsfev1_audit_checkpoint_timestamp_seconds"); at < before || at > before+60 {
		t.Errorf("checkpoint at %f, written after %f", at, before)
	}
	s.wantMetrics(t, "after two exchanges", map[string]string{"wsfev1_audit_tree_size": "3", "wsfev1_audit_queue_records": "0"})
	if free := s.metric("wsfev1_audit_disk_free_bytes"); free == "" || free == "0" {
		t.Errorf("free: %q", free)
	}
	s = startFailing(t, "respond ok") // which is on no disk
	eventually(t, "nothing is said of a disk", func() bool { return s.metric("wsfev1_audit_disk_free_bytes") == "" })
}

// TestScrapeWhileARecordIsWritten: it waits until it is durable.
func TestScrapeWhileARecordIsWritten(t *testing.T) {
	s := startFailing(t, "respond ok")
	held := audittest.NewFaulty(disk.memory, nil)
	entered, release := held.Hold()
	disk.Lock()
	disk.faulty = held
	disk.Unlock()
	done := make(chan response, 1)
	go func() { done <- s.post("FECompTotXRequest", query) }()
	<-entered
	s.wantMetrics(t, "in the commit", map[string]string{"wsfev1_audit_queue_records": "1", "wsfev1_audit_tree_size": "0"})
	release()
	<-done
	s.wantMetrics(t, "in the end", map[string]string{"wsfev1_audit_queue_records": "0", "wsfev1_audit_tree_size": "1"})
}

// TestCodesAndServersOfTheService: a code that the catalogue does not have is other.
func TestCodesAndServersOfTheService(t *testing.T) {
	var db atomic.Value
	db.Store("OK")
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "FEDummy") {
			answering(200, `{"AppServer":"OK","DbServer":"`+db.Load().(string)+`","AuthServer":"OK"}`)(w, r)
			return
		}
		answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"},{"Code":424242,"Msg":"nuevo"},{"Code":602,"Msg":"otra vez"}]}}`)(w, r)
	})
	s := start(t, proxyTo(upstream.URL))
	known, other := s.metric(`wsfev1_service_codes_total{code="602"}`), s.metric(`wsfev1_service_codes_total{code="other"}`)
	s.post("FECompConsultar", "{"+authText+`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`)
	s.wantMetrics(t, "after an answer", map[string]string{
		`wsfev1_service_codes_total{code="602"}`: plus(t, known, 2), `wsfev1_service_codes_total{code="other"}`: plus(t, other, 1),
		`wsfev1_service_codes_total{code="424242"}`: "",
	})
	for _, said := range []string{"OK", "NO"} {
		db.Store(said)
		s.post("FEDummy", "{}")
		s.wantMetrics(t, "the database says "+said, map[string]string{
			`wsfev1_service_server_up{server="app"}`: "1", `wsfev1_service_server_up{server="auth"}`: "1",
			`wsfev1_service_server_up{server="db"}`: map[string]string{"OK": "1", "NO": "0"}[said],
		})
	}
}
