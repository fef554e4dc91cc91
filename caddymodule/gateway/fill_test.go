package gateway_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

const (
	conditionMember  = `"CondicionIVAReceptorId":5,`
	conditionPointer = "/FeCAEReq/FeDetReq/FECAEDetRequest/0/CondicionIVAReceptorId"
	fillsFive        = "fill CondicionIVAReceptorId from default 5"
)

// lacking takes the condition of the receiver out of a request in JSON.
func lacking(request string) string { return strings.ReplaceAll(request, conditionMember, "") }

// fillsFrom is the option fill with a table of these lines.
func fillsFrom(t *testing.T, path string, lines ...string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return "fill CondicionIVAReceptorId from table " + path
}

// conditionsOf returns the conditions in an issuing request, whatever it is written in; 0 for none.
func conditionsOf(t *testing.T, body []byte) (ids []int32) {
	t.Helper()
	op := wsfev1.OperationByName("FECAESolicitar")
	var typed any
	if strings.HasPrefix(string(body), "{") {
		request, _ := validate.Decode(op, body, validate.ARCA)
		typed = request.Body
	} else {
		e, err := soap.Open(body, "")
		if err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		typed = e.Decode(op).Body
	}
	lot := wsfev1.LotOf(typed)
	for i := range lot.Len() {
		id := int32(0)
		if sent := lot.Invoice(i).CondicionIVAReceptorId; sent != nil {
			id = *sent
		}
		ids = append(ids, id)
	}
	return ids
}

func wantFilled(t *testing.T, got caddytest.Response, header string) {
	t.Helper()
	if got.Status != http.StatusOK || got.Header.Get("Wsfev1-Outcome") != "approved" || got.Header.Get("Wsfev1-Filled") != header {
		t.Fatalf("%d %v\n%s", got.Status, got.Header, got.Body)
	}
}

// TestWhatIsMissingIsFilledIn, in each form of the client, towards each kind of service, with the
// client's ticket and with a keeper's. The record has what came and what was sent.
func TestWhatIsMissingIsFilledIn(t *testing.T) {
	const header = "CondicionIVAReceptorId; default=1"
	for _, kept := range []bool{false, true} {
		for name, service := range keptServices(t) {
			t.Run(fmt.Sprintf("%s/kept %v", name, kept), func(t *testing.T) {
				options, body := []string{fillsFive, "ticket off"}, func(number int) string { return lacking(caddytest.Invoice(number)) }
				if kept {
					login := caddytest.NewLogin(t, keptCuit)
					options = append(options, login.Block("cuits "+keptCuit))
					body = func(number int) string { return without(lacking(caddytest.Invoice(number))) }
				}
				const first = 1
				s := caddytest.Start(t, service.next, options...)
				wantFilled(t, s.Post("FECAESolicitar", body(first)), header)
				sent := service.last()
				if ids := conditionsOf(t, sent); len(ids) != 1 || ids[0] != 5 {
					t.Fatalf("the service got %v\n%s", ids, sent)
				}
				if name == "JSON" && !kept && string(sent) != strings.Replace(body(first), `}]}}]}}}`, `}]},"CondicionIVAReceptorId":5}]}}}`, 1) {
					t.Errorf("the client sent\n%s\nand the service got\n%s", body(first), sent)
				}
				wantBoth(t, s.Records(), name)
				for i, version := range soapVersions {
					message := s.Message(version, "FECAESolicitar", lacking(caddytest.Invoice(first+1+i)))
					if kept {
						message = strings.NewReplacer(caddytest.Token, "", caddytest.Sign, "").Replace(message)
					}
					got := s.Send(version, "FECAESolicitar", message)
					if issued(t, got) == "" || got.Header.Get("Wsfev1-Filled") != header {
						t.Fatalf("%d %v\n%s", got.Status, got.Header, got.Body)
					}
					sent := service.last()
					if ids := conditionsOf(t, sent); ids[0] != 5 {
						t.Errorf("the service got %v\n%s", ids, sent)
					}
					op := wsfev1.OperationByName("FECAESolicitar")
					if auth := authOf(t, op, sent); kept == (auth.Token == caddytest.Token) || auth.Token == "" {
						t.Errorf("the service got the credentials %.8s", auth.Token.Reveal())
					}
					if e, err := soap.Open(sent, ""); name == "SOAP" && (err != nil || e.Version != version) {
						t.Errorf("the service got %v: %v", e, err)
					}
					wantBoth(t, s.Records(), name)
				}
			})
		}
	}
}

