// Package agenttest runs OpenSSH's ssh-agent for tests, and agents that lie. It is a package of its own because the
// tests of several packages need it.
package agenttest

import (
	"crypto"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/fielato/fielato/internal/panics"
)

// Agent is an ssh-agent at one socket, over several starts.
type Agent struct {
	t      testing.TB
	folder string
	// Socket is the path of its socket.
	Socket  string
	process *exec.Cmd
}

// New starts an agent without keys. It ends with the test.
func New(t testing.TB) *Agent {
	t.Helper()
	for _, tool := range []string{"ssh-agent", "ssh-add", "ssh-keygen"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("a key is in an ssh-agent: %v", err)
		}
	}
	folder, err := os.MkdirTemp("", "a") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	a := &Agent{t: t, folder: folder, Socket: filepath.Join(folder, "agent")}
	t.Cleanup(func() {
		a.Stop()
		_ = os.RemoveAll(folder)
	})
	a.Start()
	return a
}

// Start starts it, with no keys.
func (a *Agent) Start() {
	a.t.Helper()
	_ = os.Remove(a.Socket)                                                     // that of one that was killed
	a.process = exec.Command("ssh-agent", "-D", "-a", a.Socket, "-P", "/usr/*") //nolint:gosec // the path is the test's own
	a.process.Env = append(os.Environ(), "SOFTHSM2_CONF="+a.tokenConfig())
	if err := a.process.Start(); err != nil {
		a.t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		conn, err := net.Dial("unix", a.Socket)
		if err == nil {
			_ = conn.Close()
			return
		}
		time.Sleep(time.Millisecond)
	}
	a.t.Fatal("the agent does not listen")
}

// Stop kills it.
func (a *Agent) Stop() {
	if a.process != nil {
		_ = a.process.Process.Kill()
		_ = a.process.Wait()
		a.process = nil
	}
}

// run runs a program of OpenSSH beside the agent.
func (a *Agent) run(stdin, name string, arguments ...string) string {
	a.t.Helper()
	cmd := exec.CommandContext(a.t.Context(), name, arguments...)
	cmd.Env = append(os.Environ(), "SSH_AUTH_SOCK="+a.Socket, "SSH_ASKPASS="+filepath.Join(a.folder, "askpass"), "SSH_ASKPASS_REQUIRE=force", "SOFTHSM2_CONF="+a.tokenConfig())
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		a.t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

// NewKey makes a key of a type, ed25519 or ecdsa, and adds it. It returns the key's file and its fingerprint.
func (a *Agent) NewKey(kind string) (file, fingerprint string) {
	a.t.Helper()
	f, err := os.CreateTemp(a.folder, kind)
	if err != nil {
		a.t.Fatal(err)
	}
	file = f.Name()
	_, _ = f.Close(), os.Remove(file)
	a.run("", "ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "fielato of "+kind, "-f", file)
	a.Add(file)
	return file, strings.Fields(a.run("", "ssh-keygen", "-lf", file+".pub"))[1]
}

// Add adds the key of a file.
func (a *Agent) Add(file string) { a.run("", "ssh-add", "-q", file) }

// AddKey adds a private key that a test has, and returns its fingerprint.
func (a *Agent) AddKey(key crypto.Signer) (fingerprint string) {
	a.t.Helper()
	block, err := ssh.MarshalPrivateKey(key, "fielato of a test")
	if err != nil {
		a.t.Fatal(err)
	}
	a.run(string(pem.EncodeToMemory(block)), "ssh-add", "-q", "-")
	public, err := ssh.NewPublicKey(key.Public())
	if err != nil {
		a.t.Fatal(err)
	}
	return ssh.FingerprintSHA256(public)
}

// RemoveAll removes all keys.
func (a *Agent) RemoveAll() { a.run("", "ssh-add", "-q", "-D") }

// Lying serves an agent that is none of OpenSSH's: answer has each connection. It returns the path of its socket.
func Lying(t testing.TB, answer func(net.Conn)) (socket string) {
	t.Helper()
	folder, err := os.MkdirTemp("", "l")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(folder, "agent"))
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	panics.Go(&serving, "answering as an agent", func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			answer(conn)
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
		_ = os.RemoveAll(folder)
	})
	return filepath.Join(folder, "agent")
}
