package gateway_test

import (
	"crypto/sha256"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// as sends a request as a user, in a form: JSON, or a version of SOAP.
func as(t *testing.T, s *caddytest.Site, user string, version soap.Version, operation, body string) caddytest.Response {
	t.Helper()
	sign := func(r *http.Request) {
		if user != "" {
			r.SetBasicAuth(user, "password")
		}
	}
	if version != 0 {
		return s.Send(version, operation, s.Message(version, operation, body), sign)
	}
	r := s.Request(t.Context(), operation, body)
	sign(r)
	return s.Do(r)
}

const (
	shopRow = "client shop {\n user shop\n cuits 20-11111111-2\n pto_vta 1 3\n cbte_tipo 6\n may issue query tables\n max_amount 1000\n}"
	erpRow  = "client erp {\n user erp\n cuits 20-11111111-2 30-50001091-2\n may *\n}"
)

// TestAClientHasItsRightsAlone: each request beyond them is refused in the client's own form, says which right is
// missing, never reaches the service, and is recorded with the client's row.
func TestAClientHasItsRightsAlone(t *testing.T) {
	stub := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.Accounts(caddytest.ProxyTo(stub.URL), "shop", "erp", "mallory"), append(slices.Clone(caddytest.Exactly), shopRow, erpRow)...)
	table := s.Records()[0]
	invoice := caddytest.Invoice(1)
	lot := strings.Replace(invoice, `"FECAEDetRequest":[`, `"FECAEDetRequest":[`+detailOf(t, invoice)+`,`, 1)
	for _, test := range []struct {
		user, operation, body, code, pointer, row string
	}{
		{"mallory", "FECAESolicitar", invoice, "http.client", "", ""},
		{"mallory", "FEDummy", "{}", "http.client", "", ""},
		{"shop", "FECAESolicitar", strings.Replace(invoice, "20111111112", "30500010912", 1), "http.cuit", "/Auth/Cuit", "shop"},
		{"shop", "FECAEASolicitar", `{"Auth":` + credentialsIn(invoice) + `,"Periodo":202611,"Orden":1}`, "http.right", "", "shop"},
		{"shop", "FECAESolicitar", strings.Replace(invoice, `"PtoVta":1`, `"PtoVta":2`, 1), "http.pto_vta", "/FeCAEReq/FeCabReq/PtoVta", "shop"},
		{"shop", "FECompConsultar", `{"Auth":` + credentialsIn(invoice) + `,"FeCompConsReq":{"CbteTipo":1,"CbteNro":1,"PtoVta":1}}`, "http.cbte_tipo", "/FeCompConsReq/CbteTipo", "shop"},
		{"shop", "FECAESolicitar", strings.Replace(lot, `"ImpTotal":121.00`, `"ImpTotal":121000.00`, 1), "http.max_amount", "/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal", "shop"},
	} {
		for _, version := range []soap.Version{0, soap.V11, soap.V12} {
			got := as(t, s, test.user, version, test.operation, test.body)
			if !strings.Contains(string(got.Body), test.code) || strings.Contains(string(got.Body), "erp") {
				t.Errorf("%s %s %v: %d %s, want %s", test.user, test.operation, version, got.Status, got.Body, test.code)
			}
			if version == 0 && got.Status != http.StatusForbidden {
				t.Errorf("%s %s: status %d", test.user, test.operation, got.Status)
			}
			r := s.Last()
			if r.ClientIdentity != test.user || r.ClientRow != test.row || r.ClientTable != table.Address() || r.Decision != audit.DecisionRefuse {
				t.Errorf("%s %s: recorded as %+v", test.user, test.operation, r)
			}
			if at := slices.IndexFunc(r.Findings, func(f audit.Finding) bool { return f.Code == test.code && f.Pointer == test.pointer }); at < 0 && test.row != "" {
				t.Errorf("%s %s: findings %+v, want %s at %s", test.user, test.operation, r.Findings, test.code, test.pointer)
			}
		}
	}
	if n := stub.Hits.Load(); n != 0 {
		t.Errorf("the service got %d requests", n)
	}
	if got := as(t, s, "shop", 0, "FECAESolicitar", invoice); got.Status != 200 || s.Last().ClientRow != "shop" {
		t.Errorf("%d %s, recorded as of %q", got.Status, got.Body, s.Last().ClientRow)
	}
}

