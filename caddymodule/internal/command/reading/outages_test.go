package reading_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestOutagesAreListed: one that is over, with what shows it, and one that goes on.
func TestOutagesAreListed(t *testing.T) {
	upstream := caddytest.NewMoody(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker 2 rest 1h service arca")
	if out, errs := s.Outages(); out != "" || errs != "no outage matches\n" {
		t.Errorf("before any: %q %q", out, errs)
	}
	for _, down := range []bool{true, false, true} {
		upstream.Set(down)
		s.Post("FECompTotXRequest", caddytest.Query)
		s.Post("FECompTotXRequest", caddytest.Query)
	}
	out, _ := s.Outages()
	const at, record = `20\d\d-\d\d-\d\d \d\d:\d\d:\d\d-03:00`, `\S+/`
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range []string{
		`RECORD +BEGAN +ENDED +LENGTH +SCOPE +SERVICE +UPSTREAM +FAILURES +FIRST +LAST +ANSWER`,
		record + `8 +` + at + ` +- +goes on +everything +arca +127\S+ +service 2 +` + record + `6 +` + record + `7 +-`,
		record + `4 +` + at + ` +` + at + ` +\S+s +everything +arca +127\S+ +service 2 +` + record + `0 +` + record + `1 +` + record + `3`,
	} {
		if i >= len(lines) || !regexp.MustCompile("^"+want+"$").MatchString(lines[i]) {
			t.Fatalf("line %d of\n%s\nis not %s", i, out, want)
		}
	}
	wantOutageLines(t, s)
	later := time.Now().Add(time.Hour).Format(time.RFC3339)
	if out, _ := s.Outages("--since", later); strings.Count(out, "\n") != 2 || !strings.Contains(out, "goes on") {
		t.Errorf("in an hour: %s", out)
	}
	if out, _ := s.Outages("--until", "2020-01-01"); out != "" {
		t.Errorf("long ago: %s", out)
	}
	if found := s.Search("--kind", "outage"); len(found) != 3 {
		t.Errorf("search --kind outage: %q", found)
	}
	if found := s.Search("--outcome", "outage_ended"); len(found) != 1 {
		t.Errorf("search --outcome outage_ended: %q", found)
	}
	if _, _, err := caddytest.AuditCommand("outages", "--store", "sqlite:"+s.Store, "--format", "csv"); err == nil {
		t.Error("--format csv is taken")
	}
}

func wantOutageLines(t *testing.T, s *caddytest.Site) {
	t.Helper()
	out, _ := s.Outages("--format", "json")
	type line struct {
		Ongoing  bool
		Began    time.Time
		Ended    time.Time
		Seconds  float64
		Service  string
		Failures int
		Classes  map[string]int
		Answer   string
	}
	var all []line
	for text := range strings.Lines(out) {
		var one line
		if err := json.Unmarshal([]byte(text), &one, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if len(all) != 2 || !all[0].Ongoing || all[1].Ongoing || all[1].Answer == "" || all[1].Failures != 2 ||
		fmt.Sprint(all[1].Classes) != "map[service:2]" || all[1].Service != "arca" || all[1].Seconds <= 0 || all[1].Ended.Before(all[1].Began) {
		t.Errorf("%+v", all)
	}
}

// TestTheInvoicesOfAnOutageAreListed with what became of each.
func TestTheInvoicesOfAnOutageAreListed(t *testing.T) {
	upstream := caddytest.NewMoody(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "breaker 2 rest 1h service arca")
	upstream.Set(true)
	for number := range int64(3) {
		for range 2 {
			s.Post("FECAESolicitar", caddytest.Invoice(int(number)+1))
		}
	}
	cuit := fmt.Sprint(s.Records()[0].Cuit)
	out, _ := s.Outages("--cuit", cuit)
	for _, want := range []string{", it goes on: ", " asked for, ", "  6-1-1  ", "no CAEA of that fortnight is on record"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, _ = s.Outages("--cuit", cuit, "--format", "json")
	var line struct {
		Invoices struct {
			Cuit            int64
			Asked, Attempts int
			Fates           map[string]int
			List            []struct {
				Nro, Attempts int
				Fate, Record  string
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &line, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := line.Invoices
	attempts := 0
	for _, one := range got.List {
		attempts += one.Attempts
	}
	if fmt.Sprint(got.Cuit) != cuit || got.Asked == 0 || got.Asked != len(got.List) || attempts != got.Attempts || got.List[0].Record == "" {
		t.Errorf("%+v", got)
	}
	other := "30500010912"
	if out, _ := s.Outages("--cuit", other, "--format", "json"); !strings.Contains(out, `"asked":0,"attempts":0`) {
		t.Errorf("of another issuer: %s", out)
	}
}
