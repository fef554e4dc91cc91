package caddymodule_test

import (
	"bufio"
	"bytes"
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

// serviceConfig is a Caddyfile with the built-in service alone.
func serviceConfig(address, ledger string) string {
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

// serviceProcess is Caddy in a process of its own.
type serviceProcess struct {
	cmd    *exec.Cmd
	out    *bufio.Reader
	stderr bytes.Buffer
	in     io.WriteCloser
	once   sync.Once
}

// serviceCaddyfile names the environment variable with the configuration of the process.
const serviceCaddyfile = "FIELATO_TEST_CADDYFILE"

// startService starts the process with this Caddyfile; it may not answer yet.
func startService(t testing.TB, config string) *serviceProcess {
	t.Helper()
	return startCaddy(t, config)
}

// startReady is startCaddy, and waits until it answers.
func startReady(t testing.TB, caddyfile string, environment ...string) *serviceProcess {
	t.Helper()
	p := startCaddy(t, caddyfile, environment...)
	if _, err := p.ready(); err != nil {
		p.kill()
		t.Fatalf("the process: %v\n%s", err, &p.stderr)
	}
	return p
}

// startCaddy starts Caddy with a Caddyfile in a process of its own, with more variables in
// its environment.
func startCaddy(t testing.TB, caddyfile string, environment ...string) *serviceProcess {
	t.Helper()
	p := &serviceProcess{cmd: roleProcess(t, "service", append(environment, serviceCaddyfile+"="+caddyfile)...)}
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	// The process ends with its standard input, that is, with the test.
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// ready waits until the service answers and returns how long Caddy took to load its
// configuration, the opening of the ledger included. The error is that of a process
// which ended before.
func (p *serviceProcess) ready() (time.Duration, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	took, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return time.Duration(took), err
}

// kill ends the process as a power cut ends it, but for what the kernel holds, and
// waits until it is gone. It may be called again.
func (p *serviceProcess) kill() {
	p.once.Do(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
}

// end lets the service stop in order, waits until it is gone and returns the time for
// which it kept processors busy.
func (p *serviceProcess) end() time.Duration {
	p.once.Do(func() {
		_ = p.in.Close()
		_ = p.cmd.Wait()
	})
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
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
	if err := loadCaddyfile(os.Getenv(serviceCaddyfile)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(time.Since(began).Nanoseconds())
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = caddy.Stop()
}

// process is a gateway in a process of its own.
type process struct {
	*site
	*serviceProcess
}

// startProcess starts a gateway in front of next in a process of its own, with a store
// of its own, and waits until it answers.
func startProcess(t testing.TB, next string, options ...string) *process {
	t.Helper()
	return startProcessIn(t, t.TempDir(), "", next, options...)
}

// startProcessIn is startProcess with the folder of the store, and with the number of
// the user that the process becomes, no text for its own.
func startProcessIn(t testing.TB, folder, uid, next string, options ...string) *process {
	t.Helper()
	p := prepareProcess(t, folder, uid, next, options...)
	if _, err := p.ready(); err != nil {
		p.end()
		t.Fatalf("the gateway's process: %v\n%s", err, &p.stderr)
	}
	return p
}

// prepareProcess is startProcessIn without waiting for the gateway.
func prepareProcess(t testing.TB, folder, uid, next string, options ...string) *process {
	t.Helper()
	p := &process{site: &site{
		t: t, store: filepath.Join(folder, "audit.db"),
		url: "http://" + freeAddress(t), metrics: "http://" + freeAddress(t),
	}}
	p.serviceProcess = startCaddy(t, p.config(p.withAudit(options...), next), "FIELATO_TEST_UID="+uid)
	return p
}
