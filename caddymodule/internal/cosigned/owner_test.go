package cosigned_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/testrun"
)

// owner has the disk, the database and the key of the log, and not the key of the witness.
type owner struct {
	t      *testing.T
	random *rand.Rand
	// signed is how many records the witness has signed, and note the checkpoint.
	signed uint64
	note   []byte
}

// history returns the log with so many records. Two logs have the same first records.
func (o *owner) history(records int) *audittest.Grown {
	g := audittest.NewGrown(o.t, logName)
	g.Grow(records)
	return g
}

// attack returns another log in place of the one that was signed, and the name of the way it was made in.
func (o *owner) attack() (how string, g *audittest.Grown) {
	from := o.random.IntN(int(o.signed)) // the first record that is another one, or is gone
	g = o.history(from)
	other := func(records int) {
		g.Source = audittest.NewSource(1000 + o.random.Uint64N(1000))
		g.Grow(records)
	}
	switch o.random.IntN(4) {
	case 0:
		how = "rewritten"
		other(int(o.signed) - from)
	case 1:
		how = "cut off"
	case 2:
		how = "forked"
		other(1 + o.random.IntN(2*int(o.signed)))
	case 3:
		how = "restored and gone on"
		if from == 0 {
			g.Grow(1) // an empty log is begun anew, not restored
		}
		other(1 + o.random.IntN(5))
	}
	return fmt.Sprintf("%s from %d of %d, %d now", how, from, o.signed, g.Size), g
}

// export writes the attacked log as an export, in which the owner may claim that it continues the signed checkpoint.
func (o *owner) export(g *audittest.Grown) string {
	o.t.Helper()
	path := o.t.TempDir()
	folder, err := export.OpenDirectory(path)
	if err != nil {
		o.t.Fatal(err)
	}
	defer folder.Close()
	if _, err := export.Write(o.t.Context(), g.Store, logName, folder, export.Options{Verifier: g.Verifier()}); err != nil {
		o.t.Fatal(err)
	}
	if o.random.IntN(2) == 0 {
		return path
	}
	name := filepath.Join(path, "manifest.json")
	text, err := os.ReadFile(name)
	if err != nil {
		o.t.Fatal(err)
	}
	manifest := new(export.Manifest)
	if err := json.Unmarshal(text, manifest); err != nil {
		o.t.Fatal(err)
	}
	manifest.Witnessed = &export.Witnessed{Checkpoint: string(o.note)}
	if g.Size > o.signed { // the best proof that the attacked log gives
		proof, err := tlog.ProveTree(int64(g.Size), int64(o.signed), audit.HashReader(o.t.Context(), g.Store, logName, g.Size))
		if err != nil {
			o.t.Fatal(err)
		}
		for _, hash := range proof {
			manifest.Witnessed.Consistency = append(manifest.Witnessed.Consistency, hash.String())
		}
	}
	if text, err = json.Marshal(manifest); err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return path
}

// TestTheOwnerIsFoundOut whatever he rewrites, cuts off, forks or restores of the signed records: by a stranger with one
// earlier cosigned proof, by one who asks for the witness's signature, and by the gateway's next start.
func TestTheOwnerIsFoundOut(t *testing.T) {
	for n := range testrun.Size(t, 12, 200) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			o := &owner{t: t, random: rand.New(rand.NewPCG(39, uint64(n)))}
			honest := o.history(1 + o.random.IntN(300))
			w := newPlace(t, "testigo.example/w1", 7, honest.Verifier())
			of := trailOver(t, honest.Store)
			if err := newGroup(t, of, 0, true, w).First(t.Context(), of); err != nil {
				t.Fatal(err)
			}
			o.signed, o.note = honest.Size, of.keeper.Newest()
			proof, err := audit.Prove(t.Context(), honest.Store, logName, honest.Verifier(), o.random.Uint64N(honest.Size))
			if err != nil {
				t.Fatal(err)
			}
			how, attacked := o.attack()
			path := o.export(attacked)
			report, err := export.Verify(t.Context(), os.DirFS(path), export.VerifyOptions{Verifier: attacked.Verifier(), Known: proof.Checkpoint})
			if err != nil || report.Sound() {
				t.Errorf("%s: the stranger with a proof sees nothing: %v", how, err)
			}
			if report, err = export.Verify(t.Context(), os.DirFS(path), export.VerifyOptions{Verifier: attacked.Verifier()}); err != nil {
				t.Fatal(err)
			}
			if report.Sound() && o.hasSignature(w, report.WitnessedNote, attacked.Verifier()) {
				t.Errorf("%s: the export has the signature of the witness", how)
			}
			now := trailOver(t, attacked.Store)
			if o.random.IntN(2) == 0 { // with the cosigned checkpoint that the store had
				if err := now.store.SetSetting(t.Context(), audit.CosignedSetting(logName), o.note); err != nil {
					t.Fatal(err)
				}
				now.reopen()
			}
			if err := newGroup(t, now, 0, false, w).First(t.Context(), now); !errors.Is(err, audit.ErrUnsound) {
				t.Errorf("%s: the next start sees nothing: %v", how, err)
			}
		})
	}
}

// hasSignature reports whether a checkpoint has the signature of the witness.
func (o *owner) hasSignature(w *place, note []byte, log string) bool {
	policy, err := cosignature.NewPolicy([]cosignature.Witness{{Key: w.key.Verifier()}}, 1)
	if err != nil {
		o.t.Fatal(err)
	}
	if note == nil {
		return false
	}
	verdict, err := policy.Judge(note, log)
	return err == nil && verdict.Satisfied
}
