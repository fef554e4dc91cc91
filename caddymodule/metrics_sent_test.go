package caddymodule_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// counted returns how many exchanges of an operation there were, by whether anything left
// for the service.
func counted(s *Site, operation string) (sent, kept int) {
	s.T.Helper()
	of := func(label string) int {
		n, err := strconv.Atoi(s.Metric(`wsfev1_exchange_duration_seconds_count{operation="` + operation + `",sent="` + label + `"}`))
		if err != nil {
			s.T.Fatal(err)
		}
		return n
	}
	return of("true"), of("false")
}

// TestDurationsTellWhatWentToTheService: an outage, in which the gateway answers by itself,
// does not make the service look fast.
func TestDurationsTellWhatWentToTheService(t *testing.T) {
	lost := NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "FECAESolicitar") {
			HangUp("")(w, r)
			return
		}
		Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
	})
	wrong := strings.Replace(Invoice(1), `"ImpTotal":121.00`, `"ImpTotal":150`, 1)
	for name, test := range map[string]struct {
		next       string
		options    []string
		bodies     []string
		sent, kept int
	}{
		"approved":                      {ProxyTo(NewIssuing(t).URL), nil, []string{Invoice(1)}, 1, 0},
		"approved, and given again":     {ProxyTo(NewIssuing(t).URL), []string{"replay on"}, []string{Invoice(1), Invoice(1)}, 1, 1},
		"refused":                       {ProxyTo(NewIssuing(t).URL), nil, []string{wrong, "{}"}, 0, 2},
		"nothing could be sent":         {ProxyTo("http://" + FreeAddress(t)), nil, []string{Invoice(1)}, 0, 1},
		"the outcome is unknown":        {ProxyTo(lost.URL), nil, []string{Invoice(1)}, 1, 0},
		"it was not issued, as it says": {ProxyTo(lost.URL), []string{"recover within 200ms"}, []string{Invoice(1)}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := Start(t, test.next, test.options...)
			sent, kept := counted(s, "FECAESolicitar")
			asked, answered := counted(s, "FECompConsultar")
			for _, body := range test.bodies {
				s.Post("FECAESolicitar", body)
			}
			if nowSent, nowKept := counted(s, "FECAESolicitar"); nowSent-sent != test.sent || nowKept-kept != test.kept {
				t.Errorf("%d sent and %d not, want %d and %d", nowSent-sent, nowKept-kept, test.sent, test.kept)
			}
			if nowAsked, nowAnswered := counted(s, "FECompConsultar"); nowAsked != asked || nowAnswered != answered {
				t.Error("the gateway's own questions are counted as those of clients")
			}
		})
	}
}
