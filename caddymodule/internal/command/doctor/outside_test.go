package doctor_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

// answering is the URL of a server that answers each request with a status.
func answering(t *testing.T, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(s.Close)
	return s.URL
}

// outside returns configurations whose trail has further options. It is the same trail each time.
func outside(t *testing.T) func(options ...string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	folder, address := t.TempDir(), freeAddress(t)
	return func(options ...string) string {
		return config(address, filepath.Join(folder, "audit.db")+" {\n "+strings.Join(options, "\n ")+"\n}",
			builtIn+" {\n ledger sqlite "+filepath.Join(folder, "ledger.db")+"\n}")
	}
}

// publicKeyOf returns the public key of the log that a configuration has begun.
func publicKeyOf(t *testing.T, text string) string {
	t.Helper()
	_, path, _ := strings.Cut(text, "audit sqlite ")
	path, _, _ = strings.Cut(path, " ")
	private, err := os.ReadFile(path + ".key")
	if err != nil {
		t.Fatal(err)
	}
	key, err := audit.ParseKey(strings.TrimSpace(string(private)))
	if err != nil {
		t.Fatal(err)
	}
	return key.Verifier()
}

// TestWitnesses: which of them can sign, and whether they are enough. None has signed anything afterwards.
func TestWitnesses(t *testing.T) {
	text := outside(t)
	up, elsewhere, down := caddytest.NewWitness(t, "up.example"), caddytest.NewWitness(t, "elsewhere.example"), caddytest.NewWitness(t, "down.example")
	option := func(w *caddytest.Witness) string { return strings.TrimPrefix(w.Option(""), caddytest.TrailOption) }
	all := []string{option(up), option(elsewhere), option(down)}
	issue(t, text())
	up.Start(publicKeyOf(t, text()))
	elsewhere.Start(audittest.Key(t, "other").Verifier())

	r, err := examine(t, text(all...))
	if err != nil {
		t.Errorf("the gateway starts without witnesses, and the doctor says %v", err)
	}
	r.want(t, "witness", "ok", "up.example at "+up.URL+" knows the log")
	r.want(t, "witness", "warning", "elsewhere.example at "+elsewhere.URL+" does not know the log: 404")
	r.want(t, "witness", "warning", "down.example at "+down.URL+" is not reached")
	r.want(t, "quorum", "warning", "1 of 3 witnesses can sign, too few")
	if cure := r["witness"][1].Cure; !strings.Contains(cure, publicKeyOf(t, text())) {
		t.Errorf("the cure is %s", cure)
	}
	r, _ = examine(t, text(append(all, "quorum 1")...))
	r.want(t, "quorum", "ok", "1 of 3 witnesses can sign, which is enough")
	if r, err = examine(t, text(append(all, "require_witnesses")...)); err == nil {
		t.Error("a quorum that is required and cannot be reached is no problem")
	}
	r.want(t, "quorum", "problem", "the gateway does not start")

	origin, _, _ := strings.Cut(publicKeyOf(t, text()), "+")
	signed, err := http.Get(fmt.Sprintf("%s/%x/checkpoint", up.URL, sha256.Sum256([]byte(origin))))
	if err != nil {
		t.Fatal(err)
	}
	signed.Body.Close()
	if signed.StatusCode != http.StatusNotFound {
		t.Errorf("the witness has signed something: %s", signed.Status)
	}
	issue(t, text(option(up))) // it does sign for a gateway
	if signed, err = http.Get(signed.Request.URL.String()); err != nil {
		t.Fatal(err)
	}
	signed.Body.Close()
	if signed.StatusCode != http.StatusOK {
		t.Errorf("the witness has signed nothing: %s", signed.Status)
	}
}

