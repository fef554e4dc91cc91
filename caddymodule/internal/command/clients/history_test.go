package clientscmd_test

import (
	"encoding/hex"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const (
	shopRow  = "client shop {\n user shop\n cuits 20-11111111-2\n may issue query\n}"
	lessRow  = "client shop {\n user shop\n cuits 20-11111111-2\n may query\n}"
	erpRow   = "client erp {\n user erp\n cuits *\n may *\n}"
	shopText = `client shop user "shop" cuits 20111111112 may issue query`
	lessText = `client shop user "shop" cuits 20111111112 may query`
	erpText  = `client erp user "erp" cuits * may *`
)

// changed is a site whose table of clients has changed three times, and the records of its tables: the shop alone,
// with the erp, with fewer rights of the shop and without the erp, none.
func changed(t *testing.T) (s *caddytest.Site, tables []*audit.Record) {
	t.Helper()
	s = caddytest.NewSite(t)
	next := caddytest.Accounts(caddytest.WithBackend(t), "shop", "erp")
	for _, options := range [][]string{nil, {shopRow}, {shopRow, erpRow}, {lessRow}, nil} {
		s.Load(s.Config(s.WithAudit(options...), next))
		s.PostAs("shop", "FEDummy", "{}")
	}
	for _, r := range s.Records() {
		if r.Outcome == audit.AccessClients {
			tables = append(tables, r)
		}
	}
	if len(tables) != 4 {
		t.Fatalf("%d tables", len(tables))
	}
	return s, tables
}

// ofTrail runs a command about the clients of a site's trail.
func ofTrail(s *caddytest.Site, arguments ...string) (out, errs string, err error) {
	return caddytest.RunCommand(append(append([]string{"clients"}, arguments...), "--store", "sqlite:"+s.Store)...)
}

// TestHistoryShowsWhatChanged from each table to the next, newest first.
func TestHistoryShowsWhatChanged(t *testing.T) {
	s, tables := changed(t)
	out, errs, err := ofTrail(s, "history")
	if err != nil || errs != "" {
		t.Fatalf("%v %s", err, errs)
	}
	blocks := strings.Split(out, "\n\n")
	if len(blocks) != 4 {
		t.Fatalf("%d tables:\n%s", len(blocks), out)
	}
	source := ` from Caddyfile:\d+`
	for i, want := range []string{
		` 1 row` + source + `\n  loaded by fielato on \S+, sha256 ` + hex.EncodeToString(tables[0].RequestDigest[:]) + `\n  \+ ` + regexp.QuoteMeta(shopText) + `$`,
		` 2 rows` + source + `\n.*\n  changed since ` + tables[0].Address() + `:\n  \+ ` + regexp.QuoteMeta(erpText) + `$`,
		` 1 row` + source + `\n.*\n  changed since ` + tables[1].Address() + `:\n  - ` + regexp.QuoteMeta(erpText) + `\n  - ` + regexp.QuoteMeta(shopText) + `\n  \+ ` + lessText + `$`,
		` no table any more at Caddyfile:\d+\n.*\n  changed since ` + tables[2].Address() + `:\n  - ` + lessText + `$`,
	} {
		block := strings.TrimSuffix(blocks[3-i], "\n")
		if !regexp.MustCompile(want).MatchString(block) || !strings.HasPrefix(block, tables[i].Address()+"  2") {
			t.Errorf("table %d:\n%s\nwant %s", i, block, want)
		}
	}
	out, _, err = ofTrail(s, "history", "--format", "json")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	var third struct {
		Record, Before string
		Removed        []string
		Changed        []struct{ Row, Before, After string }
	}
	if err == nil {
		err = json.Unmarshal([]byte(lines[1]), &third, json.MatchCaseInsensitiveNames(true))
	}
	if err != nil || len(lines) != 4 || third.Record != tables[2].Address() || third.Before != tables[1].Address() || third.Removed[0] != erpText || third.Changed[0].After != lessText {
		t.Errorf("%v %+v\n%s", err, third, out)
	}
}

// TestHistoryTakesTimes: the oldest table that is listed is compared with one that is not.
func TestHistoryTakesTimes(t *testing.T) {
	s, tables := changed(t)
	moment := func(r *audit.Record) string { return r.Time.Format(time.RFC3339Nano) }
	out, _, err := ofTrail(s, "history", "--since", moment(tables[1]), "--until", moment(tables[3]))
	if err != nil || strings.Count(out, "loaded by") != 2 || !strings.Contains(out, "changed since "+tables[0].Address()) || strings.Contains(out, "any more") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, errs, err := ofTrail(s, "history", "--until", "2020-01-01"); err != nil || !strings.Contains(errs, "no record of a table of clients matches") {
		t.Errorf("%v %s", err, errs)
	}
	if _, _, err := ofTrail(s, "history", "--since", "someday"); err == nil || !strings.Contains(err.Error(), "--since \"someday\": give 2026-11-20") {
		t.Error(err)
	}
}

// TestCheckKnowsWhatWasInForce at a time, and names the record that proves it.
func TestCheckKnowsWhatWasInForce(t *testing.T) {
	s, tables := changed(t)
	at := func(r *audit.Record, user string) (string, int) {
		return check(t, "--store sqlite:"+s.Store+" --at "+r.Time.Format(time.RFC3339Nano)+" --user "+user+" --cuit 20-11111111-2 FECAESolicitar")
	}
	for i, test := range []struct {
		shop, erp int
		text      string
	}{{0, 1, shopText}, {0, 0, shopText}, {1, 1, lessText}, {0, 0, "there was no table of clients"}} {
		out, shop := at(tables[i], "shop")
		_, erp := at(tables[i], "erp")
		if shop != test.shop || erp != test.erp || !strings.Contains(out, test.text) || !strings.Contains(out, "  table  "+tables[i].Address()+", loaded ") {
			t.Errorf("table %d: shop %d, erp %d: %s", i, shop, erp, out)
		}
	}
	first := s.Records()[0]
	if out, status := at(first, "mallory"); status != 0 || !strings.Contains(out, "there was no table of clients") || strings.Contains(out, "  table ") {
		t.Errorf("before the first table: status %d: %s", status, out)
	}
	before := *first
	before.Time = first.Time.Add(-time.Hour)
	if out, status := at(&before, "shop"); status != 2 || !strings.Contains(out, "and does not know what was in force before") {
		t.Errorf("before the trail: status %d: %s", status, out)
	}
	if out, status := check(t, "--store sqlite:"+s.Store+" --gateway Caddyfile:999 --user shop --cuit 20-11111111-2 FECAESolicitar"); status != 2 || !strings.Contains(out, "has no table of clients of a gateway there") {
		t.Errorf("status %d: %s", status, out)
	}
	proof := filepath.Join(t.TempDir(), "table.tlog-proof")
	if _, _, err := caddytest.AuditCommand("prove", tables[0].Address(), "--store", "sqlite:"+s.Store, "--output", proof); err != nil {
		t.Error(err)
	}
}
