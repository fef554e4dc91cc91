package trail_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
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
	echo := strings.Replace(strings.ReplaceAll(caddytest.Approval, `"DocNro":0`, `"DocNro":`+doc), `"CAE"`,
		`"Observaciones":{"Obs":[{"Code":10017,"Msg":"El documento 30-12345678-9 no figura"}]},"CAE"`, 1)
	upstream := caddytest.NewStub(t, caddytest.Answering(200, echo))
	folder := t.TempDir()
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), caddytest.RedactDocNro)
	log := filepath.Join(folder, "default.log")
	configure := func(mode string) {
		s.Load(strings.Replace(s.Config(s.WithAudit(caddytest.RedactDocNro, "mode "+mode), caddytest.ProxyTo(upstream.URL)),
			"{\n", "{\n log {\n"+caddytest.LogTo(log)+" level DEBUG\n }\n", 1))
	}
	right := strings.Replace(caddytest.Invoice(1), `"DocTipo":99,"DocNro":0`, `"DocTipo":80,"DocNro":`+doc, 1)
	in := func(from, to string) string { return strings.Replace(right, from, to, 1) }
	configure("observe")
	forwarded := s.Post("FECAESolicitar", right)
	if sent, _ := upstream.Last(); string(sent) != right || string(forwarded.Body) != echo {
		t.Errorf("the service got %s\nthe client %s", sent, forwarded.Body)
	}
	configure("enforce")
	refused := s.Post("FECAESolicitar", right)
	if !strings.Contains(string(refused.Body), doc) {
		t.Errorf("the client is not told its mistake: %s", refused.Body)
	}
	for _, body := range []string{
		in(`"DocNro":`+doc, `"DocNro":"`+doc+`"`), in(`"DocNro"`, `"docnro"`), in(`"DocNro"`, `"\u0044ocNro"`),
		in(`"DocNro":`+doc, `"DocNro":`+doc+`,"DocNro":`+doc), in(`"DocNro":`+doc, `"DocNro":{"X":[`+doc+`]}`),
		in(`"FeCAEReq"`, `"FECAEREQ"`), in(`[{"Concepto"`, `{"Concepto"`), in(`]}]}}}`, `]}]}}`),
		`{` + caddytest.AuthText + `,"DocNro":` + doc + `}`, `{` + caddytest.AuthText + `,"Lista":[{"docNro":"` + doc + `"}]}`,
	} {
		s.Post("FECAESolicitar", body)
	}
	records := s.Records()
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

// TestRedactedFieldOfAnotherProgramsInvoiceIsInNoRecord: an answer is lost, and the invoice that
// the service has under the number differs in the field.
func TestRedactedFieldOfAnotherProgramsInvoiceIsInNoRecord(t *testing.T) {
	const doc = "12345678"
	s := caddytest.NewSite(t)
	behind := caddytest.FreeAddress(t)
	s.Load(s.Config(strings.Join(append(caddytest.Exactly, s.WithAudit(caddytest.RedactDocNro+" /ResultGet/DocNro")), "\n"), caddytest.ProxyTo(behind)) +
		fmt.Sprintf("http://%s {\n\tbind %s\n\t%s\n}\n", behind, caddytest.Loopback,
			caddytest.WithFaults(t, "fault drop {\n commit no\n operation FECAESolicitar\n after 1\n count 1\n}")))
	other := &caddytest.Site{T: t, URL: "http://" + behind}
	taken := strings.Replace(caddytest.Invoice(1), `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":`+doc, 1)
	if got := other.Post("FECAESolicitar", taken); got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Fatalf("the other program: %s", got.Body)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); !strings.Contains(string(got.Body), "DocNro enviado 0, autorizado "+doc) {
		t.Errorf("the client is not told: %s", got.Body)
	}
	for _, r := range s.Records() {
		if text := said(r); strings.Contains(text, doc) {
			t.Errorf("record %d: %s", r.Index, text)
		}
	}
}

// TestEveryFieldThatCanBeRedactedIs: all of them at once, each with a value of its own,
// and every rule that has something to say about it.
func TestEveryFieldThatCanBeRedactedIs(t *testing.T) {
	m := &marked{t: t}
	body := "{" + caddytest.AuthText + "," + strings.TrimPrefix(m.write(wsfev1.OperationByName("FECAESolicitar").Request, ""), "{")
	if len(m.pointers) < 39 {
		t.Fatalf("only %d pointers", len(m.pointers))
	}
	m.write(wsfev1.OperationByName("FECAESolicitar").Answer, "") // which repeats some of them
	s := caddytest.Start(t, caddytest.WithBackend(t), caddytest.TrailOption+"redact "+strings.Join(m.pointers, " "), "mode observe")
	for _, request := range []string{body, strings.Replace(body, `"FeDetReq"`, `"FeDetReqs"`, 1), strings.Replace(body, `"CantReg"`, `"X":1,"CantReg"`, 1)} {
		s.Post("FECAESolicitar", request)
	}
	findings := 0
	for _, r := range s.Records() {
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
	if caddytest.Provision(m.t, []byte("http://localhost:80 {\n wsfev1 {\n audit sqlite {\n redact "+way+"\n }\n }\n respond ok\n}\n")) != nil {
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
	key := caddytest.NewKey(t, "gateway-1").Private()
	t.Setenv("FIELATO_TEST_KEY", key)
	file := filepath.Join(t.TempDir(), "log.key")
	if err := os.WriteFile(file, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	before := caddy.ConfigAutosavePath
	t.Cleanup(func() { caddy.ConfigAutosavePath = before })
	caddy.ConfigAutosavePath = filepath.Join(t.TempDir(), "autosave.json")
	for _, source := range []string{"{env.FIELATO_TEST_KEY}", "{file." + file + "}", file} {
		s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil)
		s.Store += ".second" // the first one has a key already
		s.Reload(caddytest.WithBackend(t), func(caddyfile string) string {
			return strings.Replace(caddyfile, "	persist_config off\n", "", 1)
		}, caddytest.TrailOption+"key "+source, caddytest.RedactDocNro)
		s.Post("FECAESolicitar", caddytest.Invoice(1))
		shown := s.Ask("GET", "/config/", "")
		saved, err := os.ReadFile(caddy.ConfigAutosavePath)
		if err != nil {
			t.Fatal(err)
		}
		for where, text := range map[string]string{"/config/": string(shown.Body), "autosave": string(saved)} {
			if !strings.Contains(text, `"key":"`+source) || !strings.Contains(text, "DocNro") {
				t.Errorf("key %s: %s is another configuration: %s", source, where, text)
			}
			for _, secret := range []string{key, key[len(key)-20:], caddytest.Token, caddytest.Sign} {
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