func credentialsIn(invoice string) string {
	from := strings.Index(invoice, `"Auth":`) + len(`"Auth":`)
	return invoice[from : from+strings.IndexByte(invoice[from:], '}')+1]
}

// detailOf returns the first invoice of a request.
func detailOf(t *testing.T, invoice string) string {
	t.Helper()
	from := strings.Index(invoice, `"FECAEDetRequest":[`) + len(`"FECAEDetRequest":[`)
	to := strings.LastIndex(invoice, "]")
	if from < 0 || to < from {
		t.Fatal(invoice)
	}
	return invoice[from:to]
}

// TestTheTrailHasEachTable: a reload with the same rows adds none, another one does, and so does the end of them.
func TestTheTrailHasEachTable(t *testing.T) {
	stub := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.NewSite(t)
	next := caddytest.Accounts(caddytest.ProxyTo(stub.URL), "shop", "erp")
	load := func(rows ...string) []*audit.Record {
		s.Load(s.Config(s.WithAudit(append(slices.Clone(caddytest.Exactly), rows...)...), next))
		var tables []*audit.Record
		for _, r := range s.Records() {
			if r.Outcome == audit.AccessClients {
				tables = append(tables, r)
			}
		}
		return tables
	}
	if got := load(); len(got) != 0 {
		t.Fatalf("%d tables without a client", len(got))
	}
	load(shopRow)
	want := "client shop user \"shop\" cuits 20111111112 pto_vta 1 3 cbte_tipo 6 may issue query tables max_amount 1000\n"
	got := load(shopRow)
	if len(got) != 1 || string(got[0].Request) != want || got[0].RequestDigest != sha256.Sum256([]byte(want)) || !strings.Contains(got[0].Detail, "Caddyfile:") {
		t.Fatalf("%d tables, the last %+v", len(got), got[len(got)-1])
	}
	if got = load(shopRow, erpRow); len(got) != 2 || !strings.HasPrefix(string(got[1].Request), "client erp ") {
		t.Fatalf("%d tables", len(got))
	}
	if got = load(); len(got) != 3 || len(got[2].Request) != 0 {
		t.Fatalf("%d tables, the last %+v", len(got), got[len(got)-1])
	}
}

// TestAFileOfClientsIsWatched: a row that is added holds without a reload; a mistake keeps the table.
func TestAFileOfClientsIsWatched(t *testing.T) {
	file := filepath.Join(t.TempDir(), "customers")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# nobody yet\n")
	s := caddytest.Start(t, caddytest.Accounts(caddytest.WithBackend(t), "shop", "erp"), "clients "+file)
	status := func(user string) int {
		return as(t, s, user, 0, "FECompUltimoAutorizado", `{"Auth":`+credentialsIn(caddytest.Invoice(1))+`,"PtoVta":1,"CbteTipo":6}`).Status
	}
	if got := status("shop"); got != http.StatusForbidden {
		t.Fatalf("with an empty file: %d", got)
	}
	write("shop user shop cuits 20-11111111-2 may query\n")
	caddytest.Eventually(t, "the shop may ask", func() bool { return status("shop") == 200 })
	write("shop user shop cuits 20-11111111-2 may query\nerp user erp cuits 20-11111111-3 may *\n")
	caddytest.Eventually(t, "the mistake", func() bool { return s.Metric(`wsfev1_clients_file_failed`) == "1" })
	if shop, erp := status("shop"), status("erp"); shop != 200 || erp != http.StatusForbidden {
		t.Errorf("after a mistake: %d, and %d for the row that has it", shop, erp)
	}
	write("erp user erp cuits 20-11111111-2 may query\n")
	caddytest.Eventually(t, "the shop is none any more", func() bool { return status("shop") == http.StatusForbidden })
	if got := status("erp"); got != 200 {
		t.Errorf("the new row: %d", got)
	}
	if got := s.Metric(`wsfev1_clients_file_failed`); got != "0" {
		t.Errorf("the metric of the mistake is %s", got)
	}
}

