package grafana_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
)

// within waits until something holds.
func within(t *testing.T, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	if !comes(t, patience, holds) {
		t.Fatalf("never happened: %s", what)
	}
}

// comes waits until something holds, and reports whether it does.
func comes(t *testing.T, patience time.Duration, holds func() bool) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

// freeAddresses returns addresses of this machine alone on which nothing listens.
func freeAddresses(t *testing.T, n int) []string {
	t.Helper()
	all := make([]string, n)
	for i := range all {
		port, err := testrun.FreePort()
		if err != nil {
			t.Fatal(err)
		}
		all[i] = fmt.Sprint("127.0.0.1:", port)
	}
	return all
}

// launch runs a program until the test ends, and waits until a URL answers 200.
func launch(t *testing.T, ready, program string, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	var output bytes.Buffer // written until the process has ended
	command.Stdout, command.Stderr = &output, &output
	command.Env = append(command.Environ(), "HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // it is killed
		close(ended)
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("%s\n%s", filepath.Base(program), output.String())
		}
	})
	within(t, time.Minute, filepath.Base(program)+" answers", func() bool {
		select {
		case <-ended:
			t.Fatalf("%s has ended", program)
		default:
		}
		resp, err := http.Get(ready)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// get returns what a URL answers.
func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// build returns the program, which is made once for all tests.
func build(t *testing.T) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// builds is the folder of the program; it exists once the program was made.
var builds string

// built builds the program.
var built = sync.OnceValues(func() (binary string, err error) {
	if builds, err = os.MkdirTemp("", "fielato-"); err != nil {
		return "", err
	}
	binary = filepath.Join(builds, "fielato")
	return binary, testrun.Build(context.Background(), "..", "./cmd/fielato", binary)
})

func TestMain(m *testing.M) {
	testrun.Main(m, func() {
		if builds != "" {
			_ = os.RemoveAll(builds)
		}
	})
}

// lines returns the lines of a text, without the white space around it.
func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
