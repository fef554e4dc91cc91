package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// keyed is a request with an Idempotency-Key.
func keyed(s *caddytest.Site, key, body string) caddytest.Response {
	r := s.Request(context.Background(), "FECAESolicitar", body)
	r.Header.Set("Idempotency-Key", key)
	return s.Do(r)
}

// odd is an approval with blanks that no encoder would write.
func odd(number int) string { return strings.ReplaceAll(caddytest.ApprovalOf(number), `,"`, `, "`) }

// TestRepeatIsAnsweredByteForByte: also after a restart, and with another Token.
func TestRepeatIsAnsweredByteForByte(t *testing.T) {
	u := caddytest.NewStub(t, caddytest.Answering(200, odd(1)))
	s := caddytest.Start(t, caddytest.ProxyTo(u.URL), caddytest.Exactly...)
	first := s.Post("FECAESolicitar", caddytest.Invoice(1))
	if first.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("got %v %s", first.Header, first.Body)
	}
	// The same figures in another spelling ask for the same.
	spelt := strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, `"ImpTotal": 121.0`, 1)
	config := s.Config(strings.Join(append(caddytest.Exactly, s.Audit()), "\n"), caddytest.ProxyTo(u.URL))
	for _, round := range []string{"at once", "after a restart"} {
		for _, body := range []string{caddytest.Invoice(1), spelt} {
			got := s.Post("FECAESolicitar", body)
			if got.Header.Get("Wsfev1-Outcome") != "replayed" || got.Status != 200 || string(got.Body) != odd(1) {
				t.Errorf("%s: %d %v %s", round, got.Status, got.Header, got.Body)
			}
			if got.Header.Get("Wsfev1-Record") == first.Header.Get("Wsfev1-Record") {
				t.Errorf("%s: the repeat has no record of its own", round)
			}
			if r := s.Last(); r.Kind != audit.KindExchange || r.Decision != "replay" || r.Outcome != "replayed" || r.Certainty != audit.NotSent ||
				r.Detail != "answered as record "+first.Header.Get("Wsfev1-Record") {
				t.Errorf("%s: recorded %s %s %s %s %q", round, r.Kind, r.Decision, r.Outcome, r.Certainty, r.Detail)
			}
		}
		startAnew(s, config)
	}
	if n := u.Hits.Load(); n != 1 {
		t.Errorf("%d requests upstream, want 1", n)
	}
}

// startAnew stops Caddy and starts it again: the keeper of the trail begins anew.
func startAnew(s *caddytest.Site, config string) {
	s.T.Helper()
	s.Load("{\n admin off\n persist_config off\n}\n")
	s.Load(config)
}

// TestRepeatNeedsCredentialsThatTheServiceTakes.
func TestRepeatNeedsCredentialsThatTheServiceTakes(t *testing.T) {
	var mu sync.Mutex // guards refuse and operations
	refuse, operations := "", map[string]int{}
	u := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		operation := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		operations[operation]++
		switch {
		case refuse == "all":
			panic(http.ErrAbortHandler)
		case refuse == "600":
			caddytest.Answering(200, `{"Errors":{"Err":[{"Code":600,"Msg":"ticket"}]}}`)(w, r)
		case operation == "FECompTotXRequest":
			caddytest.Answering(200, `{"RegXReq":250}`)(w, r)
		default:
			caddytest.Answering(200, caddytest.Approval)(w, r)
		}
	})
	set := func(how string) {
		mu.Lock()
		defer mu.Unlock()
		refuse = how
	}
	s := caddytest.Start(t, caddytest.ProxyTo(u.URL), caddytest.Exactly...)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	stranger := strings.Replace(caddytest.Invoice(1), caddytest.Token, "c3RyYW5nZXI=", 1)

	set("600")
	if got := s.Post("FECAESolicitar", stranger); caddytest.FirstError(t, got) != "600" || strings.Contains(string(got.Body), "CAE\"") {
		t.Errorf("credentials that the service refuses: %v %s", got.Header, got.Body)
	}
	set("all")
	got := s.Post("FECAESolicitar", stranger)
	if codes := got.Codes(t); got.Status != 503 || codes[0] != "once.credentials" || got.Header.Get("Retry-After") == "" {
		t.Errorf("nobody tells: %d %v %s", got.Status, got.Header, got.Body)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "replayed" {
		t.Errorf("the first client, while the service is away: %v %s", got.Header, got.Body)
	}
	set("")
	if got := s.Post("FECAESolicitar", stranger); got.Header.Get("Wsfev1-Outcome") != "replayed" || string(got.Body) != caddytest.Approval {
		t.Errorf("credentials that the service takes: %v %s", got.Header, got.Body)
	}
	mu.Lock()
	defer mu.Unlock()
	if operations["FECAESolicitar"] != 2 { // the first, and the one that was to be told 600
		t.Errorf("upstream: %v", operations)
	}
}