// TestAnIdempotencyKeyIsItsClients: two clients may use the same text for different requests.
func TestAnIdempotencyKeyIsItsClients(t *testing.T) {
	s := caddytest.Start(t, caddytest.Accounts(caddytest.WithBackend(t), "shop", "erp"), append(slices.Clone(caddytest.Exactly), shopRow, erpRow)...)
	send := func(user, body string) caddytest.Response {
		r := s.Request(t.Context(), "FECAESolicitar", body)
		r.SetBasicAuth(user, "password")
		r.Header.Set("Idempotency-Key", "order-1")
		return s.Do(r)
	}
	first := caddytest.Invoice(1)
	if got := send("shop", first); got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if got := send("shop", caddytest.Invoice(2)); got.Status == 200 {
		t.Errorf("the key twice by one client: %s", got.Header.Get("Wsfev1-Outcome"))
	}
	if got := send("erp", caddytest.Invoice(2)); got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Errorf("the key of another client: %d %s", got.Status, got.Body)
	}
	if got := as(t, s, "erp", 0, "FECAESolicitar", first); got.Header.Get("Wsfev1-Outcome") != "replayed" {
		t.Errorf("the request of another client: %s", got.Header.Get("Wsfev1-Outcome"))
	}
}

// TestRowsAreRefusedWithTheirLine, and with what to write.
func TestRowsAreRefusedWithTheirLine(t *testing.T) {
	for want, options := range map[string][]string{
		`unrecognized option "cuit": did you mean cuits?`:                         {"client shop {\n user shop\n cuit 20-11111111-2\n}"},
		`client shop: write for which issuers`:                                    {"client shop {\n user shop\n may *\n}"},
		`client erp: user "shop" is client shop's already (Caddyfile:`:            {"client shop {\n user shop\n cuits *\n may *\n}", "client erp {\n user shop\n cuits *\n may *\n}"},
		`a client is known by its ticket: write ticket check with`:                {"client erp {\n ticket CN=erp\n cuits *\n may *\n}", "ticket off"},
		`is known by its ticket: write ticket check with`:                         {"client erp {\n ticket CN=erp\n cuits *\n may *\n}", "ticket check"},
		`client shop: "{env.SHOP}" has a placeholder, which is not replaced here`: {"client shop {\n user {env.SHOP}\n cuits *\n may *\n}"},
		`reading the clients: open /nowhere/customers: no such file or`:           {"clients /nowhere/customers"},
		`reading the clients: /dev/zero: it is no regular file`:                   {"clients /dev/zero"},
	} {
		s := caddytest.NewSite(t)
		err := caddytest.LoadCaddyfile(s.Config(s.WithAudit(options...), "respond 204"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Caddyfile:") {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// TestAMistakeInThePathIsNoUnknownClient: it was refused before anybody looked at who sends it.
func TestAMistakeInThePathIsNoUnknownClient(t *testing.T) {
	s := caddytest.Start(t, caddytest.Accounts(caddytest.WithBackend(t), "shop", "mallory"), shopRow)
	before := s.Metric("wsfev1_client_unknown_total")
	if got := as(t, s, "shop", 0, "FENothing", "{}"); got.Status != http.StatusNotFound {
		t.Fatalf("%d", got.Status)
	}
	if got := s.Metric("wsfev1_client_unknown_total"); got != before {
		t.Errorf("%s unknown clients, %s before", got, before)
	}
	as(t, s, "mallory", 0, "FEDummy", "{}")
	if got := s.Metric("wsfev1_client_unknown_total"); got == before {
		t.Errorf("%s unknown clients, as before", got)
	}
}
