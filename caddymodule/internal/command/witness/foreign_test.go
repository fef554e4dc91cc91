package witnesscmd_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/witness"
)

// TestALogOfOthersIsCosigned: Tessera's own client has its checkpoints cosigned while the log grows and the witness
// is restarted. torchwood verifies what was published.
func TestALogOfOthersIsCosigned(t *testing.T) {
	s, program := newSite(t), testrun.Foreign(t, "testdata/foreign", ".") // a log of Tessera
	secret, public, err := note.GenerateKey(rand.Reader, "ejemplo.com.ar/tessera")
	if err != nil {
		t.Fatal(err)
	}
	s.additional = []string{"--log", public}
	folder, size := t.TempDir(), 0
	for _, records := range []int{1, 6, 300} {
		s.start()
		size += records
		before := time.Now().Unix()
		run := exec.CommandContext(t.Context(), program, folder, secret, s.public.String(), s.address, fmt.Sprint(records))
		var errs bytes.Buffer
		run.Stderr = &errs
		out, err := run.Output()
		if err != nil {
			t.Fatalf("%d records: %v\n%s", records, err, &errs)
		}
		var got, seconds int64
		var root string
		if _, err := fmt.Sscan(string(out), &got, &root, &seconds); err != nil || got != int64(size) || seconds < before || seconds > time.Now().Unix() {
			t.Errorf("%d records: %v, %q", size, err, out)
		}
		answer := s.do(http.MethodGet, "/"+witness.LogID("ejemplo.com.ar/tessera")+"/checkpoint", nil)
		checkpoint, err := audit.OpenCheckpoint([]byte(answer.body), public)
		if err != nil || checkpoint.Size != uint64(size) || checkpoint.Root.String() != root {
			t.Errorf("%v: %+v, published was %q", err, answer, out)
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
	}
}