// TestSameRequestWhileTheFirstIsOnItsWay shares its answer; another content is a conflict.
func TestSameRequestWhileTheFirstIsOnItsWay(t *testing.T) {
	u := caddytest.NewIssuing(t)
	release := u.Hold(t, 1)
	s := caddytest.Start(t, caddytest.ProxyTo(u.URL), caddytest.Exactly...)
	first := caddytest.HeldRequest(t, s, u.Arrived)
	second := make(chan caddytest.Response, 1)
	go func() { second <- s.Post("FECAESolicitar", caddytest.Invoice(1)) }()
	other := strings.NewReplacer("121.00", "121.01", "100.00", "100.01").Replace(caddytest.Invoice(1))
	got := s.Post("FECAESolicitar", other)
	if codes := got.Codes(t); got.Status != 409 || codes[0] != "once.conflict" || got.Header.Get("Wsfev1-Outcome") != "conflict" {
		t.Errorf("another content: %d %v %s", got.Status, got.Header, got.Body)
	}
	release()
	a, b := <-first, <-second
	if string(a.Body) != caddytest.ApprovalOf(1) || string(b.Body) != string(a.Body) || b.Header.Get("Wsfev1-Outcome") != "replayed" {
		t.Errorf("first %s, second %v %s", a.Body, b.Header, b.Body)
	}
	if n := u.TimesAsked(1); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// TestIdempotencyKey: one request to a key, with whatever answer; it stays here.
func TestIdempotencyKey(t *testing.T) {
	const rejection = `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"FchProceso":"20261120120000","CantReg":1,` +
		`"Resultado":"R","Reproceso":"N"},"FeDetResp":{"FECAEDetResponse":[{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,` +
		`"CbteHasta":1,"CbteFch":"20261120","Resultado":"R","Observaciones":{"Obs":[{"Code":10015,"Msg":"x"}]}}]}}`
	u := caddytest.NewStub(t, caddytest.Answering(200, rejection))
	s := caddytest.Start(t, caddytest.ProxyTo(u.URL), caddytest.Exactly...)
	config := s.Config(strings.Join(append(caddytest.Exactly, s.Audit()), "\n"), caddytest.ProxyTo(u.URL))
	keyed(s, `"k-1"`, caddytest.Invoice(1))
	if _, header := u.Last(); header.Get("Idempotency-Key") != "" {
		t.Error("the key has reached the upstream")
	}
	startAnew(s, config)
	got := keyed(s, `"k-1"`, caddytest.Invoice(1))
	if got.Header.Get("Wsfev1-Outcome") != "replayed" || string(got.Body) != rejection {
		t.Errorf("the key again: %v %s", got.Header, got.Body)
	}
	got = keyed(s, `"k-1"`, caddytest.Invoice(2))
	if codes := got.Codes(t); got.Status != 422 || codes[0] != "once.idempotency_key" {
		t.Errorf("the key with another request: %d %s", got.Status, got.Body)
	}
	got = keyed(s, strings.Repeat("k", 256), caddytest.Invoice(1))
	if got.Status != 400 {
		t.Errorf("a long key: %d %s", got.Status, got.Body)
	}
	if n := u.Hits.Load(); n != 1 {
		t.Errorf("%d requests upstream, want 1", n)
	}
	// Without a key, and with a new one, what was rejected goes to the service again.
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	keyed(s, `"k-2"`, caddytest.Invoice(1))
	if n := u.Hits.Load(); n != 3 {
		t.Errorf("%d requests upstream, want 3", n)
	}
	if strings.Contains(string(s.Last().Request), "k-2") || s.Last().IdempotencyKey == ([16]byte{}) {
		t.Error("the key is kept as it came, or not at all")
	}
}

// TestReplayOffLeavesRepeatsToTheService.
func TestReplayOffLeavesRepeatsToTheService(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), "recover within 400ms", "replay off")
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); caddytest.FirstError(t, got) != "10016" || got.Header.Get("Wsfev1-Outcome") != "rejected" {
		t.Errorf("again: %v %s", got.Header, got.Body)
	}
}

