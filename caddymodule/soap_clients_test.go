package caddymodule_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// soapClient is a program that people use with the real service, as it is. A script of ours drives
// it through its own interface.
type soapClient struct {
	name    string
	version string // of SOAP
	script  string
	// builtIn: the authority's addresses are in the program, and it cannot be given others.
	builtIn bool
	// alone: it has no way to issue several invoices with one request.
	alone bool
	// strict: it refuses an answer whose members are in another order. It tries every operation.
	strict bool
	// more are its steps beyond the steps of all clients, issues how many of these issue an invoice.
	more   []string
	issues int
}

// soapClients begin with those that the short form runs.
var soapClients = []soapClient{
	{name: "php", version: "1.1", script: "soap-client.php", more: []string{"blank", "digits", "digits found"}, issues: 2},
	{name: "zeep", version: "1.2", script: "zeep_client.py", strict: true, more: []string{"blank"}, issues: 1},
	{name: "php", version: "1.2", script: "soap-client.php", more: []string{"blank", "digits", "digits found"}, issues: 2},
	{name: "zeep", version: "1.1", script: "zeep_client.py", strict: true, more: []string{"blank"}, issues: 1},
	{name: "node-soap", version: "1.1", script: "node-soap.js"},
	{name: "node-soap", version: "1.2", script: "node-soap.js"},
	{name: "afip-apis", version: "1.2", script: "afip-apis.js"},
	{name: "facturajs", version: "1.1", script: "facturajs.js", builtIn: true, more: []string{"merged"}},
	{name: "arcasdk", version: "1.1", script: "arcasdk.js", builtIn: true, alone: true},
	{name: "arcasdk", version: "1.2", script: "arcasdk.js", builtIn: true, alone: true},
}

func (c *soapClient) String() string { return c.name + " " + c.version }

// soapIssuer is one for whom a client works.
type soapIssuer struct {
	Cuit        wsfev1.CUIT `json:"cuit"`
	Certificate string      `json:"certificate"`
	Key         string      `json:"key"`
	// Lost is the number of an invoice that the service issues, and of which the gateway cannot find
	// out at once. It is 0 for an issuer of whom all goes well.
	Lost int `json:"lost"`
}

// soapTask is what a script is given.
type soapTask struct {
	Version string       `json:"version"`
	Service string       `json:"service"`
	Login   string       `json:"login"`
	Folder  string       `json:"folder"` // for files of the client's own
	Date    string       `json:"date"`
	Period  int          `json:"period"`
	Order   int          `json:"order"`
	Issuers []soapIssuer `json:"issuers"`
}

// soapStep is what a client saw of one thing that it did.
type soapStep struct {
	Cuit    wsfev1.CUIT   `json:"cuit"`
	Step    string        `json:"step"`
	Result  string        `json:"result"`
	CAEs    []string      `json:"caes"`
	Codes   []int         `json:"codes"`
	Number  int           `json:"number"`
	Servers []string      `json:"servers"`
	Total   wsfev1.Amount `json:"total"`
	CAEA    string        `json:"caea"`
	Fault   string        `json:"fault"`
}

// TestUnmodifiedClientsOfSOAP: programs that people use with the real service log in, issue, ask
// and are refused through the gateway as there. Once all goes well, and once answers are lost after
// the service has issued: the client gets its CAE nevertheless, or finds it when it asks. Nothing
// is issued twice.
func TestUnmodifiedClientsOfSOAP(t *testing.T) {
	t.Parallel()
	place := newSOAPPlace(t)
	var mu sync.Mutex
	lived := map[*soapClient][]soapStep{}
	t.Run("day", func(t *testing.T) {
		t.Run("page", place.wantThePage)
		for i := range testrun.Some(t, 2, soapClients) {
			c := &soapClients[i]
			t.Run(c.String(), func(t *testing.T) {
				t.Parallel()
				steps := place.run(t, c)
				c.wantDay(t, steps, place.task(c).Issuers)
				mu.Lock()
				defer mu.Unlock()
				lived[c] = steps
			})
		}
	})
	place.gateway.End()
	if t.Failed() {
		t.Logf("the gateway:\n%s", &place.gateway.Stderr)
	}
	records := place.site.Records()
	for c, steps := range lived {
		c.wantTrail(t, steps, records, place.task(c).Issuers)
	}
	place.wantSoundTrail(t)
}

// run lets the client live its day, and returns what it saw.
func (p *soapPlace) run(t *testing.T, c *soapClient) (steps []soapStep) {
	t.Helper()
	command := p.command(t, c)
	task := p.task(c)
	task.Folder = t.TempDir()
	text, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(task.Folder, "task.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], file)...)
	// Nothing else of the environment: a proxy or an authority of the machine's is not meant.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + task.Folder, "TMPDIR=" + task.Folder, "LANG=C.UTF-8"}
	if c.builtIn {
		cmd.Env = append(cmd.Env, "NODE_EXTRA_CA_CERTS="+p.names.authority)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	t.Logf("%s\n%s", out, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var step soapStep
		if err := json.Unmarshal(lines.Bytes(), &step); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		steps = append(steps, step)
	}
	return steps
}

// TestThePageHasTheVersionsOfTheClients that are tested.
func TestThePageHasTheVersionsOfTheClients(t *testing.T) {
	t.Parallel()
	var packages struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	text, err := os.ReadFile(filepath.Join("testdata", "soap", "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &packages)
	}
	if err != nil {
		t.Fatal(err)
	}
	delete(packages.Dependencies, "node-forge") // a script signs with it
	page, err := os.ReadFile(filepath.Join(caddytest.Root(t), "docs", "soap.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, version := range packages.Dependencies {
		if !regexp.MustCompile(`(?m)^\| \[` + regexp.QuoteMeta(name) + `\].*\| ` + regexp.QuoteMeta(version) + ` \|`).Match(page) {
			t.Errorf("docs/soap.md does not have %s %s", name, version)
		}
	}
}

// missing ends a test for which something is not installed: with CI set it has failed.
func missing(t *testing.T, what string, err error, out ...byte) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s: %v\n%s", what, err, out)
	}
	t.Skipf("%s: %v\n%s", what, err, strings.TrimSpace(string(out)))
}
