package postgrestest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/testrun"
)

// start runs the server on a free port, the same one again once it had one.
func (c *Cluster) start() error {
	for attempt := 0; ; attempt++ {
		err := c.tryStart()
		if err == nil || attempt == 4 {
			return err
		}
	}
}

func (c *Cluster) tryStart() error {
	c.mu.Lock()
	port := c.port
	c.mu.Unlock()
	if port == 0 {
		free, err := testrun.FreePort()
		if err != nil {
			return err
		}
		port = free
	}
	// The shell ends the server when its own input ends, which is when the test's
	// process does. The watcher keeps no pipe of the test's open.
	const script = `exec 3<&0
"$0" "$@" 3<&- & server=$!
{ cat >/dev/null; kill -QUIT $server; } <&3 >/dev/null 2>&1 & watcher=$!
wait $server
kill $watcher`
	cmd := exec.Command("/bin/sh", "-c", script, //nolint:gosec // what a test has found installed
		filepath.Join(c.folder, "bin", "postgres"), "-D", c.data(), "-p", strconv.Itoa(port))
	cmd.Dir, cmd.SysProcAttr = c.folder, unprivileged()
	log := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = log, log
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.mu.Lock()
	c.process, c.input, c.log, c.port = cmd, input, log, port
	c.mu.Unlock()
	if err := c.awaitReady(); err != nil {
		stopped := c.stop("QUIT")
		return fmt.Errorf("starting PostgreSQL: %w (%w): %s", err, stopped, log)
	}
	return nil
}

// awaitReady returns when the server takes connections.
func (c *Cluster) awaitReady() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, c.DSN("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// Stop ends the server as an operator would, without waiting for its clients.
func (c *Cluster) Stop(tb testing.TB) {
	tb.Helper()
	if err := c.stop("INT"); err != nil {
		tb.Fatal(err)
	}
}

// Kill ends the server as a power cut would end it that spares the disk.
func (c *Cluster) Kill(tb testing.TB) {
	tb.Helper()
	if err := c.stop("QUIT"); err != nil {
		tb.Fatal(err)
	}
}

// Start starts a server that was stopped, on the same port.
func (c *Cluster) Start(tb testing.TB) {
	tb.Helper()
	if err := c.start(); err != nil {
		tb.Fatal(err)
	}
}

// stop sends a signal to the server and waits for its end.
func (c *Cluster) stop(signal string) error {
	c.mu.Lock()
	process, input := c.process, c.input
	c.process = nil
	c.mu.Unlock()
	if process == nil {
		return nil
	}
	if pid, err := c.pid(); err == nil {
		_ = exec.Command("kill", "-"+signal, pid).Run() //nolint:gosec // a signal of this file; the server may have ended by itself
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	select {
	case <-ended: // its status is the shell's own
		return nil
	case <-time.After(time.Minute):
		_ = input.Close()
		<-ended
		return fmt.Errorf("PostgreSQL did not end by SIG%s", signal)
	}
}

// pid is the number of the server's process, in the first line of its own file.
func (c *Cluster) pid() (string, error) {
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return "", err
	}
	pid, _, _ := strings.Cut(string(text), "\n")
	return pid, nil
}
