package gateway_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// counted returns how many exchanges of an operation there were, by whether anything left
// for the service.
func counted(s *caddytest.Site, operation string) (sent, kept int) {
	s.T.Helper()
	scraped := s.Scrape("wsfev1_exchange_duration_seconds")
	of := func(label string) int {
		n, err := strconv.Atoi(caddytest.ValueOf(scraped, `wsfev1_exchange_duration_seconds_count{operation="`+operation+`",sent="`+label+`"}`))
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
	lost := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "FECAESolicitar") {
			caddytest.HangUp("")(w, r)
			return
		}
		caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
	})
	wrong := strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, `"ImpTotal":150`, 1)
	for name, test := range map[string]struct {
		next       string
		options    []string
		bodies     []string
		sent, kept int
	}{
		"approved":                      {caddytest.ProxyTo(caddytest.NewIssuing(t).URL), nil, []string{caddytest.Invoice(1)}, 1, 0},
		"approved, and given again":     {caddytest.ProxyTo(caddytest.NewIssuing(t).URL), []string{"replay on"}, []string{caddytest.Invoice(1), caddytest.Invoice(1)}, 1, 1},
		"refused":                       {caddytest.ProxyTo(caddytest.NewIssuing(t).URL), nil, []string{wrong, "{}"}, 0, 2},
		"nothing could be sent":         {caddytest.ProxyTo("http://" + caddytest.FreeAddress(t)), nil, []string{caddytest.Invoice(1)}, 0, 1},
		"the outcome is unknown":        {caddytest.ProxyTo(lost.URL), nil, []string{caddytest.Invoice(1)}, 1, 0},
		"it was not issued, as it says": {caddytest.ProxyTo(lost.URL), []string{"recover within 200ms"}, []string{caddytest.Invoice(1)}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := caddytest.Start(t, test.next, test.options...)
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
