package console

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/wsfev1"
)

// routesOfRecords are the pages that read the trail, and routesWithout all others: a page more must be put into
// one of them, and is tested then.
var (
	routesOfRecords = strings.Fields(`/consola/{$} /consola/causes /consola/search /consola/search/live /consola/search.csv /consola/month /consola/month.csv /consola/outages /consola/outages/{log}/{index} /consola/readings
		/consola/exchange/{log}/{index} /consola/exchange/{log}/{index}/{part} /consola/exchange/{log}/{index}/reveal /consola/exchange/{log}/{index}/reveal/{part}
		/consola/comprobante/{cuit}/{tipo}/{ptovta}/{nro} /consola/comprobante/{cuit}/{tipo}/{ptovta}/{nro}/constancia.html
		/consola/try/{log}/{index} /consola/try/{log}/{index}/reveal
		/consola/proof/{log}/{index} /consola/proof/{log}/{index}/proof /consola/proof/{log}/{index}/checkpoint /consola/proof/{log}/{index}/evidence
		/consola/proof/{log}/{index}/reveal /consola/proof/{log}/{index}/reveal/{file} /consola/proof/{log}/{index}/reveal/proof /consola/proof/{log}/{index}/reveal/evidence`)
	routesWithout = strings.Fields(`/consola/assets/{name} /consola/try /consola/try/template.csv /consola/try/judge /consola/try/judge-lines /consola/rules /consola/rules/{code}`)
)

func TestEachPageIsKnownToTheTestsOfReaders(t *testing.T) {
	for _, route := range newLedger(t).site().Routes() {
		_, pattern, _ := strings.Cut(route, " ")
		if !slices.Contains(routesOfRecords, pattern) && !slices.Contains(routesWithout, pattern) {
			t.Errorf("%s: does it read the trail? Put it into routesOfRecords or routesWithout", route)
		}
	}
}

// scopeQuestions are what may stand behind an address.
var scopeQuestions = []string{
	"", "?nro=1", "?nro=10", "?from=0", "?all=1", "?kind=access", "?kind=outage", "?kind=intent", "?kind=settlement", "?outcome=refused", "?list=exchanges", "?list=exchanges&questions=hidden", "?list=invoices&outcome=refused", "?days=1&until=2026-11-23", "?outcome=open", "?q=10048", "?q=0001-00000001",
	"?q=30-50001091-2", "?q=27-00000000-6", "?day=2026-11-23", "?day=2026-11-22", "?month=2026-11", "?month=2026-11&cuit=30500010912&by=authorised", "?cuit=30500010912", "?client=cliente-300707", "?at=gateway-1/9", "?at=gateway-2/5",
	"?log=gateway-2", "?q=93007070000001", "?q=00000000-0000-4000-8000-300707000001", "?lang=en",
}

// answerOf is what a reader gets.
type answerOf struct {
	Code int
	Head string
	Body string
}

// ask asks for an address as a user, who is nobody if it is empty.
func ask(t *testing.T, s *site.Site, user, method, address string, headers ...string) answerOf {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), 20*time.Second)
	defer leave()
	path, form, _ := strings.Cut(address, "#")
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(form))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	r.Header.Set(userHeader, user)
	r.Header.Set("Last-Event-ID", scopeLog+"/0")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(&once{w, leave}, r)
	var head bytes.Buffer
	_ = w.Header().Write(&head) // in order
	return answerOf{w.Code, head.String(), w.Body.String()}
}

// has returns which of the texts an answer has.
func (a *answerOf) has(marks []string) (found []string) {
	for _, mark := range marks {
		if strings.Contains(a.Head+a.Body, mark) {
			found = append(found, mark)
		}
	}
	return found
}

// mixed is a trail with the records of both issuers and of none, in two logs.
func mixed(t *testing.T) (l *ledger, own map[string][]uint64) {
	l = newLedger(t)
	own = map[string][]uint64{}
	for _, of := range []struct {
		user string
		do   func()
	}{
		{"a", func() { l.fill(scopeLog, issuerA) }},
		{"b", func() { l.fill(scopeLog, issuerB) }},
		{"", func() { l.write(scopeLog, nobodys()...) }},
		{"a", func() { l.fill(scopeLog, issuerA) }},
		{"", func() { l.many("gateway-2", 3) }},
	} {
		from, err := l.store.Head(t.Context(), scopeLog)
		if err != nil {
			t.Fatal(err)
		}
		of.do()
		to, err := l.store.Head(t.Context(), scopeLog)
		if err != nil {
			t.Fatal(err)
		}
		for index := from.Size; index < to.Size; index++ {
			own[of.user] = append(own[of.user], index)
		}
	}
	return l, own
}

