package caddytest

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

// Witness is `fielato wsfev1 witness` in this process, at one address over several starts.
type Witness struct {
	T testing.TB
	// Public is its public key, and URL where it listens.
	Public, URL string
	// Folder has its files.
	Folder string

	address string
	stop    func()
}

// NewWitness makes a witness with this name, and its key. It does not run yet.
func NewWitness(t testing.TB, name string) *Witness {
	t.Helper()
	w := &Witness{T: t, Folder: t.TempDir(), address: FreeAddress(t), stop: func() {}}
	w.URL = "http://" + w.address
	out, errs, err := RunCommand("witness", "--key", w.file("key"), "--name", name, "--print-key")
	if err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	w.Public = strings.TrimSuffix(out, "\n")
	t.Cleanup(func() { w.stop() })
	return w
}

func (w *Witness) file(name string) string { return filepath.Join(w.Folder, name) }

// Start runs the witness for the logs with these public keys, until Stop or the test's end.
func (w *Witness) Start(logs ...string) {
	w.T.Helper()
	root := &cobra.Command{Use: "wsfev1", SilenceUsage: true, SilenceErrors: true}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	root.SetOut(in)
	arguments := []string{"witness", "--listen", w.address, "--store", w.file("state"), "--key", w.file("key")}
	for _, log := range logs {
		arguments = append(arguments, "--log", log)
	}
	root.SetArgs(arguments)
	ended := make(chan error, 1)
	go func() {
		err := root.ExecuteContext(ctx)
		_ = in.CloseWithError(err)
		ended <- err
	}()
	w.stop = func() {
		w.stop = func() {}
		cancel()
		if err := <-ended; err != nil {
			w.T.Errorf("the witness ended with %v", err)
		}
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			w.T.Fatalf("the witness does not start: %v", err)
		}
		if strings.HasPrefix(line, "listening on ") {
			return
		}
	}
}

// Stop ends it.
func (w *Witness) Stop() { w.stop() }

// Option is the option of a trail that asks the witness, with more arguments.
func (w *Witness) Option(more string) string {
	return TrailOption + "witness " + w.Public + " " + w.URL + more
}