// wantBoth checks that the last two records, an intent and its outcome, have the request that came, the
// one that was sent, and the rule.
func wantBoth(t *testing.T, records []*audit.Record, service string) {
	t.Helper()
	intent, outcome := records[len(records)-2], records[len(records)-1]
	if intent.Kind != audit.KindIntent || outcome.Kind != audit.KindOutcome || intent.Service == nil || outcome.Service == nil {
		t.Fatalf("%+v\n%+v", intent, outcome)
	}
	if ids := conditionsOf(t, intent.Request); ids[0] != 0 {
		t.Errorf("what came has %v", ids)
	}
	if intent.Client != nil && conditionsOf(t, intent.Client.Request)[0] != 0 {
		t.Errorf("the client's message has the condition: %s", intent.Client.Request)
	}
	form := map[string]string{"JSON": audit.FormJSON, "SOAP": outcome.Service.Form}[service]
	if intent.Service.Form != audit.FormJSON || outcome.Service.Form != form || service == "SOAP" && form == audit.FormJSON {
		t.Errorf("the intent is in %s, the outcome in %s", intent.Service.Form, outcome.Service.Form)
	}
	for _, leg := range []*audit.Leg{intent.Service, outcome.Service} {
		if ids := conditionsOf(t, leg.Request); ids[0] != 5 || strings.Contains(string(leg.Request), caddytest.Token) || strings.Contains(string(leg.Request), "PD94") {
			t.Errorf("what was sent is %s", leg.Request)
		}
	}
	for _, r := range []*audit.Record{intent, outcome} {
		if len(r.Findings) != 1 || r.Findings[0].Code != "fill.CondicionIVAReceptorId" || r.Findings[0].Action != "observe" ||
			r.Findings[0].Pointer != conditionPointer || r.Findings[0].Expected != "5" || r.Findings[0].Got != "" || !strings.Contains(r.Findings[0].Text, "Consumidor Final") {
			t.Errorf("%s: %+v", r.Kind, r.Findings)
		}
	}
}

// TestNothingIsFilledInUnasked: by default, in place of what came, or against the class.
func TestNothingIsFilledInUnasked(t *testing.T) {
	service := caddytest.NewIssuing(t)
	next := caddytest.ProxyTo(strings.TrimPrefix(service.URL, "http://"))
	table := fillsFrom(t, filepath.Join(t.TempDir(), "receptores.csv"), "99,0,1") + " default 4"
	for name, c := range map[string]struct{ option, body, code string }{
		"off":    {"mode observe", lacking(caddytest.Invoice(1)), ""},
		"sent":   {fillsFive, strings.Replace(caddytest.Invoice(1), conditionMember, `"CondicionIVAReceptorId":4,`, 1), ""},
		"unfit":  {table, lacking(caddytest.Invoice(1)), "fill.unfit"},
		"a zero": {fillsFive + "\nmode observe", strings.Replace(caddytest.Invoice(1), conditionMember, `"CondicionIVAReceptorId":0,`, 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := caddytest.Start(t, next, c.option, "rule 10246 826 observe")
			got := s.Post("FECAESolicitar", c.body)
			if sent, _ := service.Last(); got.Status != 200 || string(sent) != c.body || got.Header.Get("Wsfev1-Filled") != "" {
				t.Errorf("%v\nthe service got %s", got.Header, sent)
			}
			r := s.Last()
			if r.Service != nil || c.code != "" && (len(r.Findings) == 0 || r.Findings[0].Code != c.code || r.Findings[0].Got != "1") {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestTheRulesJudgeWhatIsSent: from its day on the rule 10246 refuses what lacks the condition, unless it
// is filled in.
func TestTheRulesJudgeWhatIsSent(t *testing.T) {
	ledger := caddytest.WithFaults(t, "clock offset +30d")
	path := filepath.Join(t.TempDir(), "receptores.csv")
	s := caddytest.NewSite(t)
	load := func(options ...string) {
		s.Load(s.Config(s.WithAudit(append(options, caddytest.Exactly...)...), ledger))
	}
	load()
	if got := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1))); got.At(t, "/FeDetResp/FECAEDetResponse/0/Observaciones/Obs/0/Code") != "10246" {
		t.Fatalf("%s", got.Body)
	}
	load(fillsFrom(t, path, "80,30500010912,1"))
	if got := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1))); got.Header.Get("Wsfev1-Outcome") != "refused" || got.Header.Get("Wsfev1-Filled") != "" ||
		got.At(t, "/FeDetResp/FECAEDetResponse/0/Observaciones/Obs/0/Code") != "10246" {
		t.Errorf("who is not in the table: %v %s", got.Header, got.Body)
	}
	load(fillsFrom(t, path, "99,0,5"))
	first := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1)))
	wantFilled(t, first, "CondicionIVAReceptorId; table=1")
	wrong := strings.Replace(lacking(caddytest.Invoice(2)), `"ImpTotal":121.00`, `"ImpTotal":120.00`, 1)
	if got := s.Post("FECAESolicitar", wrong); got.Header.Get("Wsfev1-Outcome") != "refused" || got.Header.Get("Wsfev1-Filled") != "" {
		t.Errorf("what is refused for something else: %v %s", got.Header, got.Body)
	}
	// A repeat is what came before, whatever would be filled in by now.
	for _, name := range []string{"99,0,5", "99,0,4", "80,30500010912,1"} {
		load(fillsFrom(t, path, name))
		records := len(s.Records())
		got := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1)))
		if got.Header.Get("Wsfev1-Outcome") != "replayed" || string(got.Body) != string(first.Body) || got.Header.Get("Wsfev1-Filled") != "" {
			t.Errorf("%s: %v\n%s", name, got.Header, got.Body)
		}
		if all := s.Records(); len(all) != records+1 || len(all[records].Findings) != 0 || all[records].Decision != "replay" {
			t.Errorf("%s: %+v", name, all[records])
		}
	}
	if got := s.Post("FECAESolicitar", lacking(caddytest.Invoice(2))); got.Header.Get("Wsfev1-Outcome") != "refused" ||
		got.At(t, "/FeDetResp/FECAEDetResponse/0/Observaciones/Obs/0/Code") != "10246" {
		t.Errorf("what is no repeat: %v %s", got.Header, got.Body)
	}
}

