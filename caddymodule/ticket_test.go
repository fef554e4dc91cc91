package caddymodule_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/wsfev1"
)

// authority is a key that signs tickets.
type authority struct {
	key  *rsa.PrivateKey
	file string
}

// newAuthority makes a key, and a file with its certificate.
func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return authority{key, file}
}

func (a authority) sign(t *testing.T, document string) string {
	t.Helper()
	digest := sha1.Sum([]byte(document))
	signature, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA1, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(signature)
}

func TestTicketsThatTheServiceWouldRefuseAreRefused(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	s := start(t, proxyTo(upstream.URL))
	tomorrow := time.Now().Add(24 * time.Hour)
	for name, document := range map[string]string{
		"expired":         ssoTicket("wsfe", time.Now().Add(-time.Hour), 20111111112),
		"another service": ssoTicket("wsfex", tomorrow, 20111111112),
		"another issuer":  ssoTicket("wsfe", tomorrow, 30500010912),
	} {
		before := upstream.hits.Load()
		got := s.post("FECAESolicitar", withTicket(invoice(1), document, sign))
		if got.status != 200 || got.at(t, "/Errors/Err/0/Code") != "600" || got.at(t, "/FeCabResp") != "" {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		if upstream.hits.Load() != before {
			t.Errorf("%s: the request went upstream", name)
		}
		if r := s.last(); r.Outcome != "refused" || r.Findings[0].Code != "600" || r.Findings[0].Action != "refuse" {
			t.Errorf("%s: recorded %s with %+v", name, r.Outcome, r.Findings)
		}
	}
	if got := s.post("FECAEASinMovimientoInformar", withTicket(`{`+authText+`,"PtoVta":3,"CAEA":"46477000000017"}`,
		ssoTicket("wsfex", tomorrow, 20111111112), sign)); got.at(t, "/PtoVta") != "3" || got.at(t, "/Errors/Err/0/Code") != "600" {
		t.Errorf("%s", got.body)
	}
}

// TestNobodyHasACUITThatIsNone: no operation passes for one, whether tickets are looked at or
// not.
func TestNobodyHasACUITThatIsNone(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	for _, option := range []string{"ticket check", "ticket off"} {
		s := start(t, proxyTo(upstream.URL), option)
		for _, op := range wsfev1.Operations {
			for _, cuit := range []string{"-20111111112", "-1", "0", "120111111112", "-9223372036854775808"} {
				body := "{" + strings.Replace(authText, "20111111112", cuit, 1) + requestMembers(op.Name) + "}"
				if op.Name == "FEDummy" {
					continue
				}
				got := s.post(op.Name, body)
				if got.status != 200 || got.at(t, "/Errors/Err/0/Code") != "600" || !strings.Contains(string(got.body), "La CUIT "+cuit+" ") {
					t.Errorf("%s for %s with %s: %d %s", op.Name, cuit, option, got.status, got.body)
				}
			}
		}
	}
	if hits := upstream.hits.Load(); hits != 0 {
		t.Errorf("%d requests went upstream", hits)
	}
}

func TestTicketsInOrderPassAndTellWhenTheyExpire(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	s := start(t, proxyTo(upstream.URL))
	expires := time.Now().Add(6 * time.Hour)
	for range 2 { // the second is known already
		if got := s.post("FECAESolicitar", withTicket(invoice(1), ssoTicket("wsfe", expires, 20111111112), sign)); string(got.body) != approval {
			t.Errorf("%s", got.body)
		}
	}
	value, err := strconv.ParseFloat(s.metric("wsfev1_ticket_expiry_timestamp_seconds"), 64)
	if err != nil || int64(value) != expires.Unix() {
		t.Errorf("the metric is %v, want %d", value, expires.Unix())
	}
	// A renewed ticket takes the place of the old one.
	renewed := expires.Add(6 * time.Hour)
	s.post("FECAESolicitar", withTicket(invoice(1), ssoTicket("wsfe", renewed, 20111111112), sign))
	if value, _ := strconv.ParseFloat(s.metric("wsfev1_ticket_expiry_timestamp_seconds"), 64); int64(value) != renewed.Unix() {
		t.Errorf("the metric is %v, want %d", value, renewed.Unix())
	}
}

func TestTicketsAreLeftAloneWhereAskedTo(t *testing.T) {
	expired := withTicket(invoice(1), ssoTicket("wsfe", time.Now().Add(-time.Hour), 20111111112), sign)
	for option, code := range map[string]string{"ticket off": "", "mode observe": "600"} {
		upstream := newStub(t, answering(200, approval))
		s := start(t, proxyTo(upstream.URL), option)
		if got := s.post("FECAESolicitar", expired); string(got.body) != approval {
			t.Errorf("%s: %s", option, got.body)
		}
		found := ""
		for _, f := range s.last().Findings {
			found += f.Code
		}
		if found != code {
			t.Errorf("%s: found %q, want %q", option, found, code)
		}
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSignIsVerifiedWithTheAuthoritysCertificate(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	own, other := newAuthority(t), newAuthority(t)
	t.Setenv("AUTHORITY", own.file)
	s := start(t, proxyTo(upstream.URL), "ticket check {env.AUTHORITY}")
	document := ssoTicket("wsfe", time.Now().Add(time.Hour), 20111111112)
	for name, c := range map[string]struct {
		body string
		code string
	}{
		"signed":            {withTicket(invoice(1), document, own.sign(t, document)), ""},
		"signed by another": {withTicket(invoice(1), document, other.sign(t, document)), "600"},
		"of another ticket": {withTicket(invoice(1), document, own.sign(t, document+" ")), "600"},
		"not signed":        {withTicket(invoice(1), document, sign), "600"},
		"no ticket":         {invoice(1), "600"},
	} {
		got := s.post("FECAESolicitar", c.body)
		if c.code == "" && string(got.body) != approval || c.code != "" && got.at(t, "/Errors/Err/0/Code") != c.code {
			t.Errorf("%s: %s", name, got.body)
		}
	}
}

func TestACertificateThatCannotVerifyIsSaidAtStart(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.pem")
	if err := os.WriteFile(text, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		text: "no PEM certificate", text + ".gone": "no such file", "{env.NO_SUCH_AUTHORITY}": "is empty",
	} {
		s := &site{t: t, url: "http://" + freeAddress(t), metrics: "http://" + freeAddress(t)}
		err := loadCaddyfile(s.config("audit sqlite "+filepath.Join(t.TempDir(), "a.db")+"\n\t\tticket check "+file, "respond 200"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ticket check: ") || !strings.Contains(err.Error(), file) {
			t.Errorf("%v, want the option, the file %s and %q", err, file, want)
		}
	}
}
