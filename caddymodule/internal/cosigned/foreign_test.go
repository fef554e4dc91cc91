package cosigned_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/internal/testrun"
)

// foreign is litewitness, with its key in an ssh-agent.
type foreign struct {
	t                    *testing.T
	name, program        string
	folder, socket       string
	fingerprint, address string
	public               string
	process              *exec.Cmd
}

// newForeigners builds litewitness from the module in testdata/foreign, and starts it once for each name, with keys
// and databases of their own.
func newForeigners(t *testing.T, names ...string) (all []*foreign) {
	t.Helper()
	program := testrun.Foreign(t, "testdata/foreign", "filippo.io/torchwood/cmd/litewitness")
	for _, name := range names {
		all = append(all, newForeign(t, name, program))
	}
	return all
}

func newForeign(t *testing.T, name, program string) *foreign {
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
	f := &foreign{t: t, name: name, program: program, folder: folder, socket: filepath.Join(folder, "agent"), address: caddytest.FreeAddress(t)}
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
	f.process = exec.CommandContext(f.t.Context(), f.program, "-db", f.database(), "-name", f.name,
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
	f, of := newForeigners(t, "testigo.example/lite")[0], newTrail(t, 5)
	p := &witnessAt{f.options()}
	caddytest.Eventually(t, "it listens, and does not know the log", func() bool {
		return strings.Contains(p.firstOf(t, of).said(), "give its operator the public key "+of.Verifier())
	})
	p.wantStanding(t, of, cosigned.Unknown)
	f.know(of)
	p.wantStanding(t, of, cosigned.Knows)
	caddytest.Tamper(t, f.database(), "UPDATE log SET tree_size = 0 WHERE tree_size = 0") // fails if it has signed something
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

// TestTwoOfThreeWitnessesOfOthersSuffice: three litewitnesses, unmodified, of which one and then two are killed.
func TestTwoOfThreeWitnessesOfOthersSuffice(t *testing.T) {
	all, of := newForeigners(t, "a.example/lite", "b.example/lite", "c.example/lite"), newTrail(t, 5)
	var options []cosigned.Options
	for _, f := range all {
		f.know(of)
		options = append(options, f.options())
	}
	ask := func() *group {
		t.Helper()
		of.grow(1)
		g := groupOf(t, of, cosigned.Settings{Witnesses: options, Quorum: 2}, len(options))
		if err := g.First(t.Context(), of); err != nil {
			t.Fatal(err)
		}
		return g
	}
	signed := func(size uint64, by ...*foreign) {
		t.Helper()
		newest := of.keeper.Newest()
		if got := of.size(newest); got != size {
			t.Fatalf("%d records are cosigned, not %d:\n%s", got, size, newest)
		}
		for _, f := range all {
			if has := strings.Contains(string(newest), "— "+f.name+" "); has != slices.Contains(by, f) {
				t.Errorf("a line of %s: %t\n%s", f.name, has, newest)
			}
		}
	}
	caddytest.Eventually(t, "all of them sign", func() bool { ask(); return strings.Count(string(of.keeper.Newest()), "\n— ") == 4 })
	before := of.size(of.keeper.Newest())
	signed(before, all...)
	all[0].stop()
	ask()
	signed(before+1, all[1], all[2])
	all[1].stop()
	if said := ask().said(); !strings.Contains(said, "does not answer") {
		t.Errorf("with one of three: %q", said)
	}
	signed(before+1, all[1], all[2])
	all[0].start()
	caddytest.Eventually(t, "two of them sign again", func() bool { ask(); return of.size(of.keeper.Newest()) > before+1 })
	signed(of.size(of.keeper.Newest()), all[0], all[2])
}

// options configure it as a witness of the trail.
func (f *foreign) options() cosigned.Options {
	return cosigned.Options{Key: f.public, URL: "http://" + f.address}
}

// witnessAt is a witness that this process does not run.
type witnessAt struct{ options cosigned.Options }

// wantStanding looks at it.
func (w *witnessAt) wantStanding(t *testing.T, of *trail, want cosigned.Standing) {
	t.Helper()
	policy, err := cosigned.Settings{Witnesses: []cosigned.Options{w.options}}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	looks, quorum := policy.Look(t.Context(), of.Checkpoint(), of.Verifier())
	if got := looks[0]; got.Standing != want || quorum != (want == cosigned.Knows) {
		t.Errorf("it stands as %d (%s), want %d", got.Standing, got.Said, want)
	}
}

// firstOf asks it once, as at a start.
func (w *witnessAt) firstOf(t *testing.T, of *trail) *group {
	t.Helper()
	g := groupOf(t, of, cosigned.Settings{Witnesses: []cosigned.Options{w.options}}, 1)
	if err := g.First(t.Context(), of); err != nil {
		t.Fatal(err)
	}
	return g
}
