package caddymodule_test

import (
	"crypto/tls"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsfev1"
)

// soapPlace is where the clients work: a gateway in a process of its own, with the built-in service
// and its login.
type soapPlace struct {
	site     *caddytest.Site
	gateway  *caddytest.ServiceProcess
	tasks    map[*soapClient]soapTask
	names    *authorityNames // leads programs here that have the authority's addresses built in
	noNames  error
	packages func() (folder string, out []byte, err error) // from npm, installed once
}

func newSOAPPlace(t *testing.T) *soapPlace {
	t.Helper()
	folder := t.TempDir()
	p := &soapPlace{
		site:  &caddytest.Site{T: t, Store: filepath.Join(folder, "audit.db"), URL: "http://" + caddytest.FreeAddress(t)},
		tasks: map[*soapClient]soapTask{},
	}
	p.names, p.noNames = newAuthorityNames(t)
	var faults strings.Builder
	for i := range soapClients {
		c := &soapClients[i]
		task := p.newTask(t, c, i)
		p.tasks[c] = task
		faults.WriteString(c.faults(task.Issuers[1]))
	}
	p.gateway = caddytest.StartReady(t, p.caddyfile(folder, faults.String()))
	p.packages = onceInstalled(t)
	return p
}

// task is what a client is given: an issuer of whom all goes well, and one whose answers are lost.
func (p *soapPlace) task(c *soapClient) soapTask { return p.tasks[c] }

func (p *soapPlace) newTask(t *testing.T, c *soapClient, position int) soapTask {
	t.Helper()
	today := time.Now().In(time.FixedZone("", -3*60*60))
	order := 1
	if today.Day() > 15 {
		order = 2
	}
	task := soapTask{
		Version: c.version, Service: p.site.URL + "/wsfev1/service.asmx", Login: p.site.URL + "/ws/services/LoginCms",
		Date: today.Format("20060102"), Period: today.Year()*100 + int(today.Month()), Order: order,
	}
	// Issuers of caddytest have two series each.
	task.Issuers = []soapIssuer{newSOAPIssuer(t, caddytest.IssuerOf(4*position)), newSOAPIssuer(t, caddytest.IssuerOf(4*position+2))}
	task.Issuers[1].Lost = 5 + c.issues
	return task
}

// newSOAPIssuer makes the certificate with which the client of an issuer logs in.
func newSOAPIssuer(t *testing.T, cuit wsfev1.CUIT) soapIssuer {
	t.Helper()
	now := time.Now()
	client := wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject(fmt.Sprint(cuit), "prueba"), From: now.Add(-time.Hour), Until: now.Add(time.Hour)})
	certified := caddytest.Certified{Pair: tls.Certificate{Certificate: [][]byte{client.Certificate.Raw}, PrivateKey: client.Key}}
	certificate, key := certified.Files(t)
	return soapIssuer{Cuit: cuit, Certificate: certificate, Key: key}
}

// faults returns the faults for an issuer whose answers are lost. The service has issued before each: an
// invoice, a lot, an advance code; and an invoice whose fate the gateway cannot find out at once.
func (c *soapClient) faults(issuer soapIssuer) string {
	var text strings.Builder
	for _, fault := range []struct {
		kind, operation string
		number          int
	}{
		{"drop", "FECAESolicitar", 1},
		{"drop", "FECAESolicitar", 2},
		{"drop", "FECAEASolicitar", 0},
		{"drop", "FECAEARegInformativo", 0},
		{"drop", "FECAEASinMovimientoInformar", 0},
		{"not_json", "FECAESolicitar", issuer.Lost},
		{"not_json", "FECompConsultar", issuer.Lost},
	} {
		number := ""
		if fault.number > 0 {
			number = fmt.Sprintf("nro %d", fault.number)
		}
		fmt.Fprintf(&text, "\t\tfault %s {\n\t\t\toperation %s\n\t\t\tcuit %d\n\t\t\t%s\n\t\t\tcount 1\n\t\t}\n", fault.kind, fault.operation, issuer.Cuit, number)
	}
	return text.String()
}

// caddyfile has one gateway at two addresses. The breaker is off: the clients work at the same time,
// and all of them lose answers.
func (p *soapPlace) caddyfile(folder, faults string) string {
	text := fmt.Sprintf(`{
	admin off
	persist_config off
	auto_https disable_redirects
	log {
		level WARN
	}
}
(gateway) {
	bind %s
	wsfev1_wsaa {
		key %s
	}
	wsfev1 {
		audit sqlite %s
		recover within 10s
		breaker off
	}
	wsfev1_backend {
		ledger sqlite %s
		tickets strict
%s	}
}
%s {
	import gateway
}
`, caddytest.Loopback, filepath.Join(folder, "login.key"), p.site.Store, filepath.Join(folder, "ledger.db"), faults, p.site.URL)
	if p.names != nil {
		text += p.names.site("import gateway")
	}
	return text
}

// command is what runs the script of a client; the file with its task follows. It ends the test
// where the client cannot be had.
func (p *soapPlace) command(t *testing.T, c *soapClient) (command []string) {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("testdata", "soap"))
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(c.script) {
	case ".js":
		installed, out, err := p.packages()
		if err != nil {
			missing(t, "npm ci", err, out...)
		}
		command = []string{"node", filepath.Join(installed, c.script)}
	case ".py":
		command = []string{pythonWith(t, "zeep"), "-B", filepath.Join(folder, c.script)}
	case ".php":
		if out, err := exec.CommandContext(t.Context(), "php", "-r", "new SoapClient(null, ['uri' => 'u', 'location' => 'l']); new SimpleXMLElement('<a/>');").CombinedOutput(); err != nil {
			missing(t, "php with soap and xml", err, out...)
		}
		command = []string{"php", filepath.Join(folder, c.script)}
	}
	if !c.builtIn {
		return command
	}
	if p.noNames != nil {
		missing(t, "the authority's addresses", p.noNames)
	}
	return p.names.command(command)
}

// pythonWith returns the Python that has a module. The system's own has the modules of its
// packages, and another one may stand before it on the PATH.
func pythonWith(t *testing.T, module string) string {
	t.Helper()
	look := "import importlib.util, sys; sys.exit(importlib.util.find_spec('" + module + "') is None)"
	var out []byte
	var err error
	for _, program := range []string{"/usr/bin/python3", "python3"} {
		if out, err = exec.CommandContext(t.Context(), program, "-c", look).CombinedOutput(); err == nil {
			return program
		}
	}
	missing(t, "python3 with "+module, err, out...)
	return ""
}

// onceInstalled installs the packages of npm with their scripts in a folder, when that is first
// asked for. It needs npm with a registry or its cache.
func onceInstalled(t *testing.T) func() (string, []byte, error) {
	t.Helper()
	folder := t.TempDir()
	var once sync.Once
	var out []byte
	var err error
	return func() (string, []byte, error) {
		once.Do(func() {
			if err = os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "soap"))); err != nil {
				return
			}
			cmd := exec.CommandContext(t.Context(), "npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")
			cmd.Dir = folder
			out, err = cmd.CombinedOutput()
		})
		return folder, out, err
	}
}
