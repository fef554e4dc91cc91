package caddymodule_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// hashOfExampleOnly is the bcrypt hash of "example-only", of a low cost.
const hashOfExampleOnly = "$2a$04$5fw81mL/1IchsnMN4rWMpOab0p5w5b0vrSJ7ymsjhbrYvYmzFFQKe"

// recipe is a Caddyfile of docs/recipes.md that runs.
type recipe struct {
	*caddytest.Site
	folder string
	client *http.Client
	// service is what stands for the real one: wsfev1_backend, or with inner something
	// that the test has started itself.
	service string
	inner   bool
	// admin is where the admin API is; nowhere if it is empty.
	admin string
}

// prepareRecipe is everything that a recipe runs on: a folder, a service, addresses.
func prepareRecipe(t *testing.T) *recipe {
	t.Helper()
	r := &recipe{
		Site:   &caddytest.Site{T: t, URL: "https://localhost:" + caddytest.PortOf(caddytest.FreeAddress(t)), Store: filepath.Join(t.TempDir(), "audit.db")},
		folder: t.TempDir(), service: "http://" + caddytest.FreeAddress(t),
	}
	r.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // Caddy's own authority, a new one for each test
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, strings.Replace(address, "localhost", caddytest.Loopback, 1))
		},
	}}
	t.Setenv("SHOP_PASSWORD_HASH", hashOfExampleOnly)
	t.Setenv("ERP_PASSWORD_HASH", hashOfExampleOnly)
	t.Setenv("REPORTS_PASSWORD_HASH", hashOfExampleOnly)
	return r
}

// cook loads a recipe with the addresses and files of the test; each pair of replace is a
// text of the recipe, which must be there, and what stands for it.
func (r *recipe) cook(title string, replace ...string) {
	r.T.Helper()
	text := caddytest.RecipeText(r.T, title)
	if strings.Contains(text, "invoices.example.com {") {
		replace = append(replace, "invoices.example.com {", strings.TrimPrefix(r.URL, "https://")+" {\n\tbind "+caddytest.Loopback,
			"/var/lib/fielato/audit.db", r.Store)
	}
	if strings.Contains(text, "https://invoicing.example.com") {
		replace = append(replace, "https://invoicing.example.com", r.service)
	}
	for i := 0; i < len(replace); i += 2 {
		with := strings.ReplaceAll(text, replace[i], replace[i+1])
		if with == text {
			r.T.Fatalf("the recipe %q does not have %q", title, replace[i])
		}
		text = with
	}
	r.Load(r.around() + text)
	r.T.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			r.T.Errorf("stopping: %v", err)
		}
	})
	address, hasTLS := strings.CutPrefix(r.URL, "https://localhost")
	if !hasTLS {
		return
	}
	caddytest.Eventually(r.T, "the site has its certificate", func() bool {
		connection, err := tls.Dial("tcp", caddytest.Loopback+address, &tls.Config{ServerName: "localhost", InsecureSkipVerify: true})
		if err == nil {
			connection.Close()
		}
		return err == nil
	})
}

// around is what stands beside a recipe: options for a test, and the service.
func (r *recipe) around() string {
	admin := "off"
	if r.admin != "" {
		admin = r.admin + " {\n\t\torigins " + r.admin + "\n\t}"
	}
	options := "{\n\tadmin " + admin + "\n\tpersist_config off\n\tgrace_period 20s\n\tskip_install_trust\n" +
		"\tauto_https disable_redirects\n\tstorage file_system " + r.folder + "\n}\n"
	if r.inner {
		return options
	}
	// The site has no host: a service without TLS sees the gateway's own name.
	return options + "http://:" + caddytest.PortOf(r.service) + " {\n\tbind " + caddytest.Loopback + "\n\twsfev1_backend {\n\t\tledger sqlite " + filepath.Join(r.folder, "ledger.db") + "\n\t}\n}\n"
}

// guesser is a user with the wrong password. A user whom nobody knows would be held
// against a hash of Caddy's own, which takes a second, and under the race detector half a
// minute.
const guesser = "shop, guessing"

// issue asks for an invoice, as a user if one is named.
func (r *recipe) issue(body, user string) caddytest.Response {
	r.T.Helper()
	request := r.Request(r.T.Context(), "FECAESolicitar", body)
	switch user {
	case "":
	case guesser:
		request.SetBasicAuth("shop", "guessed")
	default:
		request.SetBasicAuth(user, "example-only")
	}
	got, err := caddytest.TryWith(r.client, request)
	if err != nil {
		r.T.Fatal(err)
	}
	return got
}

// want fails the test unless an answer has this status and outcome.
func wantAnswer(t *testing.T, r caddytest.Response, status int, outcome string) {
	t.Helper()
	if r.Status != status || r.Header.Get("Wsfev1-Outcome") != outcome {
		t.Errorf("%d %s, want %d %s: %s", r.Status, r.Header.Get("Wsfev1-Outcome"), status, outcome, r.Body)
	}
}
