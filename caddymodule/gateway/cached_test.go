package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const (
	tableQuestion  = "{" + caddytest.AuthText + "}"
	conceptTable   = `{"ResultGet":{"ConceptoTipo":[{"Id":1,"Desc":"Bienes","FchDesde":"20100917","FchHasta":"NULL"}]}}`
	otherConcepts  = `{"ResultGet":{"ConceptoTipo":[{"Id":9,"Desc":"Otro","FchDesde":"20100917","FchHasta":"NULL"}]}}`
	ptosVenta      = `{"ResultGet":{"PtoVenta":[{"Nro":7,"EmisionTipo":"CAE","Bloqueado":"N","FchBaja":"NULL"}]}}`
	badCredentials = `{"Errors":{"Err":[{"Code":600,"Msg":"ValidacionDeToken"}]}}`
)

// otherAuth is a question with credentials that the stub of a tableService refuses.
var otherAuth = strings.Replace(tableQuestion, caddytest.Token, "another-token-of-somebody", 1)

// tableService is an upstream that answers with the text in its field answer.
type tableService struct {
	*caddytest.Stub
	answer atomic.Value // a string; no text for a connection that ends
}

func newTableService(t testing.TB, answer string) *tableService {
	s := &tableService{}
	s.answer.Store(answer)
	s.Stub = caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer := s.answer.Load().(string)
		switch {
		case answer == "":
			panic(http.ErrAbortHandler)
		case bytes.Contains(body, []byte("another-token")):
			answer = badCredentials
		}
		w.Header().Set("Set-Cookie", "of=one")
		caddytest.Answering(200, answer)(w, r)
	})
	return s
}

// ask asks for a table and checks what became of it, with how many questions so far.
func (s *tableService) ask(t *testing.T, g *caddytest.Site, operation, question, wantBody, wantOutcome string, wantHits int64) caddytest.Response {
	t.Helper()
	got := g.Post(operation, question)
	if string(got.Body) != wantBody || got.Header.Get("Wsfev1-Outcome") != wantOutcome || s.Hits.Load() != wantHits {
		t.Errorf("%s, %d questions: %s; want %s, %d, %s", got.Header.Get("Wsfev1-Outcome"), s.Hits.Load(), got.Body, wantOutcome, wantHits, wantBody)
	}
	return got
}

func TestTableIsGivenAgain(t *testing.T) {
	service := newTableService(t, conceptTable)
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "cache 5m")
	service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "answered", 1)
	fresh := s.Metric(`wsfev1_cache_requests_total{operation="FEParamGetTiposConcepto",result="fresh"}`)
	got := service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "cached", 1)
	age, err := strconv.Atoi(got.Header.Get("Age"))
	if err != nil || age >= 60 || got.Header.Get("Set-Cookie") != "" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("header %v", got.Header)
	}
	if s.Metric(`wsfev1_cache_requests_total{operation="FEParamGetTiposConcepto",result="fresh"}`) == fresh {
		t.Error("not counted")
	}
	r := s.Last()
	if r.Kind != audit.KindExchange || r.Outcome != "cached" || r.Decision != "cache" || r.Certainty != audit.NotSent ||
		string(r.Answer) != conceptTable || r.Detail != fmt.Sprintf("answered as record %s/0, %ds old", r.Log, age) {
		t.Errorf("recorded %v %s %s %s %q: %s", r.Kind, r.Outcome, r.Decision, r.Certainty, r.Detail, r.Answer)
	}
	// Another operation, and a reload with the same trail.
	documents := strings.Replace(conceptTable, "ConceptoTipo", "DocTipo", 1)
	service.answer.Store(documents)
	service.ask(t, s, "FEParamGetTiposDoc", tableQuestion, documents, "answered", 2)
	s.Load(strings.Replace(s.Config(s.WithAudit("cache 10m"), caddytest.ProxyTo(service.URL)), "grace_period 20s", "grace_period 21s", 1))
	service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "cached", 2)
}

