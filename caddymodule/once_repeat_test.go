package caddymodule_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
)

// keyed is a request with an Idempotency-Key.
func keyed(s *site, key, body string) response {
	r := s.request(context.Background(), "FECAESolicitar", body)
	r.Header.Set("Idempotency-Key", key)
	return s.do(r)
}

// odd is an approval with blanks that no encoder would write.
func odd(number int) string { return strings.ReplaceAll(approvalOf(number), `,"`, `, "`) }

// TestRepeatIsAnsweredByteForByte: also after a restart, and with another Token.
func TestRepeatIsAnsweredByteForByte(t *testing.T) {
	u := newStub(t, answering(200, odd(1)))
	s := start(t, proxyTo(u.URL), exactly...)
	first := s.post("FECAESolicitar", invoice(1))
	if first.header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("got %v %s", first.header, first.body)
	}
	// The same figures in another spelling ask for the same.
	spelt := strings.Replace(invoice(1), `"ImpTotal":121.00`, `"ImpTotal": 121.0`, 1)
	config := s.config(strings.Join(append(exactly, s.audit()), "\n"), proxyTo(u.URL))
	for _, round := range []string{"at once", "after a restart"} {
		for _, body := range []string{invoice(1), spelt} {
			got := s.post("FECAESolicitar", body)
			if got.header.Get("Wsfev1-Outcome") != "replayed" || got.status != 200 || string(got.body) != odd(1) {
				t.Errorf("%s: %d %v %s", round, got.status, got.header, got.body)
			}
			if got.header.Get("Wsfev1-Record") == first.header.Get("Wsfev1-Record") {
				t.Errorf("%s: the repeat has no record of its own", round)
			}
			if r := s.last(); r.Kind != audit.KindExchange || r.Decision != "replay" || r.Outcome != "replayed" || r.Certainty != audit.NotSent ||
				r.Detail != "answered as record "+first.header.Get("Wsfev1-Record") {
				t.Errorf("%s: recorded %s %s %s %s %q", round, r.Kind, r.Decision, r.Outcome, r.Certainty, r.Detail)
			}
		}
		startAnew(s, config)
	}
	if n := u.hits.Load(); n != 1 {
		t.Errorf("%d requests upstream, want 1", n)
	}
}

// startAnew stops Caddy and starts it again: the keeper of the trail begins anew.
func startAnew(s *site, config string) {
	s.t.Helper()
	s.load("{\n admin off\n persist_config off\n}\n")
	s.load(config)
}

// TestRepeatNeedsCredentialsThatTheServiceTakes.
func TestRepeatNeedsCredentialsThatTheServiceTakes(t *testing.T) {
	var mu sync.Mutex // guards refuse and operations
	refuse, operations := "", map[string]int{}
	u := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		operation := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		operations[operation]++
		switch {
		case refuse == "all":
			panic(http.ErrAbortHandler)
		case refuse == "600":
			answering(200, `{"Errors":{"Err":[{"Code":600,"Msg":"ticket"}]}}`)(w, r)
		case operation == "FECompTotXRequest":
			answering(200, `{"RegXReq":250}`)(w, r)
		default:
			answering(200, approval)(w, r)
		}
	})
	set := func(how string) {
		mu.Lock()
		defer mu.Unlock()
		refuse = how
	}
	s := start(t, proxyTo(u.URL), exactly...)
	s.post("FECAESolicitar", invoice(1))
	stranger := strings.Replace(invoice(1), token, "c3RyYW5nZXI=", 1)

	set("600")
	if got := s.post("FECAESolicitar", stranger); firstError(t, got) != "600" || strings.Contains(string(got.body), "CAE\"") {
		t.Errorf("credentials that the service refuses: %v %s", got.header, got.body)
	}
	set("all")
	got := s.post("FECAESolicitar", stranger)
	if codes := got.codes(t); got.status != 503 || codes[0] != "once.credentials" || got.header.Get("Retry-After") == "" {
		t.Errorf("nobody tells: %d %v %s", got.status, got.header, got.body)
	}
	if got := s.post("FECAESolicitar", invoice(1)); got.header.Get("Wsfev1-Outcome") != "replayed" {
		t.Errorf("the first client, while the service is away: %v %s", got.header, got.body)
	}
	set("")
	if got := s.post("FECAESolicitar", stranger); got.header.Get("Wsfev1-Outcome") != "replayed" || string(got.body) != approval {
		t.Errorf("credentials that the service takes: %v %s", got.header, got.body)
	}
	mu.Lock()
	defer mu.Unlock()
	if operations["FECAESolicitar"] != 2 { // the first, and the one that was to be told 600
		t.Errorf("upstream: %v", operations)
	}
}