// requestsOf calls do with each request that there is for a site: its routes, with all records and questions.
func requestsOf(t *testing.T, s *site.Site, records uint64, do func(method, address string, of *uint64)) {
	for _, route := range s.Routes() {
		method, pattern, _ := strings.Cut(route, " ")
		values := maps.Clone(wildcards)
		values["{log}"], values["{index}"] = []string{scopeLog}, []string{""}
		indexes := []*uint64{nil}
		if strings.Contains(pattern, "{index}") {
			indexes = nil
			for index := range records {
				indexes = append(indexes, &index)
			}
		}
		for _, index := range indexes {
			if index != nil {
				values["{index}"] = []string{strconv.FormatUint(*index, 10)}
			}
			for _, path := range addressesWith(t, pattern, values) {
				asked := scopeQuestions
				switch {
				case method == http.MethodPost:
					asked = []string{"#nro=1", "#nro=10"}
				case index != nil || strings.Contains(pattern, "assets"), strings.Contains(pattern, "{nro}"):
					asked = scopeQuestions[:2]
				case strings.HasSuffix(pattern, "/live"): // each takes a second
					asked = scopeQuestions[:1]
				}
				for _, question := range asked {
					do(method, path+question, index)
				}
			}
		}
	}
}

// TestAReaderSeesOwnRecordsAlone: in no answer of any page stands anything of another issuer's record, or of
// one that is about none.
func TestAReaderSeesOwnRecordsAlone(t *testing.T) {
	l, own := mixed(t)
	s := l.site()
	counted := strconv.Itoa(countOfAll)
	end := uint64(len(own["a"]) + len(own["b"]) + len(own[""]))
	for user, test := range map[string]struct{ hidden, shown []string }{
		"a": {append(marksOf(issuerB), counted), marksOf(issuerA)}, "b": {append(marksOf(issuerA), counted), marksOf(issuerB)},
		"all": {nil, append(append(marksOf(issuerA), marksOf(issuerB)...), counted)},
	} {
		seen, status := map[string]bool{}, map[int]int{}
		requestsOf(t, s, end+1, func(method, address string, index *uint64) {
			got := ask(t, s, user, method, address)
			status[got.Code]++
			asked, _ := url.QueryUnescape(address)
			for _, mark := range got.has(test.hidden) {
				if !strings.Contains(asked, strings.ReplaceAll(mark, "-", "")) && !strings.Contains(asked, mark) {
					t.Errorf("%s: %s %s: %d with %s%s", user, method, address, got.Code, mark, around(got.Body, mark))
				}
			}
			for _, mark := range got.has(test.shown) {
				seen[mark] = true
			}
			foreign := index != nil && user != "all" && !slices.Contains(own[user], *index)
			if isRedirect := got.Code == http.StatusSeeOther; foreign && got.Code != http.StatusNotFound && !isRedirect && got.Code != http.StatusBadRequest {
				t.Errorf("%s: %s %s: %d", user, method, address, got.Code)
			}
			if got.Code >= http.StatusInternalServerError {
				t.Errorf("%s: %s %s: %d\n%s", user, method, address, got.Code, got.Body)
			}
		})
		t.Logf("%s: answers by status: %v", user, status)
		if len(seen) != len(test.shown) || status[http.StatusOK] < 200 {
			t.Errorf("%s sees %v of %v", user, slices.Sorted(maps.Keys(seen)), test.shown)
		}
	}
}

// TestNobodySeesAnything where there are readers.
func TestNobodySeesAnything(t *testing.T) {
	l, _ := mixed(t)
	s := l.site()
	for _, user := range []string{"", "mallory"} {
		want := ask(t, s, user, http.MethodGet, "/consola/")
		if want.Code != http.StatusForbidden || !strings.Contains(want.Body, "Usted no tiene permiso") {
			t.Errorf("%q: %+v", user, want)
		}
		requestsOf(t, s, 2, func(method, address string, _ *uint64) {
			if got := ask(t, s, user, method, address); got != want {
				t.Errorf("%q: %s %s: %+v", user, method, address, got)
			}
		})
	}
}