// TestAnotherOperationsAnswerIsNoTable: a proxy may have mixed up two answers, and no other client gets this one.
func TestAnotherOperationsAnswerIsNoTable(t *testing.T) {
	service := newTableService(t, conceptTable)
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "cache 5m")
	for hits := range int64(2) {
		service.ask(t, s, "FEParamGetTiposDoc", tableQuestion, conceptTable, "upstream_error", hits+1)
	}
}

func TestWhatNumbersOrChangesIsNeverCached(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), "cache 5m")
	for _, request := range [][2]string{
		{"FECompUltimoAutorizado", "{" + caddytest.AuthText + `,"PtoVta":1,"CbteTipo":6}`},
		{"FECompConsultar", "{" + caddytest.AuthText + `,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`},
		{"FEDummy", "{}"},
	} {
		for range 2 {
			if got := s.Post(request[0], request[1]); got.Header.Get("Wsfev1-Outcome") != "answered" || got.Header.Get("Age") != "" {
				t.Errorf("%s: %v %s", request[0], got.Header, got.Body)
			}
		}
	}
}

func TestRateIsCachedByCurrencyAndDate(t *testing.T) {
	service := newTableService(t, "")
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "cache 5m")
	for i, members := range []string{`"MonId":"DOL"`, `"MonId":"060"`, `"MonId":"DOL","FchCotiz":"20261119"`, `"MonId":"DOL","FchCotiz":"20261118"`} {
		rate := fmt.Sprintf(`{"ResultGet":{%s,"MonCotiz":1405.5,"FchCotiz":"20261119"}}`, members[:len(`"MonId":"DOL"`)])
		service.answer.Store(rate)
		service.ask(t, s, "FEParamGetCotizacion", "{"+caddytest.AuthText+","+members+"}", rate, "answered", int64(i+1))
		service.ask(t, s, "FEParamGetCotizacion", "{ "+members+" , "+caddytest.AuthText+"}", rate, "cached", int64(i+1))
	}
}

// TestTableOutlivesTheService, and the gateway.
func TestTableOutlivesTheService(t *testing.T) {
	service := newTableService(t, conceptTable)
	const never = "cache 1ns stale 1h" // fresh for no request
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), never)
	service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "answered", 1)
	hits := int64(1)
	for _, down := range []string{
		"", `{"Errors":{"Err":[{"Code":501,"Msg":"Error interno de base de datos"}]}}`, "<html>502 Bad Gateway</html>",
	} {
		service.answer.Store(down)
		before := len(s.Records())
		hits++
		got := service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "cached", hits)
		if got.Header.Get("Age") == "" {
			t.Error("no Age")
		}
		records := s.Records()[before:]
		if len(records) != 2 || records[0].Outcome == "cached" || records[0].Decision != "forward" || records[1].Outcome != "cached" ||
			records[1].Certainty != audit.NotSent || records[0].ID != records[1].ID ||
			!strings.HasSuffix(records[1].Detail, "old: the service gave no answer") {
			t.Errorf("%q: recorded %+v", down, records)
		}
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.Load(s.Config(s.WithAudit(never), caddytest.ProxyTo(service.URL)))
	service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "cached", hits+1)
	if got := s.Post("FEParamGetTiposDoc", tableQuestion); got.Status == 200 && strings.Contains(string(got.Body), "ConceptoTipo") {
		t.Errorf("another table: %s", got.Body)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	// Fresh, and the same credentials as then: the service is not asked.
	hits = service.Hits.Load()
	s.Load(s.Config(s.WithAudit("cache 1h"), caddytest.ProxyTo(service.URL)))
	service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "cached", hits)
}

