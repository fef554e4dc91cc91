package caddymodule_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// said is all that a record says, but for what it is found by.
func said(r *audit.Record) string {
	kept := *r
	kept.Request, kept.Answer = nil, nil
	return fmt.Sprintf("%+v %s %s", kept, r.Request, r.Answer)
}

// TestRedactedFieldIsInNoRecord, neither in bodies nor in findings, whether the request
// is right or not; clients and the service get it all the same, and logs do not.
func TestRedactedFieldIsInNoRecord(t *testing.T) {
	const doc = "30123456789" // whose check digit is wrong
	echo := strings.Replace(strings.ReplaceAll(approval, `"DocNro":0`, `"DocNro":`+doc), `"CAE"`,
		`"Observaciones":{"Obs":[{"Code":10017,"Msg":"El documento 30-12345678-9 no figura"}]},"CAE"`, 1)
	upstream := newStub(t, answering(200, echo))
	folder := t.TempDir()
	s := start(t, proxyTo(upstream.URL), redactDocNro)
	log := filepath.Join(folder, "default.log")
	configure := func(mode string) {
		s.load(strings.Replace(s.config(s.withAudit(redactDocNro, "mode "+mode), proxyTo(upstream.URL)),
			"{\n", "{\n log {\n"+logTo(log)+" level DEBUG\n }\n", 1))
	}
	right := strings.Replace(invoice(1), `"DocTipo":99,"DocNro":0`, `"DocTipo":80,"DocNro":`+doc, 1)
	in := func(from, to string) string { return strings.Replace(right, from, to, 1) }
	configure("observe")
	forwarded := s.post("FECAESolicitar", right)
	if sent, _ := upstream.last(); string(sent) != right || string(forwarded.body) != echo {
		t.Errorf("the service got %s\nthe client %s", sent, forwarded.body)
	}
	configure("enforce")
	refused := s.post("FECAESolicitar", right)
	if !strings.Contains(string(refused.body), doc) {
		t.Errorf("the client is not told its mistake: %s", refused.body)
	}
	for _, body := range []string{
		in(`"DocNro":`+doc, `"DocNro":"`+doc+`"`), in(`"DocNro"`, `"docnro"`), in(`"DocNro"`, `"\u0044ocNro"`),
		in(`"DocNro":`+doc, `"DocNro":`+doc+`,"DocNro":`+doc), in(`"DocNro":`+doc, `"DocNro":{"X":[`+doc+`]}`),
		in(`"FeCAEReq"`, `"FECAEREQ"`), in(`[{"Concepto"`, `{"Concepto"`), in(`]}]}}}`, `]}]}}`),
		`{` + authText + `,"DocNro":` + doc + `}`, `{` + authText + `,"Lista":[{"docNro":"` + doc + `"}]}`,
	} {
		s.post("FECAESolicitar", body)
	}
	records := s.records()
	if len(records) != 13 {
		t.Errorf("%d records", len(records))
	}
	for _, r := range records {
		if text := said(r); strings.Contains(text, doc) || strings.Contains(text, "30-12345678-9") {
			t.Errorf("record %d: %s", r.Index, text)
		}
	}
	if text := said(records[0]); !strings.Contains(text, `"DocNro":"hmac-sha256:`) || !strings.Contains(text, `"ImpTotal":121.00`) {
		t.Errorf("the intent has lost more or less than the field: %s", text)
	}
	if err := caddy.Stop(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(log); err != nil || len(text) == 0 || strings.Contains(string(text), doc) {
		t.Errorf("the log: %v, or it holds the field", err)
	}
}

// TestRedactedFieldOfAnotherProgramsInvoiceIsInNoRecord: an answer is lost, and what the
// service has under the number differs in the field.
func TestRedactedFieldOfAnotherProgramsInvoiceIsInNoRecord(t *testing.T) {
	const doc = "12345678"
	s := start(t, "respond 503")
	behind := freeAddress(t)
	s.load(s.config(strings.Join(append(exactly, s.withAudit(redactDocNro+" /ResultGet/DocNro")), "\n"), proxyTo(behind)) +
		fmt.Sprintf("http://%s {\n\tbind %s\n\t%s\n}\n", behind, loopback,
			withFaults(t, "fault drop {\n commit no\n operation FECAESolicitar\n after 1\n count 1\n}")))
	other := &site{t: t, url: "http://" + behind}
	taken := strings.Replace(invoice(1), `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":`+doc, 1)
	if got := other.post("FECAESolicitar", taken); got.at(t, "/FeCabResp/Resultado") != `"A"` {
		t.Fatalf("the other program: %s", got.body)
	}
	if got := s.post("FECAESolicitar", invoice(1)); !strings.Contains(string(got.body), "DocNro enviado 0, autorizado "+doc) {
		t.Errorf("the client is not told: %s", got.body)
	}
	for _, r := range s.records() {
		if text := said(r); strings.Contains(text, doc) {
			t.Errorf("record %d: %s", r.Index, text)
		}
	}
}

// TestEveryFieldThatCanBeRedactedIs: all of them at once, each with a value of its own,
// and every rule that has something to say about it.
func TestEveryFieldThatCanBeRedactedIs(t *testing.T) {
	m := &marked{t: t}
	body := "{" + authText + "," + strings.TrimPrefix(m.write(wsfev1.OperationByName("FECAESolicitar").Request, ""), "{")
	if len(m.pointers) < 39 {
		t.Fatalf("only %d pointers", len(m.pointers))
	}
	m.write(wsfev1.OperationByName("FECAESolicitar").Answer, "") // which repeats some of them
	s := start(t, withBackend(t), trailOption+"redact "+strings.Join(m.pointers, " "), "mode observe")
	for _, request := range []string{body, strings.Replace(body, `"FeDetReq"`, `"FeDetReqs"`, 1), strings.Replace(body, `"CantReg"`, `"X":1,"CantReg"`, 1)} {
		s.post("FECAESolicitar", request)
	}
	findings := 0
	for _, r := range s.records() {
		findings += len(r.Findings)
		text := said(r)
		for _, value := range m.values {
			if at := strings.Index(text, value); at >= 0 {
				t.Errorf("record %d holds %s: …%s…", r.Index, value, text[max(0, at-100):min(len(text), at+40)])
			}
		}
	}
	if findings < 30 {
		t.Errorf("only %d findings", findings)
	}
}

// marked writes a request with a value of its own for each member that can be redacted.
type marked struct {
	t                *testing.T
	pointers, values []string
}

func (m *marked) write(shape *wsfev1.Shape, way string) string {
	switch shape.Kind {
	case wsfev1.KindList:
		return "[" + m.write(shape.Item, way+"/*") + "]"
	case wsfev1.KindObject:
		var members []string
		for i := range shape.Members {
			member := &shape.Members[i]
			if member.Name != "Auth" {
				members = append(members, `"`+member.Name+`":`+m.write(member.Shape, way+"/"+member.Name))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	if provision(m.t, []byte("http://localhost:80 {\n wsfev1 {\n audit sqlite {\n redact "+way+"\n }\n }\n}\n")) != nil {
		return "1"
	}
	m.pointers = append(m.pointers, way)
	value := fmt.Sprintf("7310%03d", len(m.pointers))
	switch {
	case shape.Kind == wsfev1.KindText:
		m.values = append(m.values, value)
		return `"` + value + `"`
	case shape.Bits == 16:
		return "31" // too short to tell it from others
	}
	m.values = append(m.values, value)
	if shape.Kind == wsfev1.KindAmount {
		return value + ".25"
	}
	return value
}

// TestConfigurationTellsNoSecret: what Caddy's admin API shows and keeps for the next
// start has no key in it, wherever the key comes from.
func TestConfigurationTellsNoSecret(t *testing.T) {
	key := newKey(t, "gateway-1").Private()
	t.Setenv("FIELATO_TEST_KEY", key)
	file := filepath.Join(t.TempDir(), "log.key")
	if err := os.WriteFile(file, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	before := caddy.ConfigAutosavePath
	t.Cleanup(func() { caddy.ConfigAutosavePath = before })
	caddy.ConfigAutosavePath = filepath.Join(t.TempDir(), "autosave.json")
	for _, source := range []string{"{env.FIELATO_TEST_KEY}", "{file." + file + "}", file} {
		s := startAdministered(t, withBackend(t), nil)
		s.store += ".second" // the first one has a key already
		s.reload(withBackend(t), func(caddyfile string) string {
			return strings.Replace(caddyfile, "	persist_config off\n", "", 1)
		}, trailOption+"key "+source, redactDocNro)
		s.post("FECAESolicitar", invoice(1))
		shown := s.ask("GET", "/config/", "")
		saved, err := os.ReadFile(caddy.ConfigAutosavePath)
		if err != nil {
			t.Fatal(err)
		}
		for where, text := range map[string]string{"/config/": string(shown.body), "autosave": string(saved)} {
			if !strings.Contains(text, `"key":"`+source) || !strings.Contains(text, "DocNro") {
				t.Errorf("key %s: %s is another configuration: %s", source, where, text)
			}
			for _, secret := range []string{key, key[len(key)-20:], token, sign} {
				if strings.Contains(text, secret) {
					t.Errorf("key %s: %s tells a secret", source, where)
				}
			}
		}
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}
