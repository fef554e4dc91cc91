package caddymodule_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const caeOf = "/FeDetResp/FECAEDetResponse/0/CAE"

// scene is a gateway in a process of its own with a service behind it, and what its clients know.
type scene struct {
	*caddytest.Site
	kept    kept
	folder  string // of the gateway's files
	vault   string // the folder elsewhere, with backups and copies of keys
	options []string
	next    string
	service *caddytest.Site
	gateway *caddytest.ServiceProcess
	codes   []string // the CAEs of the invoices 1, 2 …
	text    string   // the section of a page that is followed
	steps   []string
	began   time.Time
	took    time.Duration
}

// newScene starts the service, and a gateway that has issued two invoices.
func newScene(t *testing.T, kind string) *scene {
	t.Helper()
	address := caddytest.FreeAddress(t)
	caddytest.StartReady(t, caddytest.ServiceConfig(address, filepath.Join(t.TempDir(), "ledger.db")))
	s := &scene{
		Site:    &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t)},
		folder:  filepath.Join(t.TempDir(), "fielato"),
		vault:   t.TempDir(),
		options: []string{"recover within 20s", "replay on", "breaker 5", "cache 5m"},
		next:    caddytest.ProxyTo("http://" + address),
		service: &caddytest.Site{T: t, URL: "http://" + address},
	}
	s.no(os.Mkdir(s.folder, 0o700))
	s.kept = newKept(s, kind)
	s.start()
	s.issue(2)
	s.keepKey()
	return s
}

