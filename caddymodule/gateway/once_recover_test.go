package gateway_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// TestLostAnswerIsFoundOut: each way to lose an answer, with and without the invoice being
// issued, through both doors.
func TestLostAnswerIsFoundOut(t *testing.T) {
	const noCommit = " {\n commit no\n"
	cases := map[string]bool{ // the fault, and whether the invoice is issued
		"drop": true, "hang": true, "html_502": true, "truncate": true, "not_json": true,
		"error_500 {\n commit yes\n": true, "error_501 {\n commit yes\n": true, "error_502 {\n commit yes\n": true,
		"drop" + noCommit: false, "hang" + noCommit: false, "html_502" + noCommit: false, "not_json" + noCommit: false,
		"error_500": false, "error_501": false, "error_502": false,
	}
	for _, door := range caddytest.Doors {
		for fault, issued := range cases {
			name := strings.Fields(fault)[0]
			t.Run(fmt.Sprintf("%s/%s/%v", door.Name, name, issued), func(t *testing.T) {
				options := caddytest.Exactly
				if name == "hang" {
					options = caddytest.Briefly
				}
				s := door.Start(t, caddytest.WithFaults(t, caddytest.FaultOnce(fault)), options...)
				verdict := map[bool]string{true: "recovered", false: "not_issued"}[issued]
				series := `wsfev1_recoveries_total{result="` + verdict + `"}`
				before := s.Metric(series)
				got := s.Post("FECAESolicitar", caddytest.Invoice(1))
				if outcome := got.Header.Get("Wsfev1-Outcome"); outcome != verdict {
					t.Errorf("%s: %d %s", outcome, got.Status, got.Body)
				}
				if told := caddytest.KindsOf(s.Records()); len(told) != 1 || told[0] != "FECAESolicitar "+verdict+" answered" {
					t.Errorf("recorded %q", told)
				}
				if after := s.Metric(series); after != caddytest.Plus(t, before, 1) {
					t.Errorf("%s went from %s to %s", series, before, after)
				}
				caddytest.WantTruth(t, s, got, issued)
			})
		}
	}
}

// TestNumberOfAnotherProgramIsToldApart: another one has used the number at the service
// while our request was lost.
func TestNumberOfAnotherProgramIsToldApart(t *testing.T) {
	s := caddytest.NewSite(t)
	behind := caddytest.FreeAddress(t)
	service := caddytest.WithFaults(t, "fault drop {\n commit no\n operation FECAESolicitar\n after 1\n count 1\n}")
	s.Load(s.Config(strings.Join(append(caddytest.Exactly, "audit sqlite "+s.Store), "\n"), caddytest.ProxyTo(behind)) +
		fmt.Sprintf("http://%s {\n\tbind %s\n\t%s\n}\n", behind, caddytest.Loopback, service))
	other := &caddytest.Site{T: t, URL: "http://" + behind}
	taken := strings.NewReplacer("121.00", "242.00", `"ImpNeto":100.00`, `"ImpNeto":200.00`, `"BaseImp":100.00`, `"BaseImp":200.00`, "21.00", "42.00").Replace(caddytest.Invoice(1))
	taken = strings.Replace(taken, "142.00", "242.00", 1)
	if got := other.Post("FECAESolicitar", taken); got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Fatalf("the other program: %s", got.Body)
	}
	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
	if got.Status != 200 || got.At(t, "/FeCabResp/Resultado") != `"R"` || got.Header.Get("Wsfev1-Outcome") != "rejected" ||
		got.At(t, "/FeDetResp/FECAEDetResponse/0/Observaciones/Obs/0/Code") != "10016" ||
		!strings.Contains(string(got.Body), "ImpTotal enviado 121, autorizado 242") {
		t.Errorf("got %d %v %s", got.Status, got.Header, got.Body)
	}
	var pointers []string
	r := s.Last()
	for _, f := range r.Findings {
		pointers = append(pointers, f.Code+" "+f.Pointer)
	}
	if r.Kind != audit.KindOutcome || r.Outcome != "rejected" || !strings.Contains(strings.Join(pointers, ","), "10016 /FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal") {
		t.Errorf("recorded %s %s %q", r.Kind, r.Outcome, pointers)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("the next number: %s", got.Body)
	}
}