func TestOneQuestionForManyClients(t *testing.T) {
	const clients = 64
	release := make(chan struct{})
	service := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		<-release
		caddytest.Answering(200, conceptTable)(w, r)
	})
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "cache 5m")
	joined := `wsfev1_cache_requests_total{operation="FEParamGetTiposConcepto",result="joined"}`
	var all sync.WaitGroup
	var cached atomic.Int64
	for range clients {
		all.Go(func() {
			got, err := caddytest.Try(s.Request(context.Background(), "FEParamGetTiposConcepto", tableQuestion))
			if err != nil || string(got.Body) != conceptTable {
				t.Errorf("%v: %s", err, got.Body)
			}
			if got.Header.Get("Wsfev1-Outcome") == "cached" {
				cached.Add(1)
			}
		})
	}
	caddytest.Eventually(t, "the question", func() bool { return service.Hits.Load() > 0 })
	close(release)
	all.Wait()
	if service.Hits.Load() != 1 || cached.Load() != clients-1 {
		t.Errorf("%d questions, %d from the cache; %s joined", service.Hits.Load(), cached.Load(), s.Metric(joined))
	}
}

// TestATableWithACredentialIsNotCached: it would show one client's Token to another.
func TestATableWithACredentialIsNotCached(t *testing.T) {
	echo := strings.Replace(conceptTable, `"Desc":"`, `"Desc":"`+caddytest.Token, 1)
	if echo == conceptTable {
		t.Fatal("the table has no text")
	}
	service := newTableService(t, echo)
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "cache 5m")
	service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, echo, "answered", 1)
	service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, echo, "answered", 2)
}

// TestStrangersGetNothingOfTheIssuer: a table of the issuer's is for the credentials that
// it was given to; others are shown to the service.
func TestStrangersGetNothingOfTheIssuer(t *testing.T) {
	service := newTableService(t, ptosVenta)
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "cache 5m")
	service.ask(t, s, "FEParamGetPtosVenta", tableQuestion, ptosVenta, "answered", 1)
	service.ask(t, s, "FEParamGetPtosVenta", tableQuestion, ptosVenta, "cached", 1)
	service.ask(t, s, "FEParamGetPtosVenta", otherAuth, badCredentials, "rejected", 2)
	service.ask(t, s, "FEParamGetPtosVenta", otherAuth, badCredentials, "rejected", 3)
	service.answer.Store(conceptTable)
	service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "answered", 4)
	service.ask(t, s, "FEParamGetTiposConcepto", otherAuth, badCredentials, "rejected", 5)
	service.answer.Store("")
	service.ask(t, s, "FEParamGetTiposConcepto", otherAuth, conceptTable, "cached", 6) // everybody's
	for restarted := range 2 {
		if got := s.Post("FEParamGetPtosVenta", otherAuth); got.Status != 504 || strings.Contains(string(got.Body), "PtoVenta") {
			t.Errorf("restarted %d: a stranger got %s", restarted, got.Body)
		}
		hits := service.Hits.Load()
		service.ask(t, s, "FEParamGetPtosVenta", tableQuestion, ptosVenta, "cached", hits)
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
		s.Load(s.Config(s.WithAudit("cache 5m"), caddytest.ProxyTo(service.URL)))
	}
}

func TestChangedTableIsTold(t *testing.T) {
	service := newTableService(t, conceptTable)
	file := filepath.Join(t.TempDir(), "log")
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "cache 1ns")
	s.Load(strings.Replace(s.Config(s.WithAudit("cache 1ns"), caddytest.ProxyTo(service.URL)), "{\n", "{\n log {\n"+caddytest.LogTo(file)+" }\n", 1))
	changes := func() string { return s.Metric(`wsfev1_table_changes_total{operation="FEParamGetTiposConcepto"}`) }
	before, event := changes(), unseenCode()
	for i, answer := range []string{
		conceptTable,
		strings.Replace(conceptTable, `{"Res`, `{"Events":{"Evt":[{"Code":`+event+`,"Msg":"Mantenimiento"}]}, "Res`, 1),
		otherConcepts, otherConcepts,
	} {
		service.answer.Store(answer)
		service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, answer, "answered", int64(i+1))
	}
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(log, []byte(`announces something","code":"`+event+`"`)) != 1 {
		t.Errorf("the announcement was not told: %s", log)
	}
	if changes() == before || bytes.Count(log, []byte("changed a table")) != 1 ||
		!bytes.Contains(log, []byte(`/1","after":"record`)) || !bytes.Contains(log, []byte(`/2"`)) {
		t.Errorf("%s to %s changes: %s", before, changes(), log)
	}
}
