package witnesscmd_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/witness"
)

const (
	logName = "gw-1"
	name    = "testigo.example/w1"
)

// site is a witness that a test starts, perhaps several times.
type site struct {
	t                  *testing.T
	folder, store, key string
	log                *audit.Key
	public             *cosignature.Verifier
	address            string
	stop               func() error
	process            *exec.Cmd
	additional         []string // arguments
	history, rewritten *audittest.History
	client             *http.Client
}

func newSite(t *testing.T) *site {
	t.Helper()
	folder := t.TempDir()
	s := &site{
		t: t, folder: folder, store: filepath.Join(folder, "witness.state"), key: filepath.Join(folder, "keys", "witness.key"),
		log: audittest.Key(t, logName), history: audittest.NewHistory(t, 40, 0),
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}
	s.rewritten = s.history.Fork(t, 4)
	for len(s.rewritten.Leaves) < 40 {
		s.rewritten.Grow(t, uint64(100+len(s.rewritten.Leaves)))
	}
	out, errs, err := caddytest.RunCommand("witness", "--key", s.key, "--name", name, "--print-key")
	if err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	if s.public, err = cosignature.ParseVerifier(strings.TrimSuffix(out, "\n")); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return s
}

func (s *site) arguments() []string {
	return append([]string{"witness", "--listen", caddytest.Loopback + ":0", "--store", s.store, "--key", s.key, "--log", s.log.Verifier()}, s.additional...)
}

// start runs the witness in this process until the test ends.
func (s *site) start() {
	s.t.Helper()
	root := &cobra.Command{Use: "wsfev1", SilenceUsage: true, SilenceErrors: true}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(s.t.Context())
	root.SetOut(in)
	root.SetArgs(s.arguments())
	ended := make(chan error, 1)
	go func() {
		err := root.ExecuteContext(ctx)
		_ = in.CloseWithError(err)
		ended <- err
	}()
	stopped := false
	s.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-ended
	}
	s.t.Cleanup(func() {
		if err := s.stop(); err != nil {
			s.t.Errorf("the witness ended with %v", err)
		}
	})
	s.read(out)
}

// startProcess runs the witness in a process of its own.
func (s *site) startProcess() {
	s.t.Helper()
	s.process = caddytest.CommandProcess(s.t, "wsfev1 "+strings.Join(s.arguments(), " "))
	out, err := s.process.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.read(out)
}

// read reads the address that the witness listens on.
func (s *site) read(out io.Reader) {
	s.t.Helper()
	lines := bufio.NewReader(out)
	for range 2 {
		line, err := lines.ReadString('\n')
		if err != nil {
			s.t.Fatalf("the witness does not start: %v", err)
		}
		if address, found := strings.CutPrefix(line, "listening on "); found {
			s.address = strings.TrimSuffix(address, "\n")
			return
		}
		if line != "public key "+s.public.String()+"\n" {
			s.t.Errorf("%q", line)
		}
	}
	s.t.Fatal("it does not say where it listens")
}

// answer is an answer of the witness.
type answer struct {
	status int
	header http.Header
	body   string
}

// try sends a request.
func (s *site) try(method, path string, body []byte, change ...func(*http.Request)) (answer, error) {
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.address+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for _, f := range change {
		f(r)
	}
	response, err := s.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text)}, err
}

func (s *site) do(method, path string, body []byte, change ...func(*http.Request)) answer {
	s.t.Helper()
	got, err := s.try(method, path, body, change...)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// request asks for a cosignature of a history with its own proof.
func (s *site) request(h *audittest.History, old, size uint64) []byte {
	s.t.Helper()
	return witness.Request{Old: old, Proof: h.Prove(s.t, old, size), Checkpoint: h.Signed(s.t, s.log, logName, size)}.Encode()
}

func (s *site) add(h *audittest.History, old, size uint64) answer {
	s.t.Helper()
	return s.do(http.MethodPost, "/add-checkpoint", s.request(h, old, size))
}

// checkpointPath is the path of the log's newest cosigned checkpoint.
func checkpointPath() string { return "/" + witness.LogID(audit.Origin(logName)) + "/checkpoint" }