// TestLotInPart: the service stopped in the middle of a lot, and the answer was lost.
func TestLotInPart(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithFaults(t, "fault drop {\n operation FECAESolicitar\n count 1\n}"), append(caddytest.Exactly, "mode observe")...)
	// The second of three breaks the sums: the service ends the lot there.
	lot := caddytest.LotText(0, 1, 3)
	at := strings.Index(lot, `"CbteDesde":2`)
	lot = lot[:at] + strings.Replace(lot[at:], `"ImpTotal":121.00`, `"ImpTotal":120.00`, 1)
	got := s.Post("FECAESolicitar", lot)
	var each []string
	for i := range 3 {
		each = append(each, got.At(t, fmt.Sprintf("/FeDetResp/FECAEDetResponse/%d/Resultado", i)))
	}
	if got.Header.Get("Wsfev1-Outcome") != "recovered" || got.At(t, "/FeCabResp/Resultado") != `"P"` || strings.Join(each, "") != `"A""R""R"` {
		t.Errorf("got %v %s", got.Header, got.Body)
	}
	if got := s.Post("FECAESolicitar", caddytest.LotText(0, 2, 1)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("the number after the one that was issued: %s", got.Body)
	}
}

// TestAdvanceCodesAreFoundOut: the three operations on advance codes.
func TestAdvanceCodesAreFoundOut(t *testing.T) {
	dropEach := ""
	for _, name := range []string{"FECAEASolicitar", "FECAEARegInformativo", "FECAEASinMovimientoInformar"} {
		dropEach += "fault drop {\n operation " + name + "\n count 1\n}\n"
	}
	s := caddytest.Start(t, caddytest.WithFaults(t, dropEach), caddytest.Exactly...)
	periodo, orden, firstDay := caddytest.Fortnight(t, wsfev1.DateOf(time.Now()))
	period := fmt.Sprintf(`{%s,"Periodo":%d,"Orden":%d}`, caddytest.AuthText, periodo, orden)
	got := s.Post("FECAEASolicitar", period)
	caea := strings.Trim(got.At(t, "/ResultGet/CAEA"), `"`)
	if got.Header.Get("Wsfev1-Outcome") != "recovered" || len(caea) != 14 {
		t.Fatalf("FECAEASolicitar: %v %s", got.Header, got.Body)
	}
	if again := s.Post("FECAEASolicitar", period); again.Header.Get("Wsfev1-Outcome") != "replayed" || string(again.Body) != string(got.Body) {
		t.Errorf("FECAEASolicitar again: %v %s", again.Header, again.Body)
	}
	now := time.Now().In(wsfev1.Argentina)
	more := fmt.Sprintf(`,"CbteFch":"%s","CAEA":"%s","CbteFchHsGen":"%s"`, now.Format("20060102"), caea, now.Format("20060102150405"))
	inform := strings.NewReplacer("FeCAEReq", "FeCAEARegInfReq", "FECAEDetRequest", "FECAEADetRequest", `"PtoVta":1`, `"PtoVta":3`).Replace(caddytest.InvoiceOf(1, more))
	if got := s.Post("FECAEARegInformativo", inform); got.Header.Get("Wsfev1-Outcome") != "recovered" || got.At(t, "/FeDetResp/FECAEADetResponse/0/CAEA") != `"`+caea+`"` {
		t.Errorf("FECAEARegInformativo: %v %s", got.Header, got.Body)
	}
	none := fmt.Sprintf(`{%s,"PtoVta":4,"CAEA":"%s"}`, caddytest.AuthText, caea)
	want := "recovered"
	if firstDay {
		want = "not_issued" // it is too early in the fortnight to say so
	}
	if got := s.Post("FECAEASinMovimientoInformar", none); got.Header.Get("Wsfev1-Outcome") != want {
		t.Errorf("FECAEASinMovimientoInformar: %v %s", got.Header, got.Body)
	}
}

// TestNobodyCanTellWithoutAQuestion: the base contract has no FECAEAConsultar. The client
// is told that it is unknown, and what comes next is not held up for ever.
func TestNobodyCanTellWithoutAQuestion(t *testing.T) {
	const fault = "fault drop {\n operation FECAEASolicitar\n count 1\n}"
	next, options := caddytest.WithFaults(t, fault), append([]string{"contract base"}, caddytest.Exactly...)
	s := caddytest.Start(t, next, options...)
	periodo, orden, _ := caddytest.Fortnight(t, wsfev1.DateOf(time.Now()))
	period := fmt.Sprintf(`{%s,"Periodo":%d,"Orden":%d}`, caddytest.AuthText, periodo, orden)
	got := s.Post("FECAEASolicitar", period)
	if got.Status != 504 || got.Header.Get("Wsfev1-Outcome") != "unknown" || !strings.Contains(string(got.Body), "Si se repite, se envía otra vez") {
		t.Errorf("got %d %v %s", got.Status, got.Header, got.Body)
	}
	if got := s.Post("FECAEASolicitar", period); caddytest.FirstError(t, got) != "15008" {
		t.Errorf("again: %d %s, want what the service says", got.Status, got.Body)
	}
	startAnew(s, s.Config(s.WithAudit(options...), strings.Replace(next, fault, "", 1)))
	if got := s.Post("FECAEASolicitar", period); got.Status != 200 || caddytest.FirstError(t, got) != "15008" {
		t.Errorf("after a restart: %d %s, want what the service says", got.Status, got.Body)
	}
}

