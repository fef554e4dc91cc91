package gateway_test

import (
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// losing is an upstream that issues invoice after invoice and loses the answer to each
// FECAESolicitar: the connection ends. Asked about one it has, it tells.
type losing struct {
	*caddytest.Stub
	mu sync.Mutex // guards what follows
	// issued are the numbers that it has issued, in order.
	issued []string
	// alter changes what it tells of an invoice, nil for nothing; silent has it tell nothing,
	// answers has it answer FECAESolicitar, idle has it issue nothing.
	alter                 *strings.Replacer
	silent, answers, idle bool
	// held keeps it at work on FECAESolicitar until it is closed, nil for not at all.
	held chan struct{}
}

func newLosing(t *testing.T) *losing {
	u := &losing{alter: strings.NewReplacer()}
	u.Stub = caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		u.mu.Lock()
		defer u.mu.Unlock()
		switch path.Base(r.URL.Path) {
		case "FECAESolicitar":
			u.issue(w, r, string(caddytest.NumberOf.FindSubmatch(body)[1]))
		case "FECompConsultar":
			number := strings.TrimSuffix(strings.SplitAfter(string(body), `"CbteNro":`)[1], "}}")
			number, _, _ = strings.Cut(number, ",")
			switch {
			case u.silent:
				caddytest.Answering(503, "")(w, r)
			case !slices.Contains(u.issued, number):
				caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"x"}]}}`)(w, r)
			default:
				caddytest.Answering(200, u.alter.Replace(consulted(number)))(w, r)
			}
		case "FECompUltimoAutorizado":
			caddytest.Answering(200, `{"PtoVta":1,"CbteTipo":6,"CbteNro":0}`)(w, r)
		case "FEDummy":
			caddytest.Answering(200, `{"AppServer":"OK","DbServer":"OK","AuthServer":"OK"}`)(w, r)
		default:
			caddytest.Answering(200, `{"RegXReq":250}`)(w, r)
		}
	})
	return u
}

// issue answers FECAESolicitar. The caller holds mu.
func (u *losing) issue(w http.ResponseWriter, r *http.Request, number string) {
	if held := u.held; held != nil {
		u.mu.Unlock()
		<-held
		u.mu.Lock()
	}
	if !u.idle {
		u.issued = append(u.issued, number)
	}
	if !u.answers {
		panic(http.ErrAbortHandler)
	}
	caddytest.Answering(200, strings.NewReplacer(`"CbteDesde":1,`, `"CbteDesde":`+number+",", `"CbteHasta":1,`, `"CbteHasta":`+number+",").Replace(caddytest.Approval))(w, r)
}

func (u *losing) set(change func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	change()
}

func (u *losing) timesIssued(number string) (n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, one := range u.issued {
		if one == number {
			n++
		}
	}
	return n
}

// consulted returns the service's answer to a query about invoice(number).
func consulted(number string) string {
	_, sent, _ := strings.Cut(caddytest.Invoice(1), `"FECAEDetRequest":[{`)
	sent = strings.NewReplacer(`"CbteDesde":1,`, `"CbteDesde":`+number+",", `"CbteHasta":1,`, `"CbteHasta":`+number+",").Replace(strings.TrimSuffix(sent, "}]}}}"))
	return `{"ResultGet":{` + sent + `,"CbteFch":"20261120","Resultado":"A","CodAutorizacion":"86470000000001","EmisionTipo":"CAE",` +
		`"FchVto":"20261130","FchProceso":"20261120120000","PtoVta":1,"CbteTipo":6}}`
}

// TestAConsultationThatDoesNotFitIsNotBelieved: a cache or a proxy tells of something else. The
// client is told that nobody knows, and once the service is understood it gets the truth.
func TestAConsultationThatDoesNotFitIsNotBelieved(t *testing.T) {
	for name, altered := range map[string][]string{
		"another number":         {`"CbteDesde":1,"CbteHasta":1`, `"CbteDesde":7,"CbteHasta":7`},
		"another first number":   {`"CbteDesde":1`, `"CbteDesde":7`},
		"another point of sale":  {`"PtoVta":1`, `"PtoVta":2`},
		"another type":           {`"CbteTipo":6`, `"CbteTipo":8`},
		"no code":                {"86470000000001", ""},
		"no member for the code": {`"CodAutorizacion"`, `"Otro"`},
		"a word for the code":    {"86470000000001", "PENDIENTE"},
		"zeros for the code":     {"86470000000001", "00000000000000"},
		"no total":               {`"ImpTotal":121.00,`, ""},
		"no rates":               {`,"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]}`, ""},
		"no currency":            {`"MonId":"PES",`, ""},
		"no day":                 {`"CbteFch":"20261120",`, ""},
		"rejected":               {`"Resultado":"A"`, `"Resultado":"R"`},
		"under an advance code":  {`"EmisionTipo":"CAE"`, `"EmisionTipo":"CAEA"`},
		"nothing but an event":   {consulted("1"), `{"Events":{"Evt":[{"Code":1,"Msg":"x"}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			upstream := newLosing(t)
			upstream.alter = strings.NewReplacer(altered...)
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), caddytest.Exactly...)
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if got.Status != 504 || got.Header.Get("Wsfev1-Outcome") != "unknown" || got.Codes(t)[0] != "upstream.unknown" {
				t.Errorf("got %d %s %s", got.Status, got.Header.Get("Wsfev1-Outcome"), got.Body)
			}
			if next := s.Post("FECAESolicitar", caddytest.Invoice(2)); next.Status != 503 || next.Codes(t)[0] != "once.unsettled" {
				t.Errorf("the next number: %d %s", next.Status, next.Body)
			}
			upstream.set(func() { upstream.alter = strings.NewReplacer() })
			again := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if again.Header.Get("Wsfev1-Outcome") != "replayed" || again.At(t, "/FeDetResp/FECAEDetResponse/0/CAE") != `"86470000000001"` {
				t.Errorf("again: %d %s %s", again.Status, again.Header.Get("Wsfev1-Outcome"), again.Body)
			}
			if n := upstream.timesIssued("1"); n != 1 {
				t.Errorf("issued %d times", n)
			}
		})
	}
}

// TestCredentialsThatExpiredMeanwhileAreNamed: with them nobody will find out what became of
// the request, however often it is repeated.
func TestCredentialsThatExpiredMeanwhileAreNamed(t *testing.T) {
	upstream := newLosing(t)
	upstream.alter = strings.NewReplacer(consulted("1"), `{"Errors":{"Err":[{"Code":600,"Msg":"x"}]}}`)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), caddytest.Exactly...)
	for _, want := range []string{"upstream.unknown", "once.unsettled"} {
		got := s.Post("FECAESolicitar", caddytest.Invoice(1))
		if codes := got.Codes(t); codes[0] != want || !strings.Contains(string(got.Body), "ticket de acceso nuevo") {
			t.Errorf("got %d %s", got.Status, got.Body)
		}
	}
	upstream.set(func() { upstream.alter = strings.NewReplacer() })
	renewed := strings.Replace(caddytest.Invoice(1), caddytest.Token, "b3RoZXI=", 1)
	if got := s.Post("FECAESolicitar", renewed); got.Header.Get("Wsfev1-Outcome") != "replayed" || upstream.timesIssued("1") != 1 {
		t.Errorf("with new ones: %d %v %s", got.Status, got.Header, got.Body)
	}
}

// TestWhatIsSaidOfARepeatIsTrue: that it is not carried out twice is said only where that is
// so, and elsewhere that one has to ask first.
func TestWhatIsSaidOfARepeatIsTrue(t *testing.T) {
	const safe, unsafe = "que no se procesa dos veces", "antes de repetirlo: repetido, puede enviarse otra vez al servicio"
	for _, test := range []struct {
		recover, replay, said string
		// repeat is the outcome of the same request sent again, times how often it was issued then.
		repeat string
		times  int
	}{
		{"recover within 400ms", "replay on", safe, "replayed", 1},
		{"recover within 400ms", "replay off", unsafe, "approved", 2},
		{"recover off", "replay on", unsafe, "approved", 2},
		{"recover off", "replay off", unsafe, "approved", 2},
	} {
		t.Run(test.recover+", "+test.replay, func(t *testing.T) {
			upstream := newLosing(t)
			upstream.silent = true
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), test.recover, test.replay, "upstream_timeout 5s")
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if got.Status != 504 || !strings.Contains(string(got.Body), test.said) || strings.Contains(string(got.Body), safe) != (test.said == safe) {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
			upstream.set(func() { upstream.silent, upstream.answers = false, true })
			again := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if outcome := again.Header.Get("Wsfev1-Outcome"); outcome != test.repeat || upstream.timesIssued("1") != test.times {
				t.Errorf("again: %s, and it was issued %d times", outcome, upstream.timesIssued("1"))
			}
		})
	}
}

// TestWithoutRecoveryNothingIsHeldBack: after a 504 the numbers with another content are sent,
// and the numbers after them.
func TestWithoutRecoveryNothingIsHeldBack(t *testing.T) {
	upstream := newLosing(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "recover off", "replay on")
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 504 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	upstream.set(func() { upstream.answers = true })
	other := strings.Replace(caddytest.Invoice(1), `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":30111222`, 1)
	for _, body := range []string{other, caddytest.Invoice(2)} {
		if got := s.Post("FECAESolicitar", body); got.Status != 200 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	if upstream.timesIssued("1") != 2 || upstream.timesIssued("2") != 1 {
		t.Errorf("issued: %v", upstream.issued)
	}
}
