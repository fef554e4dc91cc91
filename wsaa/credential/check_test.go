package credential_test

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

// issued returns a credential whose certificate an authority of a name has issued, itself for an
// empty one.
func issued(t *testing.T, by string, spec wsaatest.Spec) *credential.Credential {
	t.Helper()
	if by != "" {
		spec.Issuer = wsaatest.NewClient(t, wsaatest.Spec{Subject: pkix.Name{CommonName: by, Country: []string{"AR"}}, Authority: true})
	}
	client := wsaatest.NewClient(t, spec)
	c, err := credential.New(client.Certificate, client.Key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestACertificateIsCheckedBeforeItIsUsed.
func TestACertificateIsCheckedBeforeItIsUsed(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	long := wsaatest.Spec{Until: now.AddDate(5, 0, 0)}
	for name, test := range map[string]struct {
		c       *credential.Credential
		address string
		now     time.Time
		want    error
		text    string
	}{
		"testing":                   {issued(t, "Computadores Test", long), wsaa.TestingURL, now, nil, ""},
		"production":                {issued(t, "Computadores", long), wsaa.ProductionURL, now, nil, ""},
		"production in testing":     {issued(t, "Computadores", long), wsaa.TestingURL, now, credential.ErrEnvironment, "issued for production"},
		"testing in production":     {issued(t, "Computadores Test", long), wsaa.ProductionURL, now, credential.ErrEnvironment, "issued for testing"},
		"testing at the other name": {issued(t, "Computadores Test", long), "https://WSAA.afip.gob.ar/ws/services/LoginCms", now, credential.ErrEnvironment, "issued for testing"},
		"testing elsewhere":         {issued(t, "Computadores Test", long), "http://localhost:8080/ws/services/LoginCms", now, nil, ""},
		"self-signed elsewhere":     {issued(t, "", wsaatest.Spec{}), "http://localhost:8080/ws/services/LoginCms", now, nil, ""},
		"self-signed":               {issued(t, "", wsaatest.Spec{}), wsaa.TestingURL, now, nil, ""},
		"expired":                   {issued(t, "", wsaatest.Spec{}), wsaa.TestingURL, now.AddDate(0, 2, 0), credential.ErrExpired, "valid until 2027-01-01T00:00:00Z"},
		"not yet valid":             {issued(t, "", wsaatest.Spec{}), wsaa.TestingURL, now.AddDate(-1, 0, 0), credential.ErrNotYetValid, "set the clock"},
		"no CUIT":                   {issued(t, "", wsaatest.Spec{Subject: pkix.Name{CommonName: "prueba"}}), "http://localhost/", now, credential.ErrNoCUIT, "its subject is CN=prueba"},
	} {
		err := test.c.Check(credential.EnvironmentOf(test.address), test.now)
		if !errors.Is(err, test.want) || err != nil && !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if issued(t, "", wsaatest.Spec{}).Doubt(credential.Testing) == "" {
		t.Error("no doubt about a certificate that an unknown authority has issued")
	}
	for name, c := range map[string]*credential.Credential{"testing": issued(t, "Computadores Test", long)} {
		if doubt := c.Doubt(credential.Testing) + c.Doubt(credential.Other); doubt != "" {
			t.Errorf("%s: %s", name, doubt)
		}
	}
}

// TestACertificateIsCheckedWithoutItsKey, and signs nothing.
func TestACertificateIsCheckedWithoutItsKey(t *testing.T) {
	der := wsaatest.NewClient(t, wsaatest.Spec{}).Certificate.Raw
	for name, text := range map[string][]byte{"DER": der, "PEM": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})} {
		c, err := credential.ParseCertificate(text)
		if err != nil || c.CUIT() != 20111111112 {
			t.Fatalf("%s: %v, %v", name, c, err)
		}
		if err := c.Check(credential.Testing, c.Expires().Add(time.Second)); !errors.Is(err, credential.ErrExpired) {
			t.Errorf("%s: %v", name, err)
		}
		if signed, err := c.Sign([]byte("content")); !errors.Is(err, credential.ErrNoKey) {
			t.Errorf("%s: signed %d bytes, %v", name, len(signed), err)
		}
	}
	if _, err := credential.ParseCertificate([]byte("no certificate")); !errors.Is(err, credential.ErrNoCertificate) {
		t.Errorf("of another text: %v", err)
	}
}

// TestARequestIsWhatThePortalTakes: RSA, SHA-256, the name in its order, and a key that is read
// again.
func TestARequestIsWhatThePortalTakes(t *testing.T) {
	request, err := credential.NewRequest(30500010912, "Peña & Hijos SA", "fielato")
	if err != nil {
		t.Fatal(err)
	}
	block, rest := pem.Decode(request.CSR)
	if block == nil || block.Type != "CERTIFICATE REQUEST" || len(rest) > 0 {
		t.Fatalf("%s", request.CSR)
	}
	csr, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil || csr.CheckSignature() != nil || csr.SignatureAlgorithm != x509.SHA256WithRSA {
		t.Fatalf("%v, %v", csr, err)
	}
	name := csr.Subject.ToRDNSequence()
	var parts []string
	for _, part := range csr.Subject.Names {
		parts = append(parts, part.Type.String()+"="+part.Value.(string))
	}
	want := "2.5.4.6=AR 2.5.4.10=Peña & Hijos SA 2.5.4.3=fielato 2.5.4.5=CUIT 30500010912"
	if got := strings.Join(parts, " "); got != want {
		t.Errorf("%s (%s), want %s", got, name, want)
	}
	issuer := wsaatest.NewClient(t, wsaatest.Spec{Authority: true})
	template := &x509.Certificate{SerialNumber: issuer.Certificate.SerialNumber, RawSubject: csr.RawSubject, NotBefore: issuer.Certificate.NotBefore, NotAfter: issuer.Certificate.NotAfter}
	der, err := x509.CreateCertificate(nil, template, issuer.Certificate, csr.PublicKey, issuer.Key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := credential.Parse(credential.Source{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), Key: []byte(request.Key.Reveal()),
	})
	if err != nil || c.CUIT() != 30500010912 {
		t.Errorf("%v, %v", c, err)
	}
}

// TestARequestNeedsNames.
func TestARequestNeedsNames(t *testing.T) {
	for name, test := range map[string]struct {
		cuit                int64
		organization, alias string
		text                string
	}{
		"no CUIT":                  {12345678901, "Prueba", "prueba", "is not a CUIT"},
		"no organization":          {20111111112, "", "prueba", "the organization is empty"},
		"no alias":                 {20111111112, "Prueba", "", "the alias is empty"},
		"a long alias":             {20111111112, "Prueba", strings.Repeat("a", 65), "more than 64"},
		"a line break":             {20111111112, "Prueba\nSA", "prueba", "cannot be printed"},
		"a blank at the beginning": {20111111112, " Prueba", "prueba", "blank"},
	} {
		request, err := credential.NewRequest(wsfev1.CUIT(test.cuit), test.organization, test.alias)
		if request != nil || err == nil || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