// TestARuleThatHasJustBegunRefusesNoRepeat: an invoice was approved on the last day without the member,
// and its client has lost the answer.
func TestARuleThatHasJustBegunRefusesNoRepeat(t *testing.T) {
	folder := t.TempDir()
	s := caddytest.NewSite(t)
	on := func(day string) {
		backend := "wsfev1_backend {\n ledger sqlite " + filepath.Join(folder, "ledger.db") + "\n clock fixed " + day + "T12:00:00-03:00\n }"
		s.Load(s.Config(s.WithAudit(caddytest.Exactly...), backend))
	}
	on("2026-11-30")
	first := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1)))
	if outcome := first.Header.Get("Wsfev1-Outcome"); outcome != "approved" && outcome != "observed" {
		t.Fatalf("%s\n%s", outcome, first.Body)
	}
	for _, day := range []string{"2026-12-01", "2026-12-20"} {
		on(day)
		if again := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1))); again.Header.Get("Wsfev1-Outcome") != "replayed" || string(again.Body) != string(first.Body) {
			t.Errorf("%s: %v\n%s", day, again.Header, again.Body)
		}
		if got := s.Post("FECAESolicitar", lacking(caddytest.Invoice(2))); got.Header.Get("Wsfev1-Outcome") != "refused" ||
			got.At(t, "/FeDetResp/FECAEDetResponse/0/Observaciones/Obs/0/Code") != "10246" {
			t.Errorf("%s: what is no repeat: %v %s", day, got.Header, got.Body)
		}
	}
}

// TestALotIsFilledInEachByItsRule, and a key of another request is refused as before.
func TestALotIsFilledInEachByItsRule(t *testing.T) {
	option := fillsFrom(t, filepath.Join(t.TempDir(), "receptores.csv"), "# clientes", "96;12345678;5") + " default 4"
	s := caddytest.Start(t, caddytest.WithBackend(t), append(caddytest.Exactly, option)...)
	lot := caddytest.LotText(0, 1, 4)
	lot = strings.Replace(lot, `"DocTipo":99,"DocNro":0,"CbteDesde":2`, `"DocTipo":96,"DocNro":12345678,"CbteDesde":2`, 1)
	third := strings.Index(lot, `"CbteDesde":3`)
	rest := lacking(lot[third:])
	rest = strings.Replace(rest, `"MonCotiz":1,`, `"MonCotiz":1,`+conditionMember, 1)
	wantFilled(t, s.Post("FECAESolicitar", lacking(lot[:third])+rest), "CondicionIVAReceptorId; table=1; default=2")
	var want []string
	for _, f := range s.Last().Findings {
		want = append(want, f.Pointer[len(conditionPointer)-len("0/CondicionIVAReceptorId"):]+" "+f.Expected)
	}
	if got := strings.Join(want, ", "); got != "0/CondicionIVAReceptorId 4, 1/CondicionIVAReceptorId 5, 3/CondicionIVAReceptorId 4" {
		t.Errorf("found %s", got)
	}
}

// TestWhatCannotBeFilledInIsRefusedAtLoad, with the place of the mistake.
func TestWhatCannotBeFilledInIsRefusedAtLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "receptores.csv")
	for option, want := range map[string]string{
		fillsFive + "\ncontract base":                               "fill needs contract arca",
		"fill CondicionIVAReceptorId from default 2":                "default 2 is none of FEParamGetCondicionIvaReceptor",
		"fill CondicionIVAReceptorId from default 5 4":              "default 4 is never used",
		"fill CondicionIVAReceptorId from table " + path + ".none":  path + ".none",
		fillsFrom(t, path, "99,0,5", "80,30500010912,99"):           path + ": line 2: CondicionIVAReceptorId 99",
		"fill CondicionIVAReceptorId from table {env.FIELATO_NONE}": "FIELATO_NONE is not set",
	} {
		s := caddytest.NewSite(t)
		if err := caddytest.LoadCaddyfile(s.Config(s.WithAudit(strings.Split(option, "\n")...), "respond ok")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", option, err, want)
		}
	}
}
