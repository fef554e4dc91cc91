package caddymodule_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestWhatTheServiceHasNotShownBeforeIsTold, once, with the record that showed it and
// without credentials.
func TestWhatTheServiceHasNotShownBeforeIsTold(t *testing.T) {
	const row = `{"Id":1,"Desc":"x","FchDesde":"20100917","FchHasta":"NULL","NuevoCampo":%}`
	service := newTableService(t, `{"ResultGet":{"ConceptoTipo":[`+row+`,`+row+`]},"Events":{"Evt":[{"Code":77001,"Msg":"echo `+token+` of it"}]}}`)
	file := filepath.Join(t.TempDir(), "log")
	s := start(t, proxyTo(service.URL))
	s.load(strings.Replace(s.config(s.withAudit(), proxyTo(service.URL)), "{\n", "{\n log {\n"+logTo(file)+" }\n", 1))
	count := func(kind string) int {
		n, err := strconv.Atoi(s.metric(`wsfev1_service_notices_total{kind="` + kind + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := map[string]int{}
	for _, kind := range []string{"event", "code", "member"} {
		before[kind] = count(kind)
	}
	service.answer.Store(strings.ReplaceAll(service.answer.Load().(string), "%", "1"))
	for range 3 {
		s.post("FEParamGetTiposConcepto", tableQuestion)
	}
	service.answer.Store(`{"Errors":{"Err":[{"Code":77002,"Msg":"nuevo"},{"Code":600,"Msg":"conocido"}]}}`)
	for range 3 {
		s.post("FEParamGetTiposConcepto", tableQuestion)
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
	name := s.last().Log
	for _, want := range []string{
		`announces something","code":"77001"`, `/0"`, `"pointer":"/ResultGet/ConceptoTipo/*/NuevoCampo"`,
		`not in the catalogue","code":"77002","operation":"FEParamGetTiposConcepto","shown_by":"record ` + name + `/3"`,
	} {
		if bytes.Count(log, []byte(want)) == 0 {
			t.Errorf("%s is not told: %s", want, log)
		}
	}
	if bytes.Contains(log, []byte(token)) {
		t.Errorf("a Token is in the log: %s", log)
	}
	if bytes.Count(log, []byte("shown_by")) != 3 {
		t.Errorf("told more than once: %s", log)
	}
}
