package gateway_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// openKept opens a vault whose requests get a keeper's ticket, which is the markers.
func openKept(t *testing.T, next string, handle http.HandlerFunc, options ...string) *caddytest.Vault {
	t.Helper()
	login := caddytest.NewLogin(t, keptCuit)
	login.Mark(caddytest.NewMarkers())
	v := caddytest.OpenVault(t, next, handle)
	cuits := "cuits " + keptCuit
	for _, face := range caddytest.Faces {
		cuits += " " + face.Own(keptCuit)
	}
	for _, option := range options {
		name, _, _ := strings.Cut(option, " ")
		v.Options = strings.Replace(v.Options, name+" off", option, 1)
	}
	v.Options = strings.Replace(v.Options, "audit sqlite", login.Block(cuits)+"\n\t\taudit sqlite", 1)
	v.Load(v.Options)
	return v
}

// postBare sends an operation, given in JSON with the credentials of the tests, without them.
func postBare(s *caddytest.Site, face caddytest.Face, operation, body string) caddytest.Response {
	s.T.Helper()
	text := face.Write(s, operation, body)
	text = strings.NewReplacer("<Token>"+caddytest.Token+"</Token>", "", "<Sign>"+caddytest.Sign+"</Sign>", "").Replace(text)
	return face.PostText(s, operation, without(text))
}

// absentFromAnswer looks into all of what a client gets.
func absentFromAnswer(t *testing.T, v *caddytest.Vault, name string, got caddytest.Response) {
	t.Helper()
	var all bytes.Buffer
	_ = got.Header.Write(&all)
	all.Write(got.Body)
	v.AbsentFrom(t, name, all.Bytes())
}

// formsOfEcho are the ways in which a service may quote a credential in a text.
func formsOfEcho(credential string) map[string]string {
	everyByte, entities := "", ""
	for _, b := range []byte(credential) {
		everyByte += "%" + hex.EncodeToString([]byte{b})
		entities += fmt.Sprintf("&#%d;", b)
	}
	in64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	forms := quotedForms(credential)
	maps.Copy(forms, map[string]string{
		"as it is": credential, "cut": credential[:60] + "…", "the end": "…" + credential[80:],
		"percent": url.QueryEscape(credential), "percent, every byte": everyByte, "percent, twice": url.QueryEscape(url.QueryEscape(credential)),
		"base64": in64("{" + credential), "base64 twice": in64(in64(credential)), "base64 of percent": in64(everyByte), "hexadecimal": hex.EncodeToString([]byte(credential)),
		"entities": entities, "escaped": strings.NewReplacer("/", `\/`, "+", `\u002b`).Replace(credential), "url letters": strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(credential),
	})
	return forms
}

// TestNoClientGetsTheKeepersTicket that the service echoes, however it does; and what it issues
// reaches the client all the same.
func TestNoClientGetsTheKeepersTicket(t *testing.T) {
	var answer atomic.Pointer[string]
	v := openKept(t, "", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Whole", caddytest.NewMarkers().Token)
		w.Header().Set("Set-Cookie", "t="+caddytest.NewMarkers().Sign)
		w.Header().Set("X-Node", "node-7")
		caddytest.Answering(200, *answer.Load())(w, r)
	})
	for _, credential := range []string{v.Token, v.Sign} {
		for form, text := range formsOfEcho(credential) {
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.TrimSuffix(caddytest.Approval, "}") + `,"Events":{"Evt":[{"Code":1,"Msg":` + string(quoted) + `}]},` + string(quoted) + `:1}`
			answer.Store(&said)
			for _, face := range caddytest.Faces {
				got := postBare(v.Site, face, "FECAESolicitar", caddytest.Invoice(1))
				if got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "approved" || !bytes.Contains(got.Body, []byte("86470000000001")) {
					t.Errorf("%s, %s: %d %v %s", face.Name, form, got.Status, got.Header, got.Body)
				}
				absentFromAnswer(t, v, face.Name+", "+form, got)
				if bytes.Contains(got.Body, quoted[1:40]) {
					t.Errorf("%s, %s: it is in the answer", face.Name, form)
				}
			}
		}
	}
	v.SearchOwn(t) // Caddy's reverse_proxy writes headers into the debug log
}

