package caddytest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// ServiceConfig is a Caddyfile with the built-in service alone.
func ServiceConfig(address, ledger string) string {
	host, _, _ := strings.Cut(address, ":")
	return fmt.Sprintf(`{
	admin off
	persist_config off
	log {
		output discard
	}
}
http://%s {
	bind %s
	wsfev1_backend {
		ledger sqlite %s
	}
}
`, address, host, ledger)
}

// ServiceProcess is Caddy in a process of its own.
type ServiceProcess struct {
	Cmd    *exec.Cmd
	out    *bufio.Reader
	Stderr Output
	in     io.WriteCloser
	once   sync.Once
}

// serviceCaddyfile names the environment variable with the configuration of the process.
const serviceCaddyfile = "FIELATO_TEST_CADDYFILE"

// StartService starts the process with this Caddyfile; it may not answer yet.
func StartService(t testing.TB, config string) *ServiceProcess {
	t.Helper()
	return StartCaddy(t, config)
}

// StartReady is StartCaddy, and waits until it answers.
func StartReady(t testing.TB, caddyfile string, environment ...string) *ServiceProcess {
	t.Helper()
	p := StartCaddy(t, caddyfile, environment...)
	if _, err := p.Ready(); err != nil {
		p.Kill()
		t.Fatalf("the process: %v\n%s", err, &p.Stderr)
	}
	return p
}

// StartCaddy starts Caddy with a Caddyfile in a process of its own, with more variables in
// its environment.
func StartCaddy(t testing.TB, caddyfile string, environment ...string) *ServiceProcess {
	t.Helper()
	p := &ServiceProcess{Cmd: RoleProcess(t, "service", append(environment, serviceCaddyfile+"="+caddyfile)...)}
	p.Cmd.Stderr = &p.Stderr
	out, err := p.Cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	// The process ends with its standard input, that is, with the test.
	if p.in, err = p.Cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// Ready waits until the service answers and returns how long Caddy took to load its configuration, the
// opening of the ledger included. It returns an error if the process ended before.
func (p *ServiceProcess) Ready() (time.Duration, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	took, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return time.Duration(took), err
}

// Kill ends the process like a power cut, except that data which the kernel holds survives. It waits until
// the process is gone. It may be called again.
func (p *ServiceProcess) Kill() {
	p.once.Do(func() {
		_ = p.Cmd.Process.Kill()
		_ = p.Cmd.Wait()
	})
}

// End lets the service stop in order, waits until it is gone and returns the time for
// which it kept processors busy.
func (p *ServiceProcess) End() time.Duration {
	p.once.Do(func() {
		_ = p.in.Close()
		_ = p.Cmd.Wait()
	})
	return p.Cmd.ProcessState.UserTime() + p.Cmd.ProcessState.SystemTime()
}

// playService is the life of the process.
func playService() {
	if uid := os.Getenv("FIELATO_TEST_UID"); uid != "" {
		if err := become(uid); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	began := time.Now()
	if err := LoadCaddyfile(os.Getenv(serviceCaddyfile)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(time.Since(began).Nanoseconds())
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = caddy.Stop()
}

// Process is a gateway in a process of its own.
type Process struct {
	*Site
	*ServiceProcess
}

// StartProcess starts a gateway in front of next in a process of its own, with a store
// of its own, and waits until it answers.
func StartProcess(t testing.TB, next string, options ...string) *Process {
	t.Helper()
	return StartProcessIn(t, t.TempDir(), "", next, options...)
}

// StartProcessIn is StartProcess with the folder of the store, and with the number of
// the user that the process becomes, no text for its own.
func StartProcessIn(t testing.TB, folder, uid, next string, options ...string) *Process {
	t.Helper()
	p := PrepareProcess(t, folder, uid, next, options...)
	if _, err := p.Ready(); err != nil {
		p.End()
		t.Fatalf("the gateway's process: %v\n%s", err, &p.Stderr)
	}
	return p
}

// PrepareProcess is StartProcessIn without waiting for the gateway.
func PrepareProcess(t testing.TB, folder, uid, next string, options ...string) *Process {
	t.Helper()
	p := &Process{Site: &Site{
		T: t, Store: filepath.Join(folder, "audit.db"),
		URL: "http://" + FreeAddress(t), Metrics: "http://" + FreeAddress(t),
	}}
	p.ServiceProcess = StartCaddy(t, p.Config(p.WithAudit(options...), next), "FIELATO_TEST_UID="+uid)
	return p
}
