package caddymodule_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
)

const (
	token = "dG9rZW4tb2YtdGhlLXRlc3Q="
	sign  = "c2lnbi1vZi10aGUtdGVzdA=="
)

// authText is the Auth of the tests' requests.
const authText = `"Auth":{"Token":"` + token + `","Sign":"` + sign + `","Cuit":20111111112}`

// site is a running Caddy with one gateway.
type site struct {
	t       testing.TB
	url     string
	metrics string
	store   string
}

// config builds a Caddyfile: a site with the gateway's options and the handler
// that comes next, and a site with the metrics.
//
// What the gateway adds to a bare exchange is on only where a test is about it.
func (s *site) config(options, next string) string {
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
`, s.url, loopback, options, next, s.metrics, loopback)
}

// trailOption marks an option that stands in the block of audit.
const trailOption = "trail: "

// audit is the line with the store, and the trail's options among these.
func (s *site) audit(options ...string) string {
	var block []string
	for _, option := range options {
		if inner, ok := strings.CutPrefix(option, trailOption); ok {
			block = append(block, "\t\t\t"+inner+"\n")
		}
	}
	if block == nil {
		return "audit sqlite " + s.store
	}
	return "audit sqlite " + s.store + " {\n" + strings.Join(block, "") + "\t\t}"
}

// withAudit is the options of a gateway, those of the trail in their place.
func (s *site) withAudit(options ...string) string {
	outer := slices.DeleteFunc(slices.Clone(options), func(o string) bool { return strings.HasPrefix(o, trailOption) })
	return strings.Join(append(outer, s.audit(options...)), "\n\t\t")
}

// start runs a gateway in front of next, with a store of its own.
func start(t testing.TB, next string, options ...string) *site {
	t.Helper()
	s := &site{
		t: t, store: filepath.Join(t.TempDir(), "audit.db"),
		url: "http://" + freeAddress(t), metrics: "http://" + freeAddress(t),
	}
	s.load(s.config(s.withAudit(options...), next))
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Errorf("stopping: %v", err)
		}
	})
	return s
}

// withBackend is the next handler that answers by itself.
func withBackend(t testing.TB) string {
	return "wsfev1_backend {\n\t\tledger sqlite " + filepath.Join(t.TempDir(), "ledger.db") + "\n\t}"
}

func (s *site) load(caddyfile string) {
	s.t.Helper()
	showLog(s.t)
	if err := loadCaddyfile(caddyfile); err != nil {
		s.t.Fatalf("loading: %v\n%s", err, caddyfile)
	}
}

func loadCaddyfile(caddyfile string) error {
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), nil)
	if err != nil {
		return err
	}
	return caddy.Load(config, true)
}

// loopback is an address of this process alone. Caddy shares its ports with every
// process that listens on the same address (SO_REUSEPORT): two runs of these tests
// at a time would answer each other's requests.
var loopback = func() string {
	pid := os.Getpid()
	own := fmt.Sprintf("127.%d.%d.%d", 1+pid>>14&0x7f, pid>>7&0x7f, 1+pid&0x7f)
	l, err := net.Listen("tcp", own+":0")
	if err != nil {
		return "127.0.0.1" // a system whose loopback is one address
	}
	_ = l.Close()
	return own
}()

// freeAddress returns an address on which nothing listens, never the same twice:
// the system may give a port again as soon as it is free.
func freeAddress(t testing.TB) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp", loopback+":0")
		if err != nil {
			t.Fatal(err)
		}
		address := l.Addr().String()
		l.Close()
		if _, taken := givenAddresses.LoadOrStore(address, true); !taken {
			return address
		}
	}
}

// givenAddresses are those that freeAddress has returned.
var givenAddresses sync.Map
