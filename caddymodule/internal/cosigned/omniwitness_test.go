package cosigned_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// omniwitness is the witness of transparency-dev, unmodified.
type omniwitness struct {
	t               *testing.T
	program, folder string
	address         string
	process         *exec.Cmd
}

// startOmniwitness builds it from the module in testdata/omniwitness, and starts it with a key and a log.
func startOmniwitness(t *testing.T, log string) (o *omniwitness, public string) {
	t.Helper()
	folder := t.TempDir()
	o = &omniwitness{t: t, folder: folder, address: caddytest.FreeAddress(t)}
	o.program = testrun.Foreign(t, "testdata/omniwitness", "github.com/transparency-dev/witness/cmd/omniwitness")
	const name = "testigo.example/omni"
	key := audittest.Witness(t, name) // its seed is the one of a key of another type
	seed, err := base64.StdEncoding.DecodeString(key.Private()[strings.LastIndex(key.Private(), "+")+1:])
	if err != nil {
		t.Fatal(err)
	}
	seed = seed[1:]
	own, err := note.NewEd25519VerifierKey(name, ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.Split(own, "+")[1]
	o.write("key", fmt.Sprintf("PRIVATE+KEY+%s+%s+%s", name, hash, base64.StdEncoding.EncodeToString(append([]byte{1}, seed...))))
	o.write("logs", fmt.Sprintf("Logs:\n  - Origin: %s\n    URL: http://127.0.0.1:1/\n    PublicKey: %s\n    Feeder: none\n", audit.Origin(logName), log))
	o.start()
	return o, key.String()
}

func (o *omniwitness) write(name, text string) {
	if err := os.WriteFile(filepath.Join(o.folder, name), []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
}

func (o *omniwitness) start() {
	in := func(name string) string { return filepath.Join(o.folder, name) }
	o.process = exec.CommandContext(o.t.Context(), o.program, "--private_key_path", in("key"), "--db_file", in("db"),
		"--additional_logs", in("logs"), "--listen", o.address, "--metrics_listen", caddytest.FreeAddress(o.t))
	if err := o.process.Start(); err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(o.stop)
}

func (o *omniwitness) stop() {
	_ = o.process.Process.Kill()
	_ = o.process.Wait()
}

// TestOmniwitnessCosigns while the log grows and after a restart of both, and raises an alert about an older copy and
// another history.
func TestOmniwitnessCosigns(t *testing.T) {
	of := newTrail(t, 5)
	o, public := startOmniwitness(t, of.Verifier())
	p := &witnessAt{cosigned.Options{Key: public, URL: "http://" + o.address}}
	signed := func(what string, size uint64) {
		t.Helper()
		var said string
		caddytest.Eventually(t, what, func() bool {
			said = p.firstOf(t, of).said()
			return of.size(of.keeper.Newest()) == size
		})
		t.Logf("%s: %s", what, said)
	}
	signed("it listens, and signs", 5)
	p.wantStanding(t, of, cosigned.Knows)
	for _, records := range []int{1, 2, 300} {
		of.grow(records)
		signed(fmt.Sprint(records, " records more"), of.size(of.Checkpoint()))
	}
	o.stop()
	o.start()
	of.reopen()
	of.grow(7)
	signed("after a restart of both", 315)
	older := newTrail(t, 300)
	if said := p.firstOf(t, older).said(); !strings.Contains(said, "with 315 records, and it has 300") || older.keeper.Newest() != nil || older.keeper.Contradicted() != nil {
		t.Errorf("an older copy: %q", said)
	}
	older.grow(100)
	if said := p.firstOf(t, older).said(); said == "" || older.keeper.Newest() != nil {
		t.Errorf("another history: %q", said)
	}
}
