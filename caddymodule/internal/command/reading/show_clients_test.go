package reading_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const shopText = `client shop user "shop" cuits 20111111112 pto_vta 1 may issue query`

// withClients is a trail of a gateway with clients:
//
//	0     the table
//	1, 2  an invoice of the shop, approved
//	3     the same by somebody who is no client
//	4     a query that the shop may not send
func withClients(t *testing.T) *caddytest.Site {
	t.Helper()
	s := caddytest.Start(t, caddytest.Accounts(caddytest.WithBackend(t), "shop", "mallory"),
		"client shop {\n user shop\n cuits 20-11111111-2\n pto_vta 1\n may issue query\n}")
	s.PostAs("shop", "FECAESolicitar", caddytest.Invoice(1))
	s.PostAs("mallory", "FECAESolicitar", caddytest.Invoice(1))
	s.PostAs("shop", "FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":2,"CbteTipo":6}`)
	return s
}

// TestShowSaysByWhichRow of which table a request was issued or refused.
func TestShowSaysByWhichRow(t *testing.T) {
	s := withClients(t)
	table := s.Records()[0].Address()
	for index, want := range map[string][]string{
		"1": {"client_table +" + table, "client_row +shop", "row +" + shopText, "outcome +approved"},
		"2": {"client_table +" + table, "client_row +shop", "row +" + shopText, "outcome +approved"},
		"3": {"client_table +" + table, "row +none: what proved who sent it is of no row of the table", "status +403"},
		"4": {"client_table +" + table, "client_row +shop", "row +" + shopText, "status +403"},
		"0": {"what +clients: the rows of Caddyfile:\\d+", "clients: \\d+ bytes, sha256 [0-9a-f]{64}", shopText},
	} {
		out, _, err := caddytest.AuditCommand("show", index, "--store", "sqlite:"+s.Store)
		if err != nil {
			t.Errorf("show %s: %v", index, err)
		}
		for _, line := range want {
			if n := len(regexp.MustCompile("(?m)^"+line).FindAllString(out, -1)); n == 0 || strings.HasPrefix(line, "row") && n != 1 {
				t.Errorf("show %s has %d lines %s:\n%s", index, n, line, out)
			}
		}
	}
	for index, want := range map[string]string{"1": shopText, "2": shopText, "4": shopText, "0": ""} {
		out, _, err := caddytest.AuditCommand("show", index, "--format", "json", "--store", "sqlite:"+s.Store)
		var object struct {
			Table   string `json:"client_table"`
			Text    string `json:"client_row_text"`
			Clients string `json:"clients"`
		}
		if err == nil {
			err = json.Unmarshal([]byte(out), &object)
		}
		if err != nil || object.Text != want || (object.Table == table) != (want != "") || (object.Clients == shopText+"\n") != (want == "") {
			t.Errorf("show %s: %v %s", index, err, out)
		}
	}
}

// TestSearchFindsTheRequestsOfARow, and the tables.
func TestSearchFindsTheRequestsOfARow(t *testing.T) {
	s := withClients(t)
	if got := s.Search("--client-row", "shop"); len(got) != 2 || !strings.HasPrefix(got[0], "4 ") || !strings.HasPrefix(got[1], "2 ") {
		t.Errorf("of the shop: %q", got)
	}
	if got := s.Search("--client-row", "shop", "--cuit", "20-11111111-2", "--outcome", "approved"); len(got) != 1 {
		t.Errorf("approved: %q", got)
	}
	if got := s.Search("--outcome", "clients"); len(got) != 1 || !strings.Contains(got[0], "clients: the rows of ") {
		t.Errorf("tables: %q", got)
	}
	out, _, err := caddytest.AuditCommand("search", "--kind", "access", "--format", "json", "--store", "sqlite:"+s.Store)
	if err != nil || !strings.Contains(out, `"clients":"client shop user \"shop\"`) {
		t.Errorf("%v %s", err, out)
	}
	if _, errs, err := caddytest.AuditCommand("search", "--client-row", "erp", "--store", "sqlite:"+s.Store); err != nil || !strings.Contains(errs, "no exchange matches") {
		t.Errorf("%v %s", err, errs)
	}
}
