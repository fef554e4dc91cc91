package cosigned_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
)

// foreign is litewitness, with its key in an ssh-agent.
type foreign struct {
	t                       *testing.T
	program, folder, socket string
	fingerprint, address    string
	public                  string
	process                 *exec.Cmd
}

// newForeign builds litewitness from the module in testdata/foreign, and makes its key.
func newForeign(t *testing.T) *foreign {
	t.Helper()
	for _, tool := range []string{"ssh-agent", "ssh-add", "ssh-keygen"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("litewitness signs by an ssh-agent: %v", err)
		}
	}
	folder, err := os.MkdirTemp("", "w") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	f := &foreign{t: t, folder: folder, program: filepath.Join(folder, "litewitness"), socket: filepath.Join(folder, "agent"), address: caddytest.FreeAddress(t)}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", f.program, "filippo.io/torchwood/cmd/litewitness")
	build.Dir = "testdata/foreign"
	f.run(build)
	agent := exec.CommandContext(t.Context(), "ssh-agent", "-D", "-a", f.socket)
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agent.Process.Kill(); _ = agent.Wait() })
	caddytest.Eventually(t, "the agent listens", func() bool { _, err := os.Stat(f.socket); return err == nil })
	key := filepath.Join(folder, "key")
	f.run(exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key))
	add := exec.CommandContext(t.Context(), "ssh-add", "-q", key)
	add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+f.socket)
	f.run(add)
	f.fingerprint = strings.Fields(f.run(exec.CommandContext(t.Context(), "ssh-keygen", "-lf", key+".pub")))[1]
	f.start()
	return f
}

func (f *foreign) run(cmd *exec.Cmd) string {
	f.t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

var vkey = regexp.MustCompile(`vkey=(\S+)`)

// start runs it until stop, and reads its public key.
func (f *foreign) start() {
	f.t.Helper()
	f.process = exec.CommandContext(f.t.Context(), f.program, "-db", f.database(), "-name", "testigo.example/lite",
		"-key", f.fingerprint, "-ssh-agent", f.socket, "-listen", f.address)
	out, err := f.process.StderrPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.process.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(f.stop)
	lines := bufio.NewScanner(out)
	for f.public = ""; f.public == "" && lines.Scan(); {
		if found := vkey.FindStringSubmatch(lines.Text()); found != nil {
			f.public = strings.Trim(found[1], `"`)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
}

func (f *foreign) stop() {
	_ = f.process.Process.Kill()
	_ = f.process.Wait()
}

func (f *foreign) database() string { return filepath.Join(f.folder, "db") }

// know enters a log, as its operator would.
func (f *foreign) know(of *trail) {
	f.t.Helper()
	origin := audit.Origin(logName)
	caddytest.Tamper(f.t, f.database(), "INSERT INTO log(origin,tree_size,tree_hash) VALUES('"+origin+"',0,'47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')")
	caddytest.Tamper(f.t, f.database(), "INSERT INTO key(origin,key) VALUES('"+origin+"','"+of.Verifier()+"')")
}

// TestAWitnessOfOthersCosigns: litewitness, unmodified, while the log grows and after a restart of both. It has no path
// to ask it for a checkpoint, so a restored log raises an alert.
func TestAWitnessOfOthersCosigns(t *testing.T) {
	f, of := newForeign(t), newTrail(t, 5)
	p := &witnessAt{cosigned.Options{Key: f.public, URL: "http://" + f.address}}
	caddytest.Eventually(t, "it listens, and does not know the log", func() bool {
		return strings.Contains(p.firstOf(t, of).said(), "give its operator the public key "+of.Verifier())
	})
	f.know(of)
	if g := p.firstOf(t, of); of.size(of.keeper.Newest()) != 5 {
		t.Fatalf("%s", g.said())
	}
	for _, records := range []int{1, 2, 300} {
		of.grow(records)
		if g := p.firstOf(t, of); of.size(of.keeper.Newest()) != of.size(of.Checkpoint()) {
			t.Fatalf("%d records more: %s", records, g.said())
		}
	}
	f.stop()
	f.start()
	of.reopen()
	of.grow(7)
	caddytest.Eventually(t, "it signs after a restart of both", func() bool {
		p.firstOf(t, of)
		return of.size(of.keeper.Newest()) == 315
	})
	older := newTrail(t, 300)
	if said := p.firstOf(t, older).said(); !strings.Contains(said, "with 315 records, and it has 300") || older.keeper.Newest() != nil || older.keeper.Contradicted() != nil {
		t.Errorf("an older copy: %q", said)
	}
	older.grow(100)
	if said := p.firstOf(t, older).said(); !strings.Contains(said, "history of the log was rewritten") || older.keeper.Newest() != nil {
		t.Errorf("another history: %q", said)
	}
}

// witnessAt is a witness that this process does not run.
type witnessAt struct{ options cosigned.Options }

// firstOf asks it once, as at a start.
func (w *witnessAt) firstOf(t *testing.T, of *trail) *group {
	t.Helper()
	g := groupOf(t, of, cosigned.Settings{Witnesses: []cosigned.Options{w.options}}, 1)
	if err := g.First(t.Context(), of); err != nil {
		t.Fatal(err)
	}
	return g
}