// TestNoClientGetsTheKeepersTicketInAnotherBody: one of no operation.
func TestNoClientGetsTheKeepersTicketInAnotherBody(t *testing.T) {
	var status atomic.Int64
	var answer atomic.Pointer[string]
	v := openKept(t, "", func(w http.ResponseWriter, r *http.Request) {
		caddytest.Answering(int(status.Load()), *answer.Load())(w, r)
	})
	for _, c := range []struct {
		status int
		body   string
		kept   bool // nothing is hidden
	}{
		{500, "<html><body>Token=$T Sign=$S</body></html>", false},
		{500, "<html><body>página de mantenimiento</body></html>", true},
		{502, "", true},
		{400, `{"Errors":{"Err":[{"Code":"$S","Msg":"$T"}]}}`, false},
		{200, `["$T",["$S"]]`, false},
		{200, `"$T"`, false},
		{200, `{"FeCabResp":{"$T":{"$S":`, false},
		{200, `{"Errors":{"Err":[{"Code":600,"Msg":"no vale $T, $S"}]}}`, false},
		{200, `{"Errors":{"Err":[{"Code":600,"Msg":"no vale"}]},"` + strings.Repeat("a long name ", 5) + `":1}`, true},
		{200, "\xff\xfe" + strings.Join(strings.Split("<p>$T</p>", ""), "\x00"), false},
	} {
		body := v.In(c.body)
		if strings.HasPrefix(c.body, "\xff\xfe") {
			body = "\xff\xfe" + strings.Join(strings.Split("<p>"+v.Token+"</p>", ""), "\x00")
		}
		status.Store(int64(c.status))
		answer.Store(&body)
		for _, face := range caddytest.Faces {
			got := postBare(v.Site, face, "FECAESolicitar", caddytest.Invoice(1))
			absentFromAnswer(t, v, face.Name+", "+c.body, got)
			if bytes.Contains(bytes.ReplaceAll(got.Body, []byte{0}, nil), []byte(v.Token[:24])) {
				t.Errorf("%s, %q: %q", face.Name, c.body, got.Body)
			}
			if c.kept && !face.IsSOAP && (got.Status != c.status || string(got.Body) != body) {
				t.Errorf("%s, %q: %d %q", face.Name, c.body, got.Status, got.Body)
			}
		}
	}
	v.Search(t)
}

// TestNoClientGetsTheKeepersTicketFromASOAPService, wherever in a message it is.
func TestNoClientGetsTheKeepersTicketFromASOAPService(t *testing.T) {
	service := newSOAPService(t)
	v := openKept(t, toSOAP(service.URL), nil)
	number := map[string]int{}
	for place, put := range map[string]func(message string) string{
		"a comment": func(message string) string {
			return strings.Replace(message, "<soap:Body>", v.In("<soap:Body><!-- $T -->"), 1)
		},
		"an event": func(message string) string {
			return strings.Replace(message, "</FECAESolicitarResult>", v.In("<Events><Evt><Code>1</Code><Msg>$T</Msg></Evt></Events></FECAESolicitarResult>"), 1)
		},
		"an element": func(message string) string {
			return strings.Replace(message, "</FECAESolicitarResult>", v.In("<Otro>$S</Otro></FECAESolicitarResult>"), 1)
		},
		"hexadecimal": func(message string) string {
			return strings.Replace(message, "</FECAESolicitarResult>", "<Otro>"+hex.EncodeToString([]byte(v.Token))+"</Otro></FECAESolicitarResult>", 1)
		},
		"a header": func(message string) string {
			return strings.Replace(message, "</soap:Header>", v.In("<T>$T</T></soap:Header>"), 1)
		},
		"an attribute": func(message string) string {
			return strings.Replace(message, "<soap:Body>", v.In(`<soap:Body x="$S">`), 1)
		},
		"CDATA": func(message string) string {
			return strings.Replace(message, "</FECAESolicitarResult>", v.In("<Events><Evt><Code>1</Code><Msg><![CDATA[$T]]></Msg></Evt></Events></FECAESolicitarResult>"), 1)
		},
	} {
		for _, face := range caddytest.Faces {
			var written string
			service.failOnce(func(w http.ResponseWriter, carryOut func() []byte) {
				message := string(carryOut())
				if written = put(message); written == message {
					t.Errorf("%s: nothing was put into\n%s", place, message)
				}
				w.Header().Set("Content-Type", "text/xml; charset=utf-8")
				if strings.Contains(message, soap.V12.String()) || strings.Contains(message, "2003/05/soap-envelope") {
					w.Header().Set("Content-Type", soap.V12.MediaType())
				}
				_, _ = w.Write([]byte(written))
			})
			number[face.Name]++
			got := postBare(v.Site, face, "FECAESolicitar", face.Own(caddytest.Invoice(number[face.Name])))
			if got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "approved" {
				t.Errorf("%s, %s: %d %v %s\n%s", face.Name, place, got.Status, got.Header, got.Body, written)
			}
			absentFromAnswer(t, v, face.Name+", "+place, got)
			if bytes.Contains(got.Body, []byte(hex.EncodeToString([]byte(v.Token))[:48])) {
				t.Errorf("%s, %s: %s", face.Name, place, got.Body)
			}
		}
	}
	for _, face := range caddytest.Faces {
		for _, code := range []string{"soap:Client", "soap:Server"} {
			service.failOnce(func(w http.ResponseWriter, _ func() []byte) {
				w.Header().Set("Content-Type", "text/xml; charset=utf-8")
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = w.Write([]byte(v.In(`<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault><faultcode>` + code +
					`</faultcode><faultstring>$T</faultstring><detail>$S</detail></soap:Fault></soap:Body></soap:Envelope>`)))
			})
			got := postBare(v.Site, face, "FECAESolicitar", face.Own(caddytest.Invoice(number[face.Name]+1)))
			if got.Header.Get("Wsfev1-Outcome") != "upstream_error" { // neither proves anything
				t.Errorf("%s, %s: %d %v %s", face.Name, code, got.Status, got.Header, got.Body)
			}
			absentFromAnswer(t, v, face.Name+", "+code, got)
		}
	}
	v.Search(t)
}

