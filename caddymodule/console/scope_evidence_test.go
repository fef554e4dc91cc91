package console

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

// unzipped returns the files of an archive by their names.
func unzipped(t *testing.T, content string) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}

// TestEvidenceHasOwnRecordsAlone: the archive has the same exchanges with and without others' records. The proofs
// in it hold hashes, and the checkpoint that they lead to.
func TestEvidenceHasOwnRecordsAlone(t *testing.T) {
	alone := newLedger(t)
	alone.fill(scopeLog, issuerA)
	behind := newLedger(t)
	behind.fill(scopeLog, issuerA)
	behind.fill(scopeLog, issuerB)
	behind.many(scopeLog, 300)
	behind.many("gateway-2", 300)
	want, got := alone.site(), behind.site()
	for _, address := range []string{"/consola/proof/gateway-1/1/evidence?nro=1", "/consola/proof/gateway-1/10/evidence?nro=6", "/consola/proof/gateway-1/15/evidence?nro=12"} {
		first, second := ask(t, want, "a", http.MethodGet, address), ask(t, got, "a", http.MethodGet, address)
		if first.Code != http.StatusOK || second.Code != http.StatusOK {
			t.Fatalf("%s: %d and %d\n%s", address, first.Code, second.Code, second.Body)
		}
		files, others := unzipped(t, first.Body), unzipped(t, second.Body)
		for name, content := range others {
			known, ok := files[name]
			if !ok {
				t.Errorf("%s has %s", address, name)
			}
			found := (&answerOf{Body: content}).has(marksOf(issuerB))
			if len(found) > 0 || strings.Contains(content, "gateway-2") {
				t.Errorf("%s: %s has %v", address, name, found)
			}
			if path.Ext(name) == ".json" && strings.Contains(name, "/") && content != known {
				t.Errorf("%s: %s: %s", address, name, firstDifference(content, known))
			}
		}
		if len(files) != len(others) || len(files) < 5 {
			t.Errorf("%s: %d files, want %d", address, len(others), len(files))
		}
	}
}

// TestEvidenceOfAReaderHasTheTimestamp, though the settings of the store are not for a reader of some issuers. It holds,
// and has nothing of others.
func TestEvidenceOfAReaderHasTheTimestamp(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	l := newLedger(t)
	l.fill(scopeLog, issuerB)
	l.fill(scopeLog, issuerA)
	head, err := l.store.Head(t.Context(), scopeLog)
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(map[string]any{"checkpoint": string(head.Checkpoint), "reply": tsa.Stamp(head.Checkpoint)})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.store.SetSetting(t.Context(), "timestamp/"+scopeLog, value); err != nil {
		t.Fatal(err)
	}
	l.many(scopeLog, 300)
	answer := ask(t, l.site(), "a", http.MethodGet, fmt.Sprintf("/consola/proof/gateway-1/%d/evidence?nro=1", l.at[1]))
	if answer.Code != http.StatusOK {
		t.Fatalf("%d\n%s", answer.Code, answer.Body)
	}
	folder, stamps := fstest.MapFS{}, 0
	for name, content := range unzipped(t, answer.Body) {
		folder[name] = &fstest.MapFile{Data: []byte(content)}
		if found := (&answerOf{Body: content}).has(marksOf(issuerB)); len(found) > 0 {
			t.Errorf("%s has %v", name, found)
		}
		if path.Base(name) == "timestamp.tsr" {
			stamps++
		}
	}
	checked, err := evidence.Check(folder, audittest.Key(t, scopeLog).Verifier())
	if err != nil || len(checked.Faults)+len(checked.Unstamped) > 0 || stamps == 0 || len(checked.Stamps) != stamps {
		t.Fatalf("%v: %d files with a stamp, %+v", err, stamps, checked)
	}
	for _, stamp := range checked.Stamps {
		if stamp.Records != head.Size || stamp.Authority != tsa.Name {
			t.Errorf("%+v", stamp)
		}
	}
}
