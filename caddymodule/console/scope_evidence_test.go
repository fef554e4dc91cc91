package console

import (
	"archive/zip"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"
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
