package caddymodule_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/audittest"
	_ "github.com/fielato/fielato/caddymodule"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

// runTests runs the tests of a package, or the part that the process has in them, and
// ends the process. It looks for goroutines that were left.
func runTests(m *testing.M) {
	if playRole() {
		return
	}
	// Caddy's own files stay out of the home folder.
	home, err := os.MkdirTemp("", "fielato")
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("XDG_DATA_HOME", home)
	_ = os.Setenv("XDG_CONFIG_HOME", home)
	unsink, err := sinkLogs()
	if err != nil {
		panic(err)
	}
	// certmagic's lock on its own storage is let go of a few seconds after it was given back.
	locks := goleak.IgnoreAnyFunction("github.com/caddyserver/certmagic.keepLockfileFresh")
	testrun.Main(m, func() {
		postgrestest.StopShared()
		_ = os.RemoveAll(home)
		unsink()
	}, locks)
}

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

// response is an answer that was read whole.
type response struct {
	status int
	header http.Header
	body   []byte
}

func (s *site) post(operation, body string) response {
	s.t.Helper()
	return s.do(s.request(context.Background(), operation, body))
}

func (s *site) request(ctx context.Context, operation, body string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/wsfev1/"+operation, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

// client opens a connection for each request, so that no test depends on how an
// idle one ends.
var client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}

func (s *site) do(r *http.Request) response {
	s.t.Helper()
	got, err := try(r)
	// While it replaces a configuration, Caddy closes the old listener with the
	// connections that wait there: they were not read and are opened again.
	for range 5 {
		if err == nil || r.Body != nil && r.GetBody == nil || r.Context().Err() != nil {
			break
		}
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				break
			}
		}
		got, err = try(r)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// try sends a request; the error is that of the connection.
func try(r *http.Request) (response, error) { return tryWith(client, r) }

func tryWith(client *http.Client, r *http.Request) (response, error) {
	resp, err := client.Do(r)
	if err != nil {
		return response{}, err
	}
	return readAll(resp)
}

// readAll reads an answer to its end.
func readAll(resp *http.Response) (response, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return response{resp.StatusCode, resp.Header, body}, err
}

// codes returns the codes of an error body.
func (r response) codes(t testing.TB) []string {
	t.Helper()
	var body struct {
		Errors struct{ Err []struct{ Code, Msg string } }
	}
	if err := json.Unmarshal(r.body, &body, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("not an error body: %v: %s", err, r.body)
	}
	var codes []string
	for _, e := range body.Errors.Err {
		if e.Msg == "" {
			t.Errorf("code %s has no Msg", e.Code)
		}
		codes = append(codes, e.Code)
	}
	return codes
}

// at returns the member at a JSON pointer, as JSON.
func (r response) at(t testing.TB, pointer string) string {
	t.Helper()
	value := jsontext.Value(r.body)
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if value.Kind() == '[' {
			var list []jsontext.Value
			var i int
			if err := json.Unmarshal(value, &list); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(list) {
				return ""
			}
			value = list[i]
			continue
		}
		var object map[string]jsontext.Value
		if err := json.Unmarshal(value, &object); err != nil {
			t.Fatalf("%s: %v: %s", pointer, err, r.body)
		}
		value = object[step]
	}
	return string(value)
}

// records returns everything in the store, oldest first. It opens the store anew,
// as an operator would beside the running gateway.
func (s *site) records() []*audit.Record { return readStore(s.t, s.store) }

func readStore(t testing.TB, path string) []*audit.Record {
	t.Helper()
	store, name := openStore(t, path)
	defer store.Close()
	records := readFrom(t, store, name, 0)
	verifier, err := store.Secret(t.Context(), "verifier-key", func() ([]byte, error) { return nil, io.EOF })
	if err != nil {
		t.Fatal(err)
	}
	audittest.VerifyWith(t, store, name, string(verifier))
	return records
}

// last returns the newest record.
func (s *site) last() *audit.Record {
	s.t.Helper()
	all := s.records()
	if len(all) == 0 {
		s.t.Fatal("the trail is empty")
	}
	return all[len(all)-1]
}

// metric returns the value of a series as /metrics prints it, no text if it is
// not there.
func (s *site) metric(series string) string {
	s.t.Helper()
	body := s.scrape()
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