// TestSequence: what does not follow is remarked upon, or refused once the service has
// confirmed its last number.
func TestSequence(t *testing.T) {
	for _, level := range []string{"observe", "enforce"} {
		t.Run(level, func(t *testing.T) {
			s := caddytest.NewSite(t)
			behind := caddytest.FreeAddress(t)
			s.Load(s.Config(strings.Join(append(caddytest.Exactly, "sequence "+level, s.Audit()), "\n"), caddytest.ProxyTo(behind)) +
				"http://" + behind + " {\n bind " + caddytest.Loopback + "\n" + caddytest.WithBackend(t) + "\n}\n")
			s.Post("FECAESolicitar", caddytest.Invoice(1))
			got := s.Post("FECAESolicitar", caddytest.Invoice(5))
			want, outcome := "Se envió el número 5 y el último autorizado es 1", "rejected"
			if level == "enforce" {
				outcome = "refused"
			}
			r := s.Last()
			if got.Header.Get("Wsfev1-Outcome") != outcome || len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Text, want) {
				t.Errorf("got %v %s, findings %+v", got.Header, got.Body, r.Findings)
			}
			if level == "enforce" && !strings.Contains(string(got.Body), "10016") {
				t.Errorf("refused with %s", got.Body)
			}
			// Another program has gone on: what we know is old, and nothing is refused for it.
			other := &caddytest.Site{T: t, URL: "http://" + behind}
			other.Post("FECAESolicitar", caddytest.Invoice(2))
			if got := s.Post("FECAESolicitar", caddytest.Invoice(3)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("what follows another program's: %v %s", got.Header, got.Body)
			}
		})
	}
}

// TestSeriesWaitIsBounded: and another series is not held up.
func TestSeriesWaitIsBounded(t *testing.T) {
	u := caddytest.NewIssuing(t)
	release := u.Hold(t, 1)
	s := caddytest.Start(t, caddytest.ProxyTo(u.URL), append(caddytest.Exactly, "series_wait 50ms")...)
	first := caddytest.HeldRequest(t, s, u.Arrived)
	got := s.Post("FECAESolicitar", caddytest.Invoice(2))
	if codes := got.Codes(t); got.Status != 503 || codes[0] != "once.busy" || got.Header.Get("Retry-After") == "" || got.Header.Get("Wsfev1-Outcome") != "busy" {
		t.Errorf("in the same series: %d %v %s", got.Status, got.Header, got.Body)
	}
	if got := s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(2), `"CbteTipo":6`, `"CbteTipo":7`, 1)); got.Status == 503 {
		t.Errorf("in another series: %d %s", got.Status, got.Body)
	}
	release()
	<-first
	if n := u.TimesAsked(1); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
