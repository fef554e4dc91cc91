package caddymodule_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
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
	for _, door := range doors {
		for fault, issued := range cases {
			name := strings.Fields(fault)[0]
			t.Run(fmt.Sprintf("%s/%s/%v", door.name, name, issued), func(t *testing.T) {
				options := exactly
				if name == "hang" {
					options = briefly
				}
				s := door.start(t, withFaults(t, faultOnce(fault)), options...)
				verdict := map[bool]string{true: "recovered", false: "not_issued"}[issued]
				series := `wsfev1_recoveries_total{result="` + verdict + `"}`
				before := s.metric(series)
				got := s.post("FECAESolicitar", invoice(1))
				if outcome := got.header.Get("Wsfev1-Outcome"); outcome != verdict {
					t.Errorf("%s: %d %s", outcome, got.status, got.body)
				}
				if told := kindsOf(s.records()); len(told) != 1 || told[0] != "FECAESolicitar "+verdict+" answered" {
					t.Errorf("recorded %q", told)
				}
				if after := s.metric(series); after != plus(t, before, 1) {
					t.Errorf("%s went from %s to %s", series, before, after)
				}
				wantTruth(t, s, got, issued)
			})
		}
	}
}

// TestNumberOfAnotherProgramIsToldApart: another one has used the number at the service
// while our request was lost.
func TestNumberOfAnotherProgramIsToldApart(t *testing.T) {
	s := start(t, "respond 503")
	behind := freeAddress(t)
	service := withFaults(t, "fault drop {\n commit no\n operation FECAESolicitar\n after 1\n count 1\n}")
	s.load(s.config(strings.Join(append(exactly, "audit sqlite "+s.store), "\n"), proxyTo(behind)) +
		fmt.Sprintf("http://%s {\n\tbind %s\n\t%s\n}\n", behind, loopback, service))
	other := &site{t: t, url: "http://" + behind}
	taken := strings.NewReplacer("121.00", "242.00", `"ImpNeto":100.00`, `"ImpNeto":200.00`, `"BaseImp":100.00`, `"BaseImp":200.00`, "21.00", "42.00").Replace(invoice(1))
	taken = strings.Replace(taken, "142.00", "242.00", 1)
	if got := other.post("FECAESolicitar", taken); got.at(t, "/FeCabResp/Resultado") != `"A"` {
		t.Fatalf("the other program: %s", got.body)
	}
	got := s.post("FECAESolicitar", invoice(1))
	if got.status != 200 || got.at(t, "/FeCabResp/Resultado") != `"R"` || got.header.Get("Wsfev1-Outcome") != "rejected" ||
		got.at(t, "/FeDetResp/FECAEDetResponse/0/Observaciones/Obs/0/Code") != "10016" ||
		!strings.Contains(string(got.body), "ImpTotal enviado 121, autorizado 242") {
		t.Errorf("got %d %v %s", got.status, got.header, got.body)
	}
	var pointers []string
	r := s.last()
	for _, f := range r.Findings {
		pointers = append(pointers, f.Code+" "+f.Pointer)
	}
	if r.Kind != audit.KindOutcome || r.Outcome != "rejected" || !strings.Contains(strings.Join(pointers, ","), "10016 /FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal") {
		t.Errorf("recorded %s %s %q", r.Kind, r.Outcome, pointers)
	}
	if got := s.post("FECAESolicitar", invoice(2)); got.at(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("the next number: %s", got.body)
	}
}

// TestLotInPart: the service stopped in the middle of a lot, and the answer was lost.
func TestLotInPart(t *testing.T) {
	s := start(t, withFaults(t, "fault drop {\n operation FECAESolicitar\n count 1\n}"), append(exactly, "mode observe")...)
	// The second of three breaks the sums: the service ends the lot there.
	lot := lotText(0, 1, 3)
	at := strings.Index(lot, `"CbteDesde":2`)
	lot = lot[:at] + strings.Replace(lot[at:], `"ImpTotal":121.00`, `"ImpTotal":120.00`, 1)
	got := s.post("FECAESolicitar", lot)
	var each []string
	for i := range 3 {
		each = append(each, got.at(t, fmt.Sprintf("/FeDetResp/FECAEDetResponse/%d/Resultado", i)))
	}
	if got.header.Get("Wsfev1-Outcome") != "recovered" || got.at(t, "/FeCabResp/Resultado") != `"P"` || strings.Join(each, "") != `"A""R""R"` {
		t.Errorf("got %v %s", got.header, got.body)
	}
	if got := s.post("FECAESolicitar", lotText(0, 2, 1)); got.at(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("the number after the one that was issued: %s", got.body)
	}
}