// TestUnknownIsSettledInTheBackground: the service is away, also for questions. Nothing
// new is sent in the series until it is known; another series goes on.
func TestUnknownIsSettledInTheBackground(t *testing.T) {
	for _, reload := range []bool{false, true} {
		t.Run(fmt.Sprintf("reload %v", reload), func(t *testing.T) {
			s := caddytest.NewSite(t)
			behind := caddytest.FreeAddress(t)
			ledger := filepath.Join(t.TempDir(), "ledger.db")
			load := func(option, faults string) {
				s.Load(s.Config(strings.Join(append(caddytest.Exactly, option, "audit sqlite "+s.Store), "\n"), caddytest.ProxyTo(behind)) +
					fmt.Sprintf("http://%s {\n bind %s\n wsfev1_backend {\n ledger sqlite %s\n %s\n }\n}\n", behind, caddytest.Loopback, ledger, faults))
			}
			const away = "fault drop {\n operation FECAESolicitar\n count 1\n}\nfault error_501 {\n operation FECompConsultar\n}"
			load("", away)
			const recovered = `wsfev1_recoveries_total{result="recovered"}`
			before := s.Metric(recovered)
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if codes := got.Codes(t); got.Status != 504 || got.Header.Get("Wsfev1-Outcome") != "unknown" || codes[0] != "upstream.unknown" {
				t.Fatalf("got %d %v %s", got.Status, got.Header, got.Body)
			}
			next := s.Post("FECAESolicitar", caddytest.Invoice(2))
			if codes := next.Codes(t); next.Status != 503 || codes[0] != "once.unsettled" || next.Header.Get("Retry-After") == "" {
				t.Errorf("the next number: %d %v %s", next.Status, next.Header, next.Body)
			}
			same := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if same.Status != 503 || !strings.Contains(string(same.Body), "Este mismo pedido (comprobante 1) ya se envió") {
				t.Errorf("the same again: %d %v %s", same.Status, same.Header, same.Body)
			}
			elsewhere := strings.Replace(caddytest.Invoice(1), `"PtoVta":1`, `"PtoVta":2`, 1)
			if got := s.Post("FECAESolicitar", elsewhere); reload && got.At(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("another series: %d %s", got.Status, got.Body)
			}
			option := ""
			if reload {
				option = "max_body 1MiB"
			}
			load(option, "") // the service is back
			caddytest.Eventually(t, "a settlement", func() bool { return s.Metric(recovered) == caddytest.Plus(t, before, 1) })
			var settled *audit.Record
			for _, r := range s.Records() {
				if r.Kind == audit.KindSettlement {
					settled = r
				}
			}
			if settled == nil || settled.Outcome != "recovered" || settled.Vouchers[0].Code == "" || settled.Operation != "FECAESolicitar" {
				t.Fatalf("settled: %+v", settled)
			}
			wantSettled(t, s, got.Header.Get("Wsfev1-Record"), settled)
			again := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if again.Header.Get("Wsfev1-Outcome") != "replayed" || again.At(t, "/FeDetResp/FECAEDetResponse/0/CAE") != `"`+settled.Vouchers[0].Code+`"` {
				t.Errorf("the first again: %v %s", again.Header, again.Body)
			}
			if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("the next number: %d %s", got.Status, got.Body)
			}
		})
	}
}

// wantSettled looks whether the commands tell how an exchange ended of which its client knows
// only that its outcome is unknown.
func wantSettled(t *testing.T, s *caddytest.Site, address string, settled *audit.Record) {
	t.Helper()
	store := "sqlite:" + s.Store
	list, _, err := caddytest.RunCommand("audit", "search", "--store", store, "--outcome", "unknown")
	if err != nil || !strings.Contains(list, "unknown → recovered") {
		t.Errorf("search: %v\n%s", err, list)
	}
	settlement := fmt.Sprintf("%s/%d", settled.Log, settled.Index)
	for _, record := range []string{address, settlement} {
		text, _, err := caddytest.RunCommand("audit", "show", "--store", store, record)
		for _, want := range []string{"(intent)", settlement + " (settlement)", "recovered"} {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("show %s: %v, want %q\n%s", record, err, want, text)
			}
		}
	}
	if _, _, err := caddytest.RunCommand("audit", "show", "--store", store, "elsewhere/1"); err == nil || !strings.Contains(err.Error(), "there is no log elsewhere") {
		t.Errorf("show of a log that is not there: %v", err)
	}
}
