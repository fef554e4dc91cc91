package gateway_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// unseen counts the codes that were given out: a process tells of each code only once.
var unseen atomic.Int32

// unseenCode returns a code that no catalogue has, and that no test has shown yet.
func unseenCode() string { return strconv.Itoa(77000 + int(unseen.Add(1))) }

// TestWhatTheServiceHasNotShownBeforeIsTold, once, with the record that showed it and
// without credentials.
func TestWhatTheServiceHasNotShownBeforeIsTold(t *testing.T) {
	event, code := unseenCode(), unseenCode()
	member := "Nuevo" + event
	row := `{"Id":1,"Desc":"x","FchDesde":"20100917","FchHasta":"NULL","` + member + `":1}`
	service := newTableService(t, `{"ResultGet":{"ConceptoTipo":[`+row+`,`+row+`]},"Events":{"Evt":[{"Code":`+event+`,"Msg":"echo `+caddytest.Token+` of it"}]}}`)
	file := filepath.Join(t.TempDir(), "log")
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "cache 1ns")
	s.Load(strings.Replace(s.Config(s.WithAudit("cache 1ns"), caddytest.ProxyTo(service.URL)), "{\n", "{\n log {\n"+caddytest.LogTo(file)+" }\n", 1))
	count := func(kind string) int {
		n, err := strconv.Atoi(s.Metric(`wsfev1_service_notices_total{kind="` + kind + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := map[string]int{}
	for _, kind := range []string{"event", "code", "member"} {
		before[kind] = count(kind)
	}
	for range 3 {
		s.Post("FEParamGetTiposConcepto", tableQuestion)
	}
	service.answer.Store(`{"Errors":{"Err":[{"Code":` + code + `,"Msg":"nuevo"},{"Code":600,"Msg":"conocido"}]}}`)
	for range 3 {
		s.Post("FEParamGetTiposConcepto", tableQuestion)
	}
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for kind, n := range before {
		if got := count(kind) - n; got != 1 {
			t.Errorf("%s: counted %d times", kind, got)
		}
	}
	name := s.Last().Log
	for _, want := range []string{
		`announces something","code":"` + event + `"`, `/0"`, `"pointer":"/ResultGet/ConceptoTipo/*/` + member + `"`,
		`not in the catalogue","code":"` + code + `","operation":"FEParamGetTiposConcepto","shown_by":"record ` + name + `/3"`,
	} {
		if bytes.Count(log, []byte(want)) == 0 {
			t.Errorf("%s is not told: %s", want, log)
		}
	}
	if bytes.Contains(log, []byte(caddytest.Token)) {
		t.Errorf("a Token is in the log: %s", log)
	}
	if bytes.Count(log, []byte("shown_by")) != 3 {
		t.Errorf("told more than once: %s", log)
	}
}