// TestAdvanceCodesAreFoundOut: the three operations on advance codes.
func TestAdvanceCodesAreFoundOut(t *testing.T) {
	dropEach := ""
	for _, name := range []string{"FECAEASolicitar", "FECAEARegInformativo", "FECAEASinMovimientoInformar"} {
		dropEach += "fault drop {\n operation " + name + "\n count 1\n}\n"
	}
	s := start(t, withFaults(t, dropEach), exactly...)
	periodo, orden, firstDay := fortnight(t, wsfev1.DateOf(time.Now()))
	period := fmt.Sprintf(`{%s,"Periodo":%d,"Orden":%d}`, authText, periodo, orden)
	got := s.post("FECAEASolicitar", period)
	caea := strings.Trim(got.at(t, "/ResultGet/CAEA"), `"`)
	if got.header.Get("Wsfev1-Outcome") != "recovered" || len(caea) != 14 {
		t.Fatalf("FECAEASolicitar: %v %s", got.header, got.body)
	}
	if again := s.post("FECAEASolicitar", period); again.header.Get("Wsfev1-Outcome") != "replayed" || string(again.body) != string(got.body) {
		t.Errorf("FECAEASolicitar again: %v %s", again.header, again.body)
	}
	now := time.Now().In(wsfev1.Argentina)
	more := fmt.Sprintf(`,"CbteFch":"%s","CAEA":"%s","CbteFchHsGen":"%s"`, now.Format("20060102"), caea, now.Format("20060102150405"))
	inform := strings.NewReplacer("FeCAEReq", "FeCAEARegInfReq", "FECAEDetRequest", "FECAEADetRequest", `"PtoVta":1`, `"PtoVta":3`).Replace(invoiceOf(1, more))
	if got := s.post("FECAEARegInformativo", inform); got.header.Get("Wsfev1-Outcome") != "recovered" || got.at(t, "/FeDetResp/FECAEADetResponse/0/CAEA") != `"`+caea+`"` {
		t.Errorf("FECAEARegInformativo: %v %s", got.header, got.body)
	}
	none := fmt.Sprintf(`{%s,"PtoVta":4,"CAEA":"%s"}`, authText, caea)
	want := "recovered"
	if firstDay {
		want = "not_issued" // it is too early in the fortnight to say so
	}
	if got := s.post("FECAEASinMovimientoInformar", none); got.header.Get("Wsfev1-Outcome") != want {
		t.Errorf("FECAEASinMovimientoInformar: %v %s", got.header, got.body)
	}
}

// TestNobodyCanTellWithoutAQuestion: the base contract has no FECAEAConsultar. The client
// is told that it is unknown, and what comes next is not held up for ever.
func TestNobodyCanTellWithoutAQuestion(t *testing.T) {
	const fault = "fault drop {\n operation FECAEASolicitar\n count 1\n}"
	next, options := withFaults(t, fault), append([]string{"contract base"}, exactly...)
	s := start(t, next, options...)
	periodo, orden, _ := fortnight(t, wsfev1.DateOf(time.Now()))
	period := fmt.Sprintf(`{%s,"Periodo":%d,"Orden":%d}`, authText, periodo, orden)
	got := s.post("FECAEASolicitar", period)
	if got.status != 504 || got.header.Get("Wsfev1-Outcome") != "unknown" || !strings.Contains(string(got.body), "Si se repite, se envía otra vez") {
		t.Errorf("got %d %v %s", got.status, got.header, got.body)
	}
	if got := s.post("FECAEASolicitar", period); firstError(t, got) != "15008" {
		t.Errorf("again: %d %s, want what the service says", got.status, got.body)
	}
	startAnew(s, s.config(s.withAudit(options...), strings.Replace(next, fault, "", 1)))
	if got := s.post("FECAEASolicitar", period); got.status != 200 || firstError(t, got) != "15008" {
		t.Errorf("after a restart: %d %s, want what the service says", got.status, got.body)
	}
}

