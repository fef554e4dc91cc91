package grafana_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// unitUser is the number of a user and of a group that this machine does not have, in place of those
// that the Debian package makes.
const unitUser = 64123

// TestTheUnitsUserReadsItsKeys where the pages put them: root owns them, the user's group reads them.
// The gateway makes its own files where it may write. An error about a key that it cannot read names the cure.
func TestTheUnitsUserReadsItsKeys(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root starts a program as another user")
	}
	binary := build(t)
	for name, c := range map[string]struct {
		group int
		mode  fs.FileMode
		says  string
	}{
		"by its group":         {unitUser, 0o640, "serving initial configuration"},
		"root's own":           {0, 0o600, fmt.Sprintf("chgrp %d ", unitUser)},
		"everybody's":          {unitUser, 0o644, "chmod 600 it"},
		"that others may read": {unitUser, 0o604, "chmod 600 it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := passable(t)
			etc, data := filepath.Join(folder, "etc"), filepath.Join(folder, "data")
			if err := os.Mkdir(etc, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(data, 0o700); err != nil {
				t.Fatal(err)
			}
			certificate, key := certificateOf(t)
			place(t, filepath.Join(etc, "homo.crt"), certificate, 0, 0o644)
			place(t, filepath.Join(etc, "homo.key"), key, c.group, c.mode)
			at := freeAddresses(t, 2)
			place(t, filepath.Join(etc, "Caddyfile"), fmt.Appendf(nil, `{
	admin %s
}
http://%s {
	wsfev1 {
		audit sqlite %s/audit.db {
			checkpoint_to %[3]s/audit.checkpoint
		}
		wsaa https://127.0.0.1:1 {
			certificate %[4]s/homo.crt
			key %[4]s/homo.key
			cuits 20-11111111-2
		}
	}
	wsfev1_arca https://127.0.0.1:1
}
`, at[0], at[1], data, etc), 0, 0o644)
			if err := os.Chown(data, unitUser, unitUser); err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(folder, "fielato")
			if err := os.Link(binary, program); err != nil {
				t.Fatal(err)
			}
			said := runAsUnit(t, program, data, filepath.Join(etc, "Caddyfile"), c.says)
			if made, err := os.Stat(filepath.Join(data, "audit.db.key")); c.mode == 0o640 && (err != nil || made.Mode().Perm() != 0o600) {
				t.Errorf("the key that signs the trail: %v, %v\n%s", made, err, said)
			}
		})
	}
}

// passable returns a folder that any user may pass.
func passable(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "fielato-unit-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// place writes a file of root's for a group.
func place(t *testing.T, file string, text []byte, group int, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(file, 0, group); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

// runAsUnit runs the gateway as the unit's user until it says something, and returns all that it has
// said.
func runAsUnit(t *testing.T, program, data, configuration, says string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, "run", "--config", configuration)
	command.Dir, command.Env = data, []string{"HOME=" + data, "XDG_DATA_HOME=" + data, "XDG_CONFIG_HOME=" + data}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unitUser, Gid: unitUser}}
	output := &heard{}
	command.Stdout, command.Stderr = output, output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait() // it is killed
	}()
	if !comes(t, time.Minute, func() bool { return strings.Contains(output.String(), says) }) {
		t.Errorf("it does not say %q:\n%s", says, output)
	}
	return output.String()
}

// certificateOf returns a certificate as the authority gives one, and its private key, in PEM.
func certificateOf(t *testing.T) (certificate, key []byte) {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		Subject: pkix.Name{CommonName: "erp", SerialNumber: "CUIT 20111111112"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

// heard collects what a program says while others read it.
type heard struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}
