package caddytest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"

	"github.com/fielato/fielato/internal/testrun"
)

// Site is a running Caddy with one gateway.
type Site struct {
	T       testing.TB
	URL     string
	Metrics string
	Store   string
}

// Config builds a Caddyfile: a site with the gateway's options and the handler
// that comes next, and a site with the metrics.
//
// The options that add something to a bare exchange are on only where a test is about them.
func (s *Site) Config(options, next string) string {
	for _, name := range []string{"recover", "replay", "cache", "breaker"} {
		if !strings.Contains(options, name+" ") {
			options += "\n\t\t" + name + " off"
		}
	}
	return fmt.Sprintf(`{
	admin off
	persist_config off
	grace_period 20s
	metrics
}
%s {
	bind %s
	wsfev1 {
		%s
	}
	%s
}
%s {
	bind %s
	metrics
}
`, s.URL, Loopback, options, next, s.Metrics, Loopback)
}

// TrailOption marks an option that stands in the block of audit.
const TrailOption = "trail: "

// Audit is the line with the store, and the trail's options among these.
func (s *Site) Audit(options ...string) string {
	var block []string
	for _, option := range options {
		if inner, ok := strings.CutPrefix(option, TrailOption); ok {
			block = append(block, "\t\t\t"+inner+"\n")
		}
	}
	if block == nil {
		return "audit sqlite " + s.Store
	}
	return "audit sqlite " + s.Store + " {\n" + strings.Join(block, "") + "\t\t}"
}

// WithAudit is the options of a gateway, with the options of the trail in their place.
func (s *Site) WithAudit(options ...string) string {
	outer := slices.DeleteFunc(slices.Clone(options), func(o string) bool { return strings.HasPrefix(o, TrailOption) })
	return strings.Join(append(outer, s.Audit(options...)), "\n\t\t")
}

// NewSite returns a site that does not run yet. Its configuration ends with the test.
func NewSite(t testing.TB) *Site {
	t.Helper()
	s := &Site{
		T: t, Store: filepath.Join(t.TempDir(), "audit.db"),
		URL: "http://" + FreeAddress(t), Metrics: "http://" + FreeAddress(t),
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Errorf("stopping: %v", err)
		}
	})
	return s
}

// Start runs a gateway in front of next, with a store of its own. A configuration that replaces it
// at the same address shares it for a moment: a test that is about another one starts with NewSite.
func Start(t testing.TB, next string, options ...string) *Site {
	t.Helper()
	s := NewSite(t)
	s.Load(s.Config(s.WithAudit(options...), next))
	return s
}

// WithBackend is the next handler that answers by itself.
func WithBackend(t testing.TB) string {
	return "wsfev1_backend {\n\t\tledger sqlite " + filepath.Join(t.TempDir(), "ledger.db") + "\n\t}"
}

// Load replaces the configuration of the process. The log of what it runs is shown if the test fails.
func (s *Site) Load(caddyfile string) {
	s.T.Helper()
	showLog(s.T)
	if err := LoadCaddyfile(caddyfile); err != nil {
		s.T.Fatalf("loading: %v\n%s", err, caddyfile)
	}
	s.awaitOnly()
}

// awaitOnly waits until new requests reach the configuration that was loaded last. On a busy machine
// the servers of the one before close their listeners after Caddy has returned.
func (s *Site) awaitOnly() {
	s.T.Helper()
	for _, url := range []string{s.URL, s.Metrics} {
		_, address, _ := strings.Cut(url, "://")
		address = strings.Replace(address, "localhost", Loopback, 1) // sites with a certificate have that name, and are bound here
		Eventually(s.T, "nobody else listens at "+address, func() bool { return caddy.ListenerUsage("tcp", address) < 2 && listeners(address) < 2 })
	}
}

// LoadCaddyfile replaces the configuration of the process.
func LoadCaddyfile(caddyfile string) error {
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), nil)
	if err != nil {
		return err
	}
	return caddy.Load(config, true)
}

// Loopback is an address of this process alone. Caddy shares its ports with every
// process that listens on the same address (SO_REUSEPORT): two runs of these tests
// at a time would answer each other's requests.
var Loopback = func() string {
	pid := os.Getpid()
	own := fmt.Sprintf("127.%d.%d.%d", 1+pid>>14&0x7f, pid>>7&0x7f, 1+pid&0x7f)
	l, err := net.Listen("tcp", own+":0")
	if err != nil {
		return "127.0.0.1" // a system whose loopback is one address
	}
	_ = l.Close()
	return own
}()

// FreeAddress returns an address on which nothing listens, never the same twice. Nor is its port in use at
// another address of this machine.
func FreeAddress(t testing.TB) string {
	t.Helper()
	port, err := testrun.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort(Loopback, strconv.Itoa(port))
}