// TestUnknownIsSettledInTheBackground: the service is away, also for questions. Nothing
// new is sent in the series until it is known; another series goes on.
func TestUnknownIsSettledInTheBackground(t *testing.T) {
	for _, reload := range []bool{false, true} {
		t.Run(fmt.Sprintf("reload %v", reload), func(t *testing.T) {
			s := start(t, "respond 503")
			behind := freeAddress(t)
			ledger := filepath.Join(t.TempDir(), "ledger.db")
			load := func(option, faults string) {
				s.load(s.config(strings.Join(append(exactly, option, "audit sqlite "+s.store), "\n"), proxyTo(behind)) +
					fmt.Sprintf("http://%s {\n bind %s\n wsfev1_backend {\n ledger sqlite %s\n %s\n }\n}\n", behind, loopback, ledger, faults))
			}
			const away = "fault drop {\n operation FECAESolicitar\n count 1\n}\nfault error_501 {\n operation FECompConsultar\n}"
			load("", away)
			const recovered = `wsfev1_recoveries_total{result="recovered"}`
			before := s.metric(recovered)
			got := s.post("FECAESolicitar", invoice(1))
			if codes := got.codes(t); got.status != 504 || got.header.Get("Wsfev1-Outcome") != "unknown" || codes[0] != "upstream.unknown" {
				t.Fatalf("got %d %v %s", got.status, got.header, got.body)
			}
			next := s.post("FECAESolicitar", invoice(2))
			if codes := next.codes(t); next.status != 503 || codes[0] != "once.unsettled" || next.header.Get("Retry-After") == "" {
				t.Errorf("the next number: %d %v %s", next.status, next.header, next.body)
			}
			same := s.post("FECAESolicitar", invoice(1))
			if same.status != 503 || !strings.Contains(string(same.body), "Este mismo pedido (comprobante 1) ya se envió") {
				t.Errorf("the same again: %d %v %s", same.status, same.header, same.body)
			}
			elsewhere := strings.Replace(invoice(1), `"PtoVta":1`, `"PtoVta":2`, 1)
			if got := s.post("FECAESolicitar", elsewhere); reload && got.at(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("another series: %d %s", got.status, got.body)
			}
			option := ""
			if reload {
				option = "max_body 1MiB"
			}
			load(option, "") // the service is back
			eventually(t, "a settlement", func() bool { return s.metric(recovered) == plus(t, before, 1) })
			var settled *audit.Record
			for _, r := range s.records() {
				if r.Kind == audit.KindSettlement {
					settled = r
				}
			}
			if settled == nil || settled.Outcome != "recovered" || settled.Vouchers[0].Code == "" || settled.Operation != "FECAESolicitar" {
				t.Fatalf("settled: %+v", settled)
			}
			wantSettled(t, s, got.header.Get("Wsfev1-Record"), settled)
			again := s.post("FECAESolicitar", invoice(1))
			if again.header.Get("Wsfev1-Outcome") != "replayed" || again.at(t, "/FeDetResp/FECAEDetResponse/0/CAE") != `"`+settled.Vouchers[0].Code+`"` {
				t.Errorf("the first again: %v %s", again.header, again.body)
			}
			if got := s.post("FECAESolicitar", invoice(2)); got.at(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("the next number: %d %s", got.status, got.body)
			}
		})
	}
}

// wantSettled looks whether the commands tell how an exchange ended of which its client knows
// only that its outcome is unknown.
func wantSettled(t *testing.T, s *site, address string, settled *audit.Record) {
	t.Helper()
	store := "sqlite:" + s.store
	list, _, err := runCommand("audit", "search", "--store", store, "--outcome", "unknown")
	if err != nil || !strings.Contains(list, "unknown → recovered") {
		t.Errorf("search: %v\n%s", err, list)
	}
	settlement := fmt.Sprintf("%s/%d", settled.Log, settled.Index)
	for _, record := range []string{address, settlement} {
		text, _, err := runCommand("audit", "show", "--store", store, record)
		for _, want := range []string{"(intent)", settlement + " (settlement)", "recovered"} {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("show %s: %v, want %q\n%s", record, err, want, text)
			}
		}
	}
	if _, _, err := runCommand("audit", "show", "--store", store, "elsewhere/1"); err == nil || !strings.Contains(err.Error(), "there is no log elsewhere") {
		t.Errorf("show of a log that is not there: %v", err)
	}
}
