package gateway_test

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
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/validate"
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

// verdictIn reads an answer to FECAESolicitar in its form.
func verdictIn(t *testing.T, face caddytest.Face, got caddytest.Response) wsfev1.Verdict {
	t.Helper()
	op := wsfev1.OperationByName("FECAESolicitar")
	if face.IsSOAP {
		return wsfev1.VerdictOf(parsed(t, op.Name, got).Body)
	}
	answer := op.NewAnswer()
	if found := validate.DecodeAnswer(op.Answer, got.Body, answer); len(found) > 0 {
		t.Fatalf("%+v: %s", found, got.Body)
	}
	return wsfev1.VerdictOf(answer)
}

func TestTicketsThatTheServiceWouldRefuseAreRefused(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	tomorrow := time.Now().Add(24 * time.Hour)
	for name, document := range map[string]string{
		"expired":         caddytest.SSOTicket("wsfe", time.Now().Add(-time.Hour), 20111111112),
		"another service": caddytest.SSOTicket("wsfex", tomorrow, 20111111112),
		"another issuer":  caddytest.SSOTicket("wsfe", tomorrow, 30500010912),
	} {
		for _, face := range caddytest.Faces {
			before := upstream.Hits.Load()
			got := face.Post(s, "FECAESolicitar", caddytest.WithTicket(caddytest.Invoice(1), document, caddytest.Sign))
			if said := verdictIn(t, face, got); got.Status != 200 || !slices.Equal(said.Codes, []int32{600}) || len(said.Invoices) > 0 {
				t.Errorf("%s, %s: %d %s", name, face.Name, got.Status, got.Body)
			}
			if upstream.Hits.Load() != before {
				t.Errorf("%s, %s: the request went upstream", name, face.Name)
			}
			if r := s.Last(); r.Outcome != "refused" || r.Findings[0].Code != "600" || r.Findings[0].Action != "refuse" {
				t.Errorf("%s, %s: recorded %s with %+v", name, face.Name, r.Outcome, r.Findings)
			}
		}
	}
	if got := s.Post("FECAEASinMovimientoInformar", caddytest.WithTicket(`{`+caddytest.AuthText+`,"PtoVta":3,"CAEA":"46477000000017"}`,
		caddytest.SSOTicket("wsfex", tomorrow, 20111111112), caddytest.Sign)); got.At(t, "/PtoVta") != "3" || got.At(t, "/Errors/Err/0/Code") != "600" {
		t.Errorf("%s", got.Body)
	}
}

// TestNobodyHasACUITThatIsNone: no operation passes for one, whether tickets are looked at or
// not.
func TestNobodyHasACUITThatIsNone(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	for _, option := range []string{"ticket check", "ticket off"} {
		s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), option)
		for _, op := range wsfev1.Operations {
			for _, cuit := range []string{"-20111111112", "-1", "0", "120111111112", "-9223372036854775808"} {
				body := "{" + strings.Replace(caddytest.AuthText, "20111111112", cuit, 1) + caddytest.RequestMembers(op.Name) + "}"
				if op.Name == "FEDummy" {
					continue
				}
				for _, face := range caddytest.Faces {
					got := face.Post(s, op.Name, body)
					if text := string(got.Body); got.Status != 200 || !strings.Contains(text, `"Code":600`) && !strings.Contains(text, "<Code>600<") || !strings.Contains(text, "La CUIT "+cuit+" ") {
						t.Errorf("%s for %s with %s, %s: %d %s", op.Name, cuit, option, face.Name, got.Status, got.Body)
					}
				}
			}
		}
	}
	if hits := upstream.Hits.Load(); hits != 0 {
		t.Errorf("%d requests went upstream", hits)
	}
}

func TestTicketsInOrderPassAndTellWhenTheyExpire(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	expires := time.Now().Add(6 * time.Hour)
	for _, face := range caddytest.Faces { // the second is known already
		if got := face.Post(s, "FECAESolicitar", caddytest.WithTicket(caddytest.Invoice(1), caddytest.SSOTicket("wsfe", expires, 20111111112), caddytest.Sign)); verdictIn(t, face, got).Resultado != "A" {
			t.Errorf("%s: %s", face.Name, got.Body)
		}
	}
	value, err := strconv.ParseFloat(s.Metric("wsfev1_ticket_expiry_timestamp_seconds"), 64)
	if err != nil || int64(value) != expires.Unix() {
		t.Errorf("the metric is %v, want %d", value, expires.Unix())
	}
	// A renewed ticket takes the place of the old one.
	renewed := expires.Add(6 * time.Hour)
	s.Post("FECAESolicitar", caddytest.WithTicket(caddytest.Invoice(1), caddytest.SSOTicket("wsfe", renewed, 20111111112), caddytest.Sign))
	if value, _ := strconv.ParseFloat(s.Metric("wsfev1_ticket_expiry_timestamp_seconds"), 64); int64(value) != renewed.Unix() {
		t.Errorf("the metric is %v, want %d", value, renewed.Unix())
	}
}

func TestTicketsAreLeftAloneWhereAskedTo(t *testing.T) {
	expired := caddytest.WithTicket(caddytest.Invoice(1), caddytest.SSOTicket("wsfe", time.Now().Add(-time.Hour), 20111111112), caddytest.Sign)
	for option, code := range map[string]string{"ticket off": "", "mode observe": "600"} {
		upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
		s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), option)
		if got := s.Post("FECAESolicitar", expired); string(got.Body) != caddytest.Approval {
			t.Errorf("%s: %s", option, got.Body)
		}
		found := ""
		for _, f := range s.Last().Findings {
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
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	own, other := newAuthority(t), newAuthority(t)
	t.Setenv("AUTHORITY", own.file)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "ticket check {env.AUTHORITY}")
	document := caddytest.SSOTicket("wsfe", time.Now().Add(time.Hour), 20111111112)
	for name, c := range map[string]struct {
		body string
		code string
	}{
		"signed":            {caddytest.WithTicket(caddytest.Invoice(1), document, own.sign(t, document)), ""},
		"signed by another": {caddytest.WithTicket(caddytest.Invoice(1), document, other.sign(t, document)), "600"},
		"of another ticket": {caddytest.WithTicket(caddytest.Invoice(1), document, own.sign(t, document+" ")), "600"},
		"not signed":        {caddytest.WithTicket(caddytest.Invoice(1), document, caddytest.Sign), "600"},
		"no ticket":         {caddytest.Invoice(1), "600"},
	} {
		for _, face := range caddytest.Faces {
			got := face.Post(s, "FECAESolicitar", c.body)
			if said := verdictIn(t, face, got); c.code == "" && said.Resultado != "A" || c.code != "" && !slices.Equal(said.Codes, []int32{600}) {
				t.Errorf("%s, %s: %s", name, face.Name, got.Body)
			}
		}
	}
}

func TestACertificateThatCannotVerifyIsSaidAtStart(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.pem")
	if err := os.WriteFile(text, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		text: "no PEM certificate", text + ".gone": "no such file", "{env.NO_SUCH_AUTHORITY}": "the variable NO_SUCH_AUTHORITY is not set",
	} {
		s := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t)}
		err := caddytest.LoadCaddyfile(s.Config("audit sqlite "+filepath.Join(t.TempDir(), "a.db")+"\n\t\tticket check "+file, "respond 200"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ticket check: ") || !strings.Contains(err.Error(), file) {
			t.Errorf("%v, want the option, the file %s and %q", err, file, want)
		}
	}
}
