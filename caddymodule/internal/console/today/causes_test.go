package today_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
)

// TestCausesOfSevenDays: how often, by how many, and from when to when; who was refused by whom.
func TestCausesOfSevenDays(t *testing.T) {
	const days = 24 * time.Hour
	var records []audit.Record
	add := func(code, client string, before time.Duration) {
		r := refused(fmt.Sprint("x", len(records)), int64(1+len(records)), code)
		r.Time, r.ClientIdentity = noon.Add(-before), client
		records = append(records, r)
	}
	for i := range 37 {
		add("10246", fmt.Sprint("programa-", i%5), time.Duration(i%6)*days)
	}
	add("10048", "caja", 0)
	add("10048", "caja", 7*days) // before these days
	said := refused("said", 99)
	said.Decision, said.Outcome, said.Certainty, said.Findings = "forward", "rejected", audit.Answered, nil
	said.Answer, said.ClientAddress = []byte(`{"Errors":{"Err":[{"Code":10048,"Msg":"no cierra"}]}}`), "192.0.2.7"
	records = append(records, said)
	s, _ := newSite(t, records...)
	body := get(t, s, "/causes", "es").Body.String()
	want(t, body, "<h1>Errores por causa <small>16/11/2026 – 22/11/2026</small></h1>", "37 veces</a>, 5 programas", "<bdi>programa-0</bdi>: 8", "2 veces</a>, 2 programas", "<bdi>192.0.2.7</bdi>: 1",
		`data-label="Por la pasarela" class="number">37 (100 %)`, `data-label="Por el servicio" class="number">1 (50 %)`, "<time>17/11/2026 12:00:00</time>", "<time>22/11/2026 12:00:00</time>")
	if at := html.UnescapeString(body); !strings.Contains(at, `href="/consola/search?finding=10246&list=exchanges&since=2026-11-16&until=2026-11-22"`) || strings.Index(at, ">10246<") > strings.Index(at, ">10048<") {
		t.Errorf("the exchanges, or the order:\n%s", at)
	}
	if one := get(t, s, "/causes?days=1", "en").Body.String(); strings.Contains(one, "37 times") || !strings.Contains(one, "7 times</a>, 5 programs") {
		t.Errorf("one day:\n%s", one)
	}
	if before := get(t, s, "/causes?until=2026-11-15", "es").Body.String(); !strings.Contains(before, "1 vez</a>, 1 programa") || !strings.Contains(before, `href="/consola/causes?until=2026-11-22" rel="next"`) {
		t.Errorf("the days before:\n%s", before)
	}
	if none := get(t, s, "/causes?until=2026-11-01", "es").Body.String(); !strings.Contains(none, "Ningún pedido fue rechazado") {
		t.Errorf("days without any:\n%s", none)
	}
	for _, wrong := range []string{"days=0", "days=8", "days=x", "until=2026-11-23", "until=x"} {
		if answered := get(t, s, "/causes?"+wrong, "es"); answered.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", wrong, answered.Code)
		}
	}
	want(t, get(t, s, "/", "es").Body.String(), `<a href="/consola/causes?until=2026-11-22">Errores por causa`)
}

// TestADamagedRecordStopsNothing, and the day is not green.
func TestADamagedRecordStopsNothing(t *testing.T) {
	sound := audittest.NewMemory()
	for i := range 3 {
		r := issued(int64(1+i), noon.Add(-time.Hour))
		r.Outcome = []audit.Outcome{"approved", "rejected", "unknown"}[i]
		if err := sound.Commit(t.Context(), audittest.Seal(t, sound, log, &r)); err != nil {
			t.Fatal(err)
		}
	}
	store := &audittest.Damaged{Store: sound, Content: map[uint64]bool{1: true, 2: true}}
	s, _ := newSite(t)
	s.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: []string{log}}})
	}
	for _, path := range []string{"/", "/causes"} {
		if answered := get(t, s, path, "es"); answered.Code != http.StatusOK {
			t.Fatalf("%s: %d\n%s", path, answered.Code, answered.Body)
		}
	}
	body := get(t, s, "/", "es").Body.String()
	want(t, body, `<strong class="number">3</strong> intercambio`, `<strong class="number">2</strong> <bdi>registros dañados, que no se pueden leer</bdi>`, `<a href="/consola/exchange/gateway-1/1">gateway-1/1</a>`)
	if strings.Contains(body, "✓") {
		t.Error("the day is green")
	}
}