// TestPagesAboutAllIssuers say nothing to a reader of some, and each page names the issuers that it is about.
func TestPagesAboutAllIssuers(t *testing.T) {
	l, _ := mixed(t)
	s := l.site()
	const trailOf, issuers = `id="trail"`, "Solo comprobantes de la CUIT 27-00000000-6."
	for _, test := range []struct {
		user, address string
		status        int
		has, hasNot   string
	}{
		{"a", "/consola/", 200, issuers, trailOf},
		{"a", "/consola/", 200, "12 h", "Caídas"},
		{"a", "/consola/search", 200, issuers, "gateway-2"},
		{"a", "/consola/month?month=2026-11", 200, issuers, "30-50001091-2"},
		{"a", "/consola/outages", 403, "Fuera de su alcance", "service.example"},
		{"a", "/consola/rules/10015", 200, issuers, "887766"},
		{"all", "/consola/", 200, trailOf, "Solo comprobantes"},
		{"all", "/consola/month?month=2026-11", 200, "30-50001091-2", "Solo comprobantes"},
		{"all", "/consola/outages", 200, "Caídas", "Solo comprobantes"},
		{"all", "/consola/rules/10015", 200, "887766", "Solo comprobantes"},
	} {
		got := ask(t, s, test.user, http.MethodGet, test.address)
		if got.Code != test.status || !strings.Contains(got.Body, test.has) || strings.Contains(got.Body, test.hasNot) {
			t.Errorf("%s: %s: %d, want %d with %q, without %q\n%s", test.user, test.address, got.Code, test.status, test.has, test.hasNot, got.Body)
		}
	}
}

// TestAMaskHidesFromItsReaderAlone: the others of the same issuer see the documents of receivers.
func TestAMaskHidesFromItsReaderAlone(t *testing.T) {
	l := newLedger(t)
	l.fill(scopeLog, issuerA)
	s := l.site()
	seen := map[string]int{}
	requestsOf(t, s, uint64(len(l.at)), func(method, address string, _ *uint64) {
		if method != http.MethodGet {
			return // a form reveals them
		}
		for _, user := range []string{"masked", "a"} {
			got := ask(t, s, user, method, address)
			if len(got.has([]string{"20222222223", "20-22222222-3"})) > 0 || strings.HasPrefix(got.Body, "PK") {
				if seen[user]++; user == "masked" {
					t.Errorf("%s: %d%s", address, got.Code, around(got.Body, "20222222223"))
				}
			}
		}
	})
	if seen["a"] < 50 {
		t.Errorf("the reader without mask sees documents on %d pages", seen["a"])
	}
	if got := ask(t, s, "masked", http.MethodPost, "/consola/exchange/gateway-1/1/reveal"); len(got.has([]string{"20222222223"})) == 0 {
		t.Errorf("nothing is revealed: %d", got.Code)
	}
}

// TestACachedAnswerTellsNotWhoAskedFirst: the answer about a table is given again to other issuers, and so is the reason
// why there is none. The records name the one of the first who asked.
func TestACachedAnswerTellsNotWhoAskedFirst(t *testing.T) {
	l := newLedger(t)
	table := func(cuit wsfev1.CUIT, number int64) audit.Record {
		r := about(cuit, number, 1)
		r.Kind, r.Operation, r.Outcome, r.Certainty, r.PtoVta, r.CbteTipo, r.Vouchers = audit.KindExchange, "FEParamGetTiposCbte", audit.OutcomeAnswered, audit.Answered, 0, 0, nil
		return r
	}
	for _, test := range []struct {
		asked wsfev1.CUIT
		seen  bool
	}{{issuerB, false}, {issuerA, true}} {
		origin := audit.Address(scopeLog, l.add(scopeLog, table(test.asked, 1)))
		again := table(issuerA, 2)
		again.Decision, again.Outcome, again.Certainty, again.Origin, again.Detail = audit.DecisionCache, audit.OutcomeCached, audit.NotSent, origin, "answered as record "+origin+", 12s old"
		old := table(issuerA, 3)
		old.Decision, old.Outcome, old.Certainty, old.Detail = audit.DecisionCache, audit.OutcomeCached, audit.NotSent, "answered as "+origin+", 12s old"
		failed := table(issuerA, 4)
		failed.Decision, failed.Outcome, failed.Certainty, failed.Detail = "refuse", audit.OutcomeNotSent, audit.NotSent, "the service was asked and has not answered (unknown), see record "+origin
		for _, r := range []audit.Record{again, old, failed} {
			path := "/consola/exchange/" + audit.Address(scopeLog, l.add(scopeLog, r))
			for user, want := range map[string]bool{"a": test.seen, "all": true} {
				got := ask(t, l.site(), user, http.MethodGet, path)
				if has := strings.Contains(got.Body, origin) || strings.Contains(got.Body, "12s"); got.Code != http.StatusOK || has != want {
					t.Errorf("%s, first asked for by %s: %s sees that: %v, %d", r.Detail, test.asked, user, has, got.Code)
				}
			}
		}
	}
}