func (s *scene) no(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// run starts the gateway's process.
func (s *scene) run() {
	s.T.Helper()
	config := s.Config(strings.Join(append(slices.Clone(s.options), s.kept.audit()), "\n\t\t"), s.next)
	s.gateway = caddytest.StartCaddy(s.T, config, "XDG_DATA_HOME="+filepath.Join(s.folder, "xdg"),
		"FIELATO_TEST_DSN="+strings.TrimPrefix(s.kept.address(), "postgres:"))
}

// start starts the gateway, which must answer.
func (s *scene) start() {
	s.T.Helper()
	s.run()
	if _, err := s.gateway.Ready(); err != nil {
		s.gateway.Kill()
		s.T.Fatalf("the gateway: %v\n%s", err, &s.gateway.Stderr)
	}
}

func (s *scene) stop() { s.gateway.End() }

// disaster is the moment from which a drill is measured.
func (s *scene) disaster() { s.began = time.Now() }

// refuses starts the gateway, which must end and say each of these.
func (s *scene) refuses(says ...string) {
	s.T.Helper()
	s.run()
	if _, err := s.gateway.Ready(); err == nil {
		s.gateway.End()
		s.T.Fatalf("the gateway runs, and should say %q", says)
	}
	s.gateway.End()
	log := s.gateway.Stderr.String()
	for _, text := range says {
		if !strings.Contains(log, text) {
			s.T.Errorf("the gateway does not say %q:\n%s", text, log)
		}
	}
}

// follow opens a section of a page, whose steps come next.
func (s *scene) follow(page, heading string) {
	s.T.Helper()
	all, err := os.ReadFile("../docs/" + page)
	s.no(err)
	begin := regexp.MustCompile(`(?m)^(#+) ` + regexp.QuoteMeta(heading) + `\n`).FindSubmatchIndex(all)
	if begin == nil {
		s.T.Fatalf("%s has no section %q", page, heading)
	}
	text, level := string(all[begin[1]:]), begin[3]-begin[2]
	if end := regexp.MustCompile(fmt.Sprintf(`(?m)^#{1,%d} `, level)).FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	s.text = text
}

// step is one that the section has in these words.
func (s *scene) step(words, short string, do func()) {
	s.T.Helper()
	if !strings.Contains(s.text, words) {
		s.T.Errorf("the page does not say %q:\n%s", words, s.text)
	}
	s.steps = append(s.steps, short)
	do()
}

var quoted = regexp.MustCompile(`"[^"]*"|\S+`)

// command runs the command that the section has, with the store of this gateway and with more
// arguments, and returns what it prints.
func (s *scene) command(name string, more ...string) (string, error) {
	s.T.Helper()
	found := regexp.MustCompile("(?:fielato wsfev1 )?(audit " + name + "[^`\n]*)").FindStringSubmatch(s.text)
	if found == nil {
		s.T.Fatalf("the section has no command %s:\n%s", name, s.text)
	}
	var words []string
	for _, word := range quoted.FindAllString(found[1], -1) {
		word = strings.Trim(word, `"`)
		switch word {
		case "sqlite:/var/lib/fielato/audit.db", "postgres:DSN":
			word = s.kept.address()
		case "/backup/audit-20261120T031500Z.db":
			word = s.newestBackup()
		case "/backup":
			word = s.vault
		}
		words = append(words, word)
	}
	if !slices.Contains(words, "--store") {
		words = append(words, "--store", s.kept.address())
	}
	out, errs, err := caddytest.RunCommand(append(words, more...)...)
	return out + errs, err
}

// must is command, without an error.
func (s *scene) must(name string, more ...string) string {
	s.T.Helper()
	said, err := s.command(name, more...)
	if err != nil {
		s.T.Fatalf("%s: %v\n%s", name, err, said)
	}
	return said
}

// newestBackup is the file of the newest backup in the vault.
func (s *scene) newestBackup() string {
	s.T.Helper()
	files, err := filepath.Glob(filepath.Join(s.vault, "audit-*.db"))
	if s.no(err); len(files) == 0 {
		s.T.Fatal("there is no backup")
	}
	return slices.Max(files)
}

// body is what a client sends to issue an invoice.
func (s *scene) body(number int) string { return caddytest.Invoice(number) }

// issue issues so many invoices more.
func (s *scene) issue(n int) {
	s.T.Helper()
	for range n {
		got := s.Post("FECAESolicitar", s.body(len(s.codes)+1))
		if got.Status != http.StatusOK || got.Header.Get("Wsfev1-Outcome") != "approved" {
			s.T.Fatalf("invoice %d: %d %v %s", len(s.codes)+1, got.Status, got.Header, got.Body)
		}
		s.codes = append(s.codes, got.At(s.T, caeOf))
	}
}

// turnedAway posts a new invoice, which must be refused with this code before anything is sent.
func (s *scene) turnedAway(code string) {
	s.T.Helper()
	got := s.Post("FECAESolicitar", s.body(len(s.codes)+1))
	if got.Status != http.StatusServiceUnavailable || got.Codes(s.T)[0] != code {
		s.T.Errorf("during the disaster: %d %s, want %s", got.Status, got.Body, code)
	}
}

// good ends a drill: a new invoice is issued, and after it those from before get their codes.
// Then the gateway stops, and the trail verifies.
func (s *scene) good() {
	s.T.Helper()
	number := len(s.codes) + 1
	var got caddytest.Response
	caddytest.Within(s.T, 2*time.Minute, "a new invoice", func() bool {
		got = s.Post("FECAESolicitar", s.body(number))
		return got.Status != http.StatusServiceUnavailable // its client sends it again
	})
	s.took = time.Since(s.began)
	if got.Status != http.StatusOK || got.Header.Get("Wsfev1-Outcome") != "approved" {
		s.T.Fatalf("the new invoice: %d %v %s", got.Status, got.Header, got.Body)
	}
	s.codes = append(s.codes, got.At(s.T, caeOf))
	for i, code := range s.codes {
		got := s.Post("FECAESolicitar", s.body(i+1))
		if outcome := got.Header.Get("Wsfev1-Outcome"); got.At(s.T, caeOf) != code || outcome != "replayed" && outcome != "recovered" {
			s.T.Errorf("invoice %d again: %d %v %s, want %s", i+1, got.Status, got.Header, got.Body, code)
		}
	}
	s.issuedOnce()
	s.stop()
	if out, errs, err := caddytest.AuditCommand("verify", "--store", s.kept.address()); err != nil {
		s.T.Errorf("the trail: %v\n%s%s", err, out, errs)
	}
	s.T.Logf("%.1f s: %s", s.took.Seconds(), strings.Join(s.steps, " → "))
}

// issuedOnce asks the service itself: it has the invoices that clients know, and no others.
func (s *scene) issuedOnce() {
	s.T.Helper()
	last := s.service.Post("FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`)
	if got := last.At(s.T, "/CbteNro"); got != fmt.Sprint(len(s.codes)) {
		s.T.Errorf("the service has issued %s invoices, want %d", got, len(s.codes))
	}
	for i, code := range s.codes {
		got := s.service.Post("FECompConsultar", fmt.Sprintf(`{%s,"FeCompConsReq":{"PtoVta":1,"CbteTipo":6,"CbteNro":%d}}`, caddytest.AuthText, i+1))
		if cae := got.At(s.T, "/ResultGet/CodAutorizacion"); cae != code {
			s.T.Errorf("invoice %d has %s at the service, and %s at its client", i+1, cae, code)
		}
	}
}