// TestSameRequestWhileTheFirstIsOnItsWay shares its answer; another content is a conflict.
func TestSameRequestWhileTheFirstIsOnItsWay(t *testing.T) {
	u := newIssuing(t)
	release := u.hold(t, 1)
	s := start(t, proxyTo(u.URL), exactly...)
	first := heldRequest(t, s, u.arrived)
	second := make(chan response, 1)
	go func() { second <- s.post("FECAESolicitar", invoice(1)) }()
	other := strings.NewReplacer("121.00", "121.01", "100.00", "100.01").Replace(invoice(1))
	got := s.post("FECAESolicitar", other)
	if codes := got.codes(t); got.status != 409 || codes[0] != "once.conflict" || got.header.Get("Wsfev1-Outcome") != "conflict" {
		t.Errorf("another content: %d %v %s", got.status, got.header, got.body)
	}
	release()
	a, b := <-first, <-second
	if string(a.body) != approvalOf(1) || string(b.body) != string(a.body) || b.header.Get("Wsfev1-Outcome") != "replayed" {
		t.Errorf("first %s, second %v %s", a.body, b.header, b.body)
	}
	if n := u.timesAsked(1); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// TestIdempotencyKey: one request to a key, with whatever answer; it stays here.
func TestIdempotencyKey(t *testing.T) {
	const rejection = `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"FchProceso":"20261120120000","CantReg":1,` +
		`"Resultado":"R","Reproceso":"N"},"FeDetResp":{"FECAEDetResponse":[{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,` +
		`"CbteHasta":1,"CbteFch":"20261120","Resultado":"R"}]}}`
	u := newStub(t, answering(200, rejection))
	s := start(t, proxyTo(u.URL), exactly...)
	config := s.config(strings.Join(append(exactly, s.audit()), "\n"), proxyTo(u.URL))
	keyed(s, `"k-1"`, invoice(1))
	if _, header := u.last(); header.Get("Idempotency-Key") != "" {
		t.Error("the key has reached the upstream")
	}
	startAnew(s, config)
	got := keyed(s, `"k-1"`, invoice(1))
	if got.header.Get("Wsfev1-Outcome") != "replayed" || string(got.body) != rejection {
		t.Errorf("the key again: %v %s", got.header, got.body)
	}
	got = keyed(s, `"k-1"`, invoice(2))
	if codes := got.codes(t); got.status != 422 || codes[0] != "once.idempotency_key" {
		t.Errorf("the key with another request: %d %s", got.status, got.body)
	}
	got = keyed(s, strings.Repeat("k", 256), invoice(1))
	if got.status != 400 {
		t.Errorf("a long key: %d %s", got.status, got.body)
	}
	if n := u.hits.Load(); n != 1 {
		t.Errorf("%d requests upstream, want 1", n)
	}
	// Without a key, and with a new one, what was rejected goes to the service again.
	s.post("FECAESolicitar", invoice(1))
	keyed(s, `"k-2"`, invoice(1))
	if n := u.hits.Load(); n != 3 {
		t.Errorf("%d requests upstream, want 3", n)
	}
	if strings.Contains(string(s.last().Request), "k-2") || s.last().IdempotencyKey == ([16]byte{}) {
		t.Error("the key is kept as it came, or not at all")
	}
}

// TestReplayOffLeavesRepeatsToTheService.
func TestReplayOffLeavesRepeatsToTheService(t *testing.T) {
	s := start(t, withBackend(t), "recover within 400ms", "replay off")
	s.post("FECAESolicitar", invoice(1))
	if got := s.post("FECAESolicitar", invoice(1)); firstError(t, got) != "10016" || got.header.Get("Wsfev1-Outcome") != "rejected" {
		t.Errorf("again: %v %s", got.header, got.body)
	}
}

// TestSequence: what does not follow is remarked upon, or refused once the service has
// confirmed its last number.
func TestSequence(t *testing.T) {
	for _, level := range []string{"observe", "enforce"} {
		t.Run(level, func(t *testing.T) {
			s := start(t, "respond 503")
			behind := freeAddress(t)
			s.load(s.config(strings.Join(append(exactly, "sequence "+level, s.audit()), "\n"), proxyTo(behind)) +
				"http://" + behind + " {\n bind " + loopback + "\n" + withBackend(t) + "\n}\n")
			s.post("FECAESolicitar", invoice(1))
			got := s.post("FECAESolicitar", invoice(5))
			want, outcome := "Se envió el número 5 y el último autorizado es 1", "rejected"
			if level == "enforce" {
				outcome = "refused"
			}
			r := s.last()
			if got.header.Get("Wsfev1-Outcome") != outcome || len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Text, want) {
				t.Errorf("got %v %s, findings %+v", got.header, got.body, r.Findings)
			}
			if level == "enforce" && !strings.Contains(string(got.body), "10016") {
				t.Errorf("refused with %s", got.body)
			}
			// Another program has gone on: what we know is old, and nothing is refused for it.
			other := &site{t: t, url: "http://" + behind}
			other.post("FECAESolicitar", invoice(2))
			if got := s.post("FECAESolicitar", invoice(3)); got.at(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("what follows another program's: %v %s", got.header, got.body)
			}
		})
	}
}

// TestSeriesWaitIsBounded: and another series is not held up.
func TestSeriesWaitIsBounded(t *testing.T) {
	u := newIssuing(t)
	release := u.hold(t, 1)
	s := start(t, proxyTo(u.URL), append(exactly, "series_wait 50ms")...)
	first := heldRequest(t, s, u.arrived)
	got := s.post("FECAESolicitar", invoice(2))
	if codes := got.codes(t); got.status != 503 || codes[0] != "once.busy" || got.header.Get("Retry-After") == "" || got.header.Get("Wsfev1-Outcome") != "busy" {
		t.Errorf("in the same series: %d %v %s", got.status, got.header, got.body)
	}
	if got := s.post("FECAESolicitar", strings.Replace(invoice(2), `"CbteTipo":6`, `"CbteTipo":7`, 1)); got.status == 503 {
		t.Errorf("in another series: %d %s", got.status, got.body)
	}
	release()
	<-first
	if n := u.timesAsked(1); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
