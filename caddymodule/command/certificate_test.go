package command_test

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/wsaatest"
)

const requested = "certificate request --cuit 20-11111111-2 --organization Prueba --alias fielato"

// TestARequestForACertificateIsMade: two files, and the steps on the authority's pages.
func TestARequestForACertificateIsMade(t *testing.T) {
	t.Chdir(t.TempDir())
	got := words(requested)
	for _, want := range []string{
		"fielato.key is the private key", "of CUIT 20111111112", `"WSASS - Autogestión Certificados Homologación"`, `"Administración de Certificados Digitales"`,
		`"Administrador de Relaciones de Clave Fiscal"`, "certificate check fielato.crt --key fielato.key --environment prod", `"wsfe"`,
	} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in\n%s", want, got.out)
		}
	}
	if got.status() != 0 || filesOf(t) != "fielato.csr fielato.key" {
		t.Fatalf("status %d: %v, %s", got.status(), got.err, filesOf(t))
	}
	noSecrets(t, got)
	if info, err := os.Stat("fielato.key"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	text, err := os.ReadFile("fielato.csr")
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	csr, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil || csr.CheckSignature() != nil || csr.Subject.SerialNumber != "CUIT 20111111112" || csr.Subject.CommonName != "fielato" {
		t.Errorf("%v, %v", csr, err)
	}
	key, err := os.ReadFile("fielato.key")
	if err != nil || strings.Contains(got.out, strings.Split(string(key), "\n")[1]) {
		t.Errorf("%v, or the key is shown", err)
	}
}

// TestARequestReplacesNoFile, and leaves no key without its request.
func TestARequestReplacesNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("there", []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{
		" --key there":                "--key: there is there already, and stays as it is",
		" --out there":                "--out: there is there already, and stays as it is",
		" --key same --out same":      "--out: same is there already, and stays as it is",
		" --key none/key --out a.csr": "name a file in a folder that is there",
	} {
		got := words(requested + flags)
		if got.status() != 2 || got.out != "" || !strings.Contains(got.err.Error(), want) {
			t.Errorf("%s: status %d: %v\n%s", flags, got.status(), got.err, got.out)
		}
		if text, err := os.ReadFile("there"); err != nil || string(text) != "kept" || filesOf(t) != "there" {
			t.Errorf("%s: %q, %v, left %s", flags, text, err, filesOf(t))
		}
	}
}

// TestARequestSaysWhatIsMissing.
func TestARequestSaysWhatIsMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		"":                                    "--cuit is missing",
		"--cuit 20111111112":                  "--organization is missing",
		"--cuit 20111111112 --organization O": "--alias is missing",
		"--cuit 20111111113 --organization O --alias a":                               "--cuit 20111111113 is not a CUIT",
		"--cuit 2011111111 --organization O --alias a":                                "not a CUIT",
		"--cuit 20111111112 --organization O --alias ../a":                            `--alias "../a" cannot be the name of a file: name the files with --key and --out`,
		"--cuit 20111111112 --organization " + strings.Repeat("o", 65) + " --alias a": "the organization has more than 64 characters",
	} {
		if got := words("certificate request " + line); got.status() != 2 || !strings.Contains(got.err.Error(), want) || filesOf(t) != "" {
			t.Errorf("%s: status %d: %v, left %q", line, got.status(), got.err, filesOf(t))
		}
	}
}

// TestARequestReportsAsJSON.
func TestARequestReportsAsJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	got := words(requested + " --format json")
	var made map[string]any
	if err := json.Unmarshal([]byte(got.out), &made); err != nil || made["key"] != "fielato.key" || made["csr"] != "fielato.csr" || made["alias"] != "fielato" {
		t.Errorf("%v: %v\n%s", err, got.err, got.out)
	}
}

// TestACertificateIsChecked: its dates, its environment and its key.
func TestACertificateIsChecked(t *testing.T) {
	t.Chdir(t.TempDir())
	hourAgo := time.Now().Add(-time.Hour)
	testing := authority(t, "Computadores Test")
	writeCredential(t, "good", wsaatest.Spec{From: hourAgo, Issuer: testing})
	writeCredential(t, "soon", wsaatest.Spec{From: hourAgo, Until: time.Now().AddDate(0, 0, 10), Issuer: testing})
	writeCredential(t, "old", wsaatest.Spec{From: time.Now().AddDate(-3, 0, 0), Issuer: testing})
	writeCredential(t, "self", wsaatest.Spec{From: hourAgo})
	if got := words(requested); got.status() != 0 { // another key
		t.Fatal(got.err)
	}
	for line, want := range map[string]struct {
		status int
		text   string
	}{
		"good.crt --environment homo":                   {0, "not looked at: name it with --key"},
		"good.crt --key good.key --environment homo":    {0, "Private key  its own"},
		"good.crt --key good.key --environment prod":    {1, "it was issued for testing"},
		"good.crt --key fielato.key --environment homo": {1, "the private key is not that of the certificate"},
		"old.crt --environment homo":                    {1, "the certificate has expired: request a new one"},
		"soon.crt --environment homo":                   {0, "The certificate expires soon"},
		"self.crt --environment homo":                   {0, "not known as an authority of testing"},
		"good.key --environment homo":                   {2, "it is a private key"},
		"fielato.csr --environment homo":                {2, "it is a request for one (CSR)"},
		"none.crt --environment homo":                   {2, "reading the certificate: open none.crt"},
		"good.crt --key none.key --environment homo":    {2, "reading the private key"},
		"good.crt":                    {2, "--environment is missing: give homo for testing, or prod"},
		"good.crt --environment test": {2, `--environment "test": use homo or prod`},
		"--environment homo":          {2, "FILE is missing"},
	} {
		got := words("certificate check " + line)
		text := got.out
		if got.err != nil {
			text += got.err.Error()
		}
		if got.status() != want.status || !strings.Contains(text, want.text) {
			t.Errorf("%s: status %d, want %d: %s, want %s", line, got.status(), want.status, text, want.text)
		}
		if want.status == 0 && !strings.Contains(got.out, "Expires      20") {
			t.Errorf("%s: no day on which it expires in\n%s", line, got.out)
		}
		noSecrets(t, got)
	}
}

// TestACheckOfACertificateReportsAsJSON.
func TestACheckOfACertificateReportsAsJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	writeCredential(t, "good", wsaatest.Spec{From: time.Now().Add(-time.Hour), Issuer: authority(t, "Computadores Test")})
	for environment, status := range map[string]int{"homo": 0, "prod": 1} {
		got := words("certificate check good.crt --key good.key --format json --environment " + environment)
		var found struct {
			Good       bool
			Problem    string
			DaysLeft   int  `json:"days_left"`
			KeyChecked bool `json:"key_checked"`
		}
		if err := json.Unmarshal([]byte(got.out), &found, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%v: %v\n%s", err, got.err, got.out)
		}
		if got.status() != status || found.Good != (status == 0) || (found.Problem == "") != found.Good || found.DaysLeft != 364 || !found.KeyChecked {
			t.Errorf("%s: status %d, %+v", environment, got.status(), found)
		}
	}
}