// losingAll is a service that loses each invoice, and once it is back echoes the ticket in what it found.
func losingAll(back *atomic.Bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") || !back.Load() {
			panic(http.ErrAbortHandler)
		}
		found := strings.TrimSuffix(consulted("1"), "}}") + `,"Observaciones":{"Obs":[{"Code":10063,"Msg":"$T $S"}]}}}`
		caddytest.Answering(200, caddytest.NewMarkers().In(found))(w, r)
	}
}

// TestNoRecoveredAnswerHasTheKeepersTicket: what a query finds out is an answer of the service too.
func TestNoRecoveredAnswerHasTheKeepersTicket(t *testing.T) {
	var back atomic.Bool
	v := openKept(t, "", losingAll(&back), "recover within 400ms", "replay on")
	back.Store(true)
	settled := `wsfev1_recoveries_total{result="recovered"}`
	for _, face := range caddytest.Faces {
		before, body := v.Metric(settled), face.Own(caddytest.Invoice(1))
		got := postBare(v.Site, face, "FECAESolicitar", body)
		if got.Header.Get("Wsfev1-Outcome") != "recovered" || v.Metric(settled) != caddytest.Plus(t, before, 1) {
			t.Errorf("%s: %d %v %s", face.Name, got.Status, got.Header, got.Body)
		}
		absentFromAnswer(t, v, face.Name, got)
		again := postBare(v.Site, face, "FECAESolicitar", body)
		if again.Header.Get("Wsfev1-Outcome") != "replayed" {
			t.Errorf("%s: %d %v %s", face.Name, again.Status, again.Header, again.Body)
		}
		absentFromAnswer(t, v, face.Name+" again", again)
	}
	v.Search(t)
}

// TestNoSettlementHasTheKeepersTicket: nobody waits for it any more.
func TestNoSettlementHasTheKeepersTicket(t *testing.T) {
	var back atomic.Bool
	v := openKept(t, "", losingAll(&back), "recover within 400ms", "replay on")
	settled := `wsfev1_recoveries_total{result="recovered"}`
	before := v.Metric(settled)
	face := caddytest.Faces[0]
	if got := postBare(v.Site, face, "FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "unknown" {
		t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
	}
	back.Store(true)
	caddytest.Eventually(t, "a settlement", func() bool { return v.Metric(settled) == caddytest.Plus(t, before, 1) })
	if last := v.Last(); last.Kind != audit.KindSettlement || !bytes.Contains(last.Answer, []byte("hmac-sha256:")) {
		t.Errorf("recorded %+v", last)
	}
	again := postBare(v.Site, face, "FECAESolicitar", caddytest.Invoice(1))
	if again.Header.Get("Wsfev1-Outcome") != "replayed" {
		t.Errorf("%d %v %s", again.Status, again.Header, again.Body)
	}
	absentFromAnswer(t, v, "the replayed answer", again)
	v.Search(t)
}

// TestTheKeepersTicketIsNowhere: the built-in service gets it, and neither its ledger nor anything of
// the gateway has it.
func TestTheKeepersTicketIsNowhere(t *testing.T) {
	ledger := t.TempDir()
	v := openKept(t, "wsfev1_backend {\n ledger sqlite "+filepath.Join(ledger, "ledger.db")+"\n }", nil, "cache 5m", "replay on")
	for _, face := range caddytest.Faces {
		for _, step := range []struct{ operation, body, outcome string }{
			{"FECAESolicitar", face.Own(caddytest.Invoice(1)), "approved"},
			{"FECAESolicitar", face.Own(caddytest.Invoice(1)), "replayed"},
			{"FECompUltimoAutorizado", caddytest.LastText(0), "answered"},
			{"FEParamGetPtosVenta", face.Own("{" + caddytest.AuthText + "}"), "answered"},
			{"FEParamGetPtosVenta", face.Own("{" + caddytest.AuthText + "}"), "cached"},
		} {
			got := postBare(v.Site, face, step.operation, step.body)
			if got.Header.Get("Wsfev1-Outcome") != step.outcome {
				t.Errorf("%s, %s: %d %v %s", face.Name, step.operation, got.Status, got.Header, got.Body)
			}
			absentFromAnswer(t, v, face.Name+", "+step.operation, got)
		}
	}
	v.Search(t)
	if seen := v.AbsentFromFolder(t, ledger); seen < 1000 {
		t.Errorf("only %d bytes in the ledger", seen)
	}
}
