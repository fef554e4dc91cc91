package reading_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestShowPrintsBothHalves of an exchange, whichever is asked for, the intent first.
func TestShowPrintsBothHalves(t *testing.T) {
	s := caddytest.Evidence(t)
	of0, of1 := s.Show("0"), s.Show("1")
	if of0 != of1 {
		t.Errorf("asked for the intent:\n%s\nasked for the outcome:\n%s", of0, of1)
	}
	both := `(?s)^record \S*\s*\S+/0 \(intent\).*\nrecord +\S+/1 \(outcome\).*\n\{\n  "Auth".*\n\{\n  "FeCabResp"`
	if !regexp.MustCompile(both).MatchString(of1) {
		t.Errorf("not both halves and both bodies:\n%s", of1)
	}
	object := caddytest.Response{Body: []byte(s.Show("0", "--format", "json"))}
	for pointer, want := range map[string]string{
		"/index": "0", "/kind": `"intent"`, "/other_half/index": "1", "/other_half/outcome": `"approved"`,
		"/request/Auth/Cuit": "20111111112", "/other_half/answer/FeCabResp/Resultado": `"A"`,
	} {
		if got := object.At(t, pointer); got != want {
			t.Errorf("%s is %s, want %s", pointer, got, want)
		}
	}
	if out := s.Show("2"); strings.Count(out, "record ") != 1 || strings.Contains(out, "other_half") {
		t.Errorf("an exchange of one record:\n%s", out)
	}
}

// TestShowSaysThatAnIntentHasNoOutcome: the reader must not repeat the request.
func TestShowSaysThatAnIntentHasNoOutcome(t *testing.T) {
	upstream, arrived, release := caddytest.Holding(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	done := caddytest.HeldRequest(t, s, arrived)
	if out := s.Show("0"); !strings.Contains(out, "no outcome is recorded") {
		t.Errorf("an open intent:\n%s", out)
	}
	release()
	<-done
	if out := s.Show("0"); strings.Contains(out, "no outcome is recorded") {
		t.Errorf("an intent with an outcome:\n%s", out)
	}
}

// TestShowRawLeavesBodiesAsTheyWere, with their own spaces and tabs.
func TestShowRawLeavesBodiesAsTheyWere(t *testing.T) {
	answer := strings.Replace(caddytest.Approval, `"Resultado":"A"`, "\"Resultado\" :\t\"A\"", 1)
	upstream := caddytest.NewStub(t, caddytest.Answering(200, answer))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), `"CantReg":1`, "\"CantReg\":\t\t1", 1))
	raw, pretty := s.Show("1", "--raw"), s.Show("1")
	for _, want := range []string{answer, "\"CantReg\":\t\t1"} {
		if !strings.Contains(raw, want) || strings.Contains(pretty, want) {
			t.Errorf("%q\nraw:\n%s\nindented:\n%s", want, raw, pretty)
		}
	}
	if strings.Contains(raw, caddytest.Token) {
		t.Error("raw shows the Token")
	}
}

// TestShowExplainsWhatTheServiceSaid, and what a rule is about.
func TestShowExplainsWhatTheServiceSaid(t *testing.T) {
	s := caddytest.Evidence(t)
	if out := s.Show("3"); !regexp.MustCompile(`(?m)^ +regla 10048: [A-Z].+\.$`).MatchString(out) || strings.Contains(out, "\nservice ") {
		t.Errorf("a finding of the gateway:\n%s", out)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(7)) // not the next number
	newest := strings.Fields(s.Search("--limit", "1")[0])[0]
	if out := s.Show(newest); !regexp.MustCompile(`(?m)^service +10016 (Errors|Observaciones)\n +\S`).MatchString(out) {
		t.Errorf("a finding of the service:\n%s", out)
	}
	if found := s.Search("--finding", "10016"); len(found) != 1 || !strings.Contains(found[0], " 10016 ") {
		t.Errorf("found by the service's code: %v", found)
	}
}

// TestSearchTellsAPartialLot: four were asked for and one has a CAE.
func TestSearchTellsAPartialLot(t *testing.T) {
	const cae = "86470000000001"
	var asked, answered []string
	for n := 1; n <= 4; n++ {
		_, detail, _ := strings.Cut(caddytest.Invoice(n), `"FECAEDetRequest":[`)
		asked = append(asked, strings.TrimSuffix(detail, "]}}}"))
		verdict := `"Resultado":"A","CAE":"` + cae + `","CAEFchVto":"20261130"`
		if n > 1 {
			verdict = fmt.Sprintf(`"Resultado":"R","CAE":"","CAEFchVto":"","Observaciones":{"Obs":[{"Code":%d,"Msg":"no"}]}`, 10000+n)
		}
		answered = append(answered, fmt.Sprintf(`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":%[1]d,"CbteHasta":%[1]d,`+
			`"CbteFch":"20261120",%[2]s}`, n, verdict))
	}
	head, _, _ := strings.Cut(caddytest.Approval, `[{`)
	head = strings.Replace(strings.Replace(head, `"CantReg":1`, `"CantReg":4`, 1), `"Resultado":"A"`, `"Resultado":"P"`, 1)
	upstream := caddytest.NewStub(t, caddytest.Answering(200, head+"["+strings.Join(answered, ",")+"]}}"))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	head, _, _ = strings.Cut(caddytest.Invoice(1), `[{`)
	s.Post("FECAESolicitar", strings.Replace(head, `"CantReg":1`, `"CantReg":4`, 1)+"["+strings.Join(asked, ",")+"]}}}")
	want := ` 1-4 +` + cae + ` \(1 of 4\) +10002 10003 10004 +partial `
	if rows := s.Search(); len(rows) != 1 || !regexp.MustCompile(want).MatchString(rows[0]) {
		t.Errorf("%v, want %s", rows, want)
	}
	for code, rows := range map[string]int{"10003": 1, "10009": 0} {
		if found := s.Search("--finding", code); len(found) != rows {
			t.Errorf("--finding %s: %v, want %d rows", code, found, rows)
		}
	}
}
