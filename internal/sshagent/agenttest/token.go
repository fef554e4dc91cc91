package agenttest

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/crypto/ssh"
)

// module is SoftHSM, a token in software, as Debian installs it.
const module = "/usr/lib/softhsm/libsofthsm2.so"

// pin opens the token.
const pin = "1234"

// tokenConfig is SoftHSM's configuration, which names the folder of its tokens.
func (a *Agent) tokenConfig() string { return filepath.Join(a.folder, "softhsm2.conf") }

// AddToken imports a private key into a token, which OpenSSH's helper then signs with: the agent itself has no key. It
// returns the key's fingerprint.
func (a *Agent) AddToken(key crypto.Signer) (fingerprint string) {
	a.t.Helper()
	if _, err := exec.LookPath("softhsm2-util"); err != nil {
		a.t.Skipf("a key is in a token: %v", err)
	}
	tokens := filepath.Join(a.folder, "tokens")
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	file := filepath.Join(a.folder, "token.pem")
	for path, text := range map[string]string{
		a.tokenConfig():                    "directories.tokendir = " + tokens + "\nobjectstore.backend = file\nlog.level = ERROR\n",
		filepath.Join(a.folder, "askpass"): "#!/bin/sh\necho " + pin + "\n",
		file:                               string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // one of them is a program
			a.t.Fatal(err)
		}
	}
	if err := os.Mkdir(tokens, 0o700); err != nil {
		a.t.Fatal(err)
	}
	a.run("", "softhsm2-util", "--init-token", "--free", "--label", "fielato", "--pin", pin, "--so-pin", pin)
	a.run("", "softhsm2-util", "--import", file, "--token", "fielato", "--label", "fielato", "--id", "01", "--pin", pin)
	if err := os.Remove(file); err != nil {
		a.t.Fatal(err)
	}
	a.run("", "ssh-add", "-q", "-s", module)
	public, err := ssh.NewPublicKey(key.Public())
	if err != nil {
		a.t.Fatal(err)
	}
	return ssh.FingerprintSHA256(public)
}