// TestWhatAnswersInAWitnesssPlace is told from one.
func TestWhatAnswersInAWitnesssPlace(t *testing.T) {
	text := outside(t)
	key := audittest.Witness(t, "w.example").String()
	r, _ := examine(t, text("witness "+key+" "+answering(t, http.StatusNotFound)))
	r.want(t, "witness", "ok", "whether it knows the log shows once the trail has a checkpoint")
	issue(t, text())
	for status, want := range map[int]line{
		http.StatusForbidden:           {Status: "warning", Found: "knows the log by another key", Cure: "give its operator the log's key"},
		http.StatusConflict:            {Status: "ok", Found: "knows the log"},
		http.StatusInternalServerError: {Status: "warning", Found: "does not tell whether it knows the log", Cure: "ask its operator"},
		http.StatusServiceUnavailable:  {Status: "warning", Found: "is not reached: 503", Cure: "look at the URL"},
		http.StatusOK:                  {Status: "warning", Found: ": 200", Cure: "correct the URL: what answers there is no witness"},
		http.StatusTemporaryRedirect:   {Status: "warning", Found: ": 307", Cure: "correct the URL"},
	} {
		r, _ := examine(t, text("witness "+key+" "+answering(t, status)))
		r.want(t, "witness", want.Status, want.Found)
		if got := r["witness"][0].Cure; !strings.HasPrefix(got, want.Cure) {
			t.Errorf("%d: %s, want %s", status, got, want.Cure)
		}
	}
}

// TestPoliciesOfWitnesses: one that cannot be read, one for another log, and one that is met.
func TestPoliciesOfWitnesses(t *testing.T) {
	text := outside(t)
	issue(t, text())
	file := filepath.Join(t.TempDir(), "witnesses.policy")
	r, err := examine(t, text("witness_policy "+file))
	r.want(t, "witnesses", "problem", "witness_policy: open "+file)
	if err == nil {
		t.Error("a policy that is not there is no problem")
	}
	write := func(log string) {
		t.Helper()
		policy := "log " + log + "\nwitness w " + audittest.Witness(t, "w.example").String() + " " + answering(t, http.StatusBadRequest) + "\nquorum w\n"
		if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(audittest.Key(t, "other").Verifier())
	r, _ = examine(t, text("witness_policy "+file))
	r.want(t, "witnesses", "problem", publicKeyOf(t, text()))
	write(publicKeyOf(t, text()))
	r, _ = examine(t, text("witness_policy "+file))
	r.want(t, "quorum", "ok", "1 of 1 witnesses can sign")
}

// rootUntil returns a PEM file with a root certificate that is good until then.
func rootUntil(t *testing.T, end time.Time) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Raíz"}, NotBefore: end.AddDate(-1, 0, 0), NotAfter: end, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(nil, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRootsOfTimeStamps: how long they last.
func TestRootsOfTimeStamps(t *testing.T) {
	text, url := outside(t), answering(t, http.StatusBadRequest)
	for days, want := range map[int]line{-1: {Status: "warning", Found: "expired on "}, 10: {Status: "warning", Found: "expires on "}, 100: {Status: "ok", Found: "1 readable, the first expires on "}} {
		end := time.Now().UTC().AddDate(0, 0, days)
		r, err := examine(t, text("timestamp "+url+" "+rootUntil(t, end)))
		if err != nil {
			t.Errorf("%d days: %v", days, err)
		}
		r.want(t, "time-stamp roots", want.Status, want.Found+end.Format(time.DateOnly))
	}
}

// TestTimeStamps: whether the authority takes queries.
func TestTimeStamps(t *testing.T) {
	text := outside(t)
	a := caddytest.NewAuthority(t, tsatest.P256)
	option := func(url, roots string) string { return "timestamp " + url + " " + roots }
	r, err := examine(t, text(option(a.URL, a.Roots)))
	if err != nil {
		t.Error(err)
	}
	r.want(t, "time-stamps", "ok", a.URL+" takes queries")
	down := "http://" + freeAddress(t)
	for url, found := range map[string]string{
		down:                                "the authority does not answer",
		answering(t, http.StatusNotFound):   "404",
		answering(t, http.StatusFound):      "redirects are not followed",
		answering(t, http.StatusOK):         "no answer to a query",
		answering(t, http.StatusBadGateway): "502",
	} {
		r, _ := examine(t, text(option(url, a.Roots)))
		r.want(t, "time-stamps", "warning", found)
		if !strings.HasPrefix(r["time-stamps"][0].Found, url+": ") {
			t.Errorf("%+v", r["time-stamps"])
		}
	}
	r, _ = examine(t, text(option(answering(t, http.StatusBadRequest), a.Roots)))
	r.want(t, "time-stamps", "ok", "takes queries")
	if r, err = examine(t, text(option(a.URL, "missing.pem"))); err == nil {
		t.Error("roots that are not there are no problem")
	}
	r.want(t, "time-stamps", "problem", "missing.pem")
}
