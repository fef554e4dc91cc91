package proving_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestEvidenceIsOfAllLogs, each record proven by its own log.
func TestEvidenceIsOfAllLogs(t *testing.T) {
	s := caddytest.TwoNodes(t)
	output := filepath.Join(t.TempDir(), "evidence")
	invoice := []string{"--cuit", "20111111112", "--pto-vta", "1", "--cbte-tipo", "6", "--nro", "2"}
	_, errs, err := s.Run("evidence", append(invoice, "--output", output)...)
	if err != nil || !strings.HasPrefix(errs, "4 exchanges written to ") {
		t.Fatalf("%v %s", err, errs)
	}
	files := filesOf(t, output)
	proofs := map[string]string{}
	for name, content := range files {
		folder, _, _ := strings.Cut(strings.TrimPrefix(name, "exchanges/"), "/")
		if !strings.HasSuffix(name, ".tlog-proof") {
			continue
		}
		proof, err := audit.ParseProof([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		for log, key := range s.Keys {
			if r, err := proof.Check(key.Verifier()); err == nil {
				proofs[folder] = fmt.Sprintf("%s/%d %s", log, r.Index, r.Kind)
			}
		}
	}
	want := map[string]string{
		"001-north-record-1": "north/1 intent", "002-south-record-0": "south/0 exchange",
		"003-south-record-1": "south/1 settlement", "004-north-record-2": "north/2 exchange",
	}
	if !maps.Equal(proofs, want) {
		t.Errorf("proven %v, want %v of %v", proofs, want, slices.Sorted(maps.Keys(files)))
	}
	checkSharedManifest(t, s, files)
	for _, want := range []string{"<td>north</td>", "<td>south</td>", "Cada pasarela lleva un registro de auditoría propio", `id="x0">north/1`, ">south/1<"} {
		if !strings.Contains(files["index.html"], want) {
			t.Errorf("the page has no %s", want)
		}
	}
	// Of one log it is as ever.
	output = filepath.Join(t.TempDir(), "evidence")
	if _, _, err := s.Run("evidence", append(invoice, "--log", "south", "--output", output)...); err != nil {
		t.Fatal(err)
	}
	files = filesOf(t, output)
	if files["exchanges/001-record-0/record.tlog-proof"] == "" || !strings.Contains(files["manifest.json"], `"log": "south"`) {
		t.Errorf("%v\n%s", slices.Sorted(maps.Keys(files)), files["manifest.json"])
	}
}

// TestEvidenceOfOneLogHasWhatAnotherSettled: the request is no longer open, and the proof of
// that is the other log's.
func TestEvidenceOfOneLogHasWhatAnotherSettled(t *testing.T) {
	s := caddytest.TwoNodes(t)
	output := filepath.Join(t.TempDir(), "evidence")
	_, errs, err := s.Run("evidence", "--log", "north", "--cuit", "20111111112", "--pto-vta", "1", "--cbte-tipo", "6", "--nro", "2", "--output", output)
	if err != nil || !strings.HasPrefix(errs, "3 exchanges written to ") {
		t.Fatalf("%v %s", err, errs)
	}
	files := filesOf(t, output)
	checkSharedManifest(t, s, files)
	proof, err := audit.ParseProof([]byte(files["exchanges/002-south-record-1/record.tlog-proof"]))
	if err != nil {
		t.Fatalf("%v of %v", err, slices.Sorted(maps.Keys(files)))
	}
	if r, err := proof.Check(s.Keys["south"].Verifier()); err != nil || r.Kind != audit.KindSettlement {
		t.Errorf("%v %v", r, err)
	}
	if page := files["index.html"]; !strings.Contains(page, "más tarde la pasarela consultó") || strings.Contains(page, "No se sabe si fue emitido") {
		t.Errorf("the page does not tell of the settlement:\n%s", page)
	}
	if _, there := files["exchanges/002-south-record-0/record.json"]; there {
		t.Error("a consultation of the other log is there")
	}
}

// checkSharedManifest: the key and a checkpoint of each log.
func checkSharedManifest(t *testing.T, s *caddytest.SharedTrail, files map[string]string) {
	t.Helper()
	var manifest struct {
		Log  string
		Logs []struct {
			Log, Checkpoint string
			Key             string `json:"public_key"`
		}
	}
	err := json.Unmarshal([]byte(files["manifest.json"]), &manifest, json.MatchCaseInsensitiveNames(true))
	if err != nil || manifest.Log != "" || len(manifest.Logs) != 2 {
		t.Fatalf("%v\n%s", err, files["manifest.json"])
	}
	for _, l := range manifest.Logs {
		kept, err := audit.OpenCheckpoint([]byte(l.Checkpoint), s.Keys[l.Log].Verifier())
		if err != nil || l.Key != s.Keys[l.Log].Verifier() || kept.Origin != audit.Origin(l.Log) {
			t.Errorf("%s: %v %v", l.Log, kept, err)
		}
	}
}
