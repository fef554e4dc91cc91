package proof_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/wsfev1"
)

// TestPageHasWhatAReaderAndAScriptNeed: the record and its intent, both proofs as the commands write
// them, and how to check them without a script.
func TestPageHasWhatAReaderAndAScriptNeed(t *testing.T) {
	path, key := trailFile(t)
	w := serve(t, path, key)
	got := w.get("gateway-1/3")
	page := got.Body.String()
	if got.Code != http.StatusOK {
		t.Fatal(got.Code, page)
	}
	wantAll(t, page, "Factura B 0001-00000005", "20-11111111-2", "76470000000018", "service.example:443", "192.0.2.7", "22/11/2026 12:00:00", "10217", "10063",
		"la constancia es correcta con la clave que él nombra", "fielato wsfev1 audit check-proof gateway-1-3.tlog-proof", "python3 verify.py", "https://elsewhere.example", "la última, el 22/11/2026 12:00:01",
		"Descargar todo sobre este comprobante", "&lt;script&gt;alert(1)")
	wantNone(t, page, "<script>alert", "sin validez fiscal")
	wantNone(t, dataBlock.ReplaceAllString(page, ""), "\u202e")
	data := dataOf(t, page)
	if data.Log != log || data.Key != key || data.Incomplete || len(data.Proofs) != 2 || data.Proofs[0].Index != "3" || data.Proofs[1].Index != "2" {
		t.Fatalf("%+v", data)
	}
	for _, one := range data.Proofs {
		proof, err := audit.ParseProof([]byte(one.Text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := proof.Check(key); err != nil {
			t.Error(err)
		}
	}
}

// TestRecordsOfAllKindsHaveAPage, and others have none.
func TestRecordsOfAllKindsHaveAPage(t *testing.T) {
	path, key := trailFile(t)
	w := serve(t, path, key)
	for address, want := range map[string]string{"gateway-1/0": "FEDummy", "gateway-1/2": "pedido, antes de enviarlo", "gateway-1/6": "caída del servicio"} {
		if got := w.get(address); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), want) {
			t.Errorf("%s: %d, want %q", address, got.Code, want)
		}
	}
	for _, address := range []string{"gateway-1/7", "gateway-1/x", "gateway-1/-1", "gateway-1/18446744073709551615", "other/0", "gateway-1/7/proof", "other/0/evidence?nro=5", "other/0/checkpoint"} {
		if got := w.get(address); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d", address, got.Code)
		}
	}
	for _, address := range []string{"gateway-1/3/evidence", "gateway-1/3/evidence?nro=6", "gateway-1/0/evidence?nro=5"} {
		if got := w.get(address); got.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", address, got.Code)
		}
	}
}

// TestTheProofOfAnOutageHasItsEndAndLength.
func TestTheProofOfAnOutageHasItsEndAndLength(t *testing.T) {
	path, key := trailFile(t)
	body := serve(t, path, key).get("gateway-1/6").Body.String()
	at := noon.In(wsfev1.Argentina)
	for _, want := range []string{
		"Comienzo (primera falla)", at.Format("02/01/2006 15:04:05"), "Fin (primera respuesta)", at.Add(2*time.Hour + 3*time.Minute).Format("02/01/2006 15:04:05"),
		"Duración", "2 h 3 min", "arca", "Pedidos sin respuesta", "24", "gateway-1/5",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, ">outage_ended") {
		t.Error("a word of the program is shown")
	}
}

// TestDownloadsAreTheFilesOfTheCommands.
func TestDownloadsAreTheFilesOfTheCommands(t *testing.T) {
	path, key := trailFile(t)
	w := serve(t, path, key)
	proof, err := audit.Prove(t.Context(), w.store, log, key, outcomeAt)
	if err != nil {
		t.Fatal(err)
	}
	got := w.get("gateway-1/3/proof")
	if got.Code != http.StatusOK || !bytes.Equal(got.Body.Bytes(), proof.Marshal()) || got.Header().Get("Content-Disposition") != "attachment; filename=gateway-1-3.tlog-proof" {
		t.Errorf("%d %v %s", got.Code, got.Header(), got.Body)
	}
	if got := w.get("gateway-1/3/checkpoint"); got.Code != http.StatusOK || !bytes.Equal(got.Body.Bytes(), proof.Checkpoint) {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	got = w.get("gateway-1/3/evidence?nro=5")
	archive, err := zip.NewReader(bytes.NewReader(got.Body.Bytes()), int64(got.Body.Len()))
	if err != nil || got.Header().Get("Content-Disposition") != "attachment; filename=evidencia-20111111112-6-1-5.zip" {
		t.Fatalf("%v: %d %v", err, got.Code, got.Header())
	}
	checked, err := evidence.Check(archive, key)
	if err != nil || len(checked.Faults) > 0 || len(checked.Proofs) != 2 {
		t.Errorf("%v %+v", err, checked)
	}
	folder := filepath.Join(t.TempDir(), "evidence")
	wanted := audit.Query{Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, Number: 5}
	if _, err := evidence.Write(t.Context(), w.store, []string{log}, wanted, folder); err != nil {
		t.Fatal(err)
	}
	compared := 0
	err = fs.WalkDir(os.DirFS(folder), "exchanges", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		compared++
		want, err := os.ReadFile(filepath.Join(folder, name))
		if got, failed := fs.ReadFile(archive, name); failed != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, other bytes", name, failed)
		}
		return err
	})
	if err != nil || compared < 6 {
		t.Errorf("%v, %d files", err, compared)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "fielato-evidence-*")); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
}

// TestAPartOfADownloadIsNotGiven: the rest would be of another file.
func TestAPartOfADownloadIsNotGiven(t *testing.T) {
	path, key := trailFile(t)
	w := serve(t, path, key)
	for _, address := range []string{"proof", "checkpoint", "evidence?nro=5"} {
		r := httptest.NewRequest(http.MethodGet, "/consola/proof/gateway-1/3/"+address, nil)
		r.Header.Set("Range", "bytes=100-")
		got := httptest.NewRecorder()
		w.ServeHTTP(got, r)
		if got.Code != http.StatusOK || got.Header().Get("Accept-Ranges") != "" || got.Header().Get("Content-Length") != strconv.Itoa(got.Body.Len()) {
			t.Errorf("%s: %d %v", address, got.Code, got.Header())
		}
	}
}

// TestALotAsksForTheInvoice number.
func TestALotAsksForTheNumber(t *testing.T) {
	path, key := trailFile(t)
	w := serve(t, path, key)
	wantAll(t, w.get("gateway-1/4").Body.String(), `min="10" max="12"`, "Descargar todo sobre este comprobante")
	if got := w.get("gateway-1/4/evidence?nro=12"); got.Code != http.StatusOK || got.Header().Get("Content-Type") != "application/zip" {
		t.Errorf("%d %v", got.Code, got.Header())
	}
}

// tampered are the ways to change the store. words is a part of the page's text. whole: the page has all
// parts of the proof. A proof is never handed out.
var tampered = map[string]struct {
	change func(*testing.T, *sql.DB)
	words  string
	whole  bool
}{
	"a byte of the record":     {replace("summaries", outcomeAt, "service.example", "another.example"), "no coinciden", true},
	"a byte of the body":       {replace("content", outcomeAt, "76470000000018", "76470000000019"), "no coinciden", true},
	"a node of the tree":       {statement("UPDATE segments SET leaves = zeroblob(length(leaves)) WHERE id = (SELECT min(id) FROM segments)"), "no coinciden", true},
	"a node is gone":           {statement("UPDATE segments SET leaves = x'' WHERE id = (SELECT min(id) FROM segments)"), "falta una parte del árbol", false},
	"the checkpoint":           {statement("UPDATE checkpoints SET note = CAST(replace(CAST(note AS TEXT), 'fielato/gateway-1', 'fielato/gateway-2') AS BLOB)"), "no coinciden", true},
	"the checkpoint is gone":   {statement("DELETE FROM checkpoints"), "ningún punto de control", true},
	"a damaged record":         {statement("UPDATE segments SET summaries = x'00ff' WHERE id = (1 << 40 | 3)"), "está dañado", false},
	"a damaged body":           {statement("UPDATE segments SET content = x'00ff' WHERE id = (1 << 40 | 3)"), "está dañado", false},
	"the record is gone":       {statement("DELETE FROM segments WHERE id = (1 << 40 | 3)"), "falta en el almacén", false},
	"the end of the log":       {statement("DELETE FROM segments WHERE id >= (1 << 40 | 3)"), "falta en el almacén", false},
	"the key is gone":          {statement("DELETE FROM secrets WHERE name LIKE '%/gateway-1'"), "no se conoce la clave", true},
	"the key is another thing": {statement("UPDATE secrets SET value = CAST('no key' AS BLOB) WHERE name LIKE '%/gateway-1'"), "la clave está dañada", true},
}

// TestATamperedStoreIsShown as it is found, in words, and never as a failure of the page.
func TestATamperedStoreIsShown(t *testing.T) {
	path, key := trailFile(t)
	for name, test := range tampered {
		t.Run(name, func(t *testing.T) {
			w := serve(t, copied(t, path, test.change), key)
			got := w.get("gateway-1/3")
			if got.Code != http.StatusOK {
				t.Fatal(got.Code)
			}
			page := got.Body.String()
			wantAll(t, page, test.words, "no verificado", "Descargas")
			wantNone(t, page, "outcome good")
			if data := dataOf(t, page); data.Incomplete == test.whole {
				t.Errorf("incomplete: %v", data.Incomplete)
			}
			for _, address := range []string{"gateway-1/3/proof", "gateway-1/3/evidence?nro=5"} {
				got := w.get(address)
				if got.Code == http.StatusOK && !strings.Contains(name, "node") || got.Code >= http.StatusInternalServerError {
					t.Errorf("%s: %d", address, got.Code)
				}
				if got.Code == http.StatusConflict {
					wantAll(t, got.Body.String(), test.words, `role="alert"`)
				}
			}
		})
	}
}

// TestMaskedPagesHaveNoDocuments, until the reader reveals them by a form.
func TestMaskedPagesHaveNoDocuments(t *testing.T) {
	path, key := trailFile(t)
	w := serve(t, path, key)
	w.MaskAll = true
	for address, want := range map[string]bool{"gateway-1/2": false, "gateway-1/2?reveal": false, "gateway-1/2/reveal": true} {
		got := w.get(address)
		if want {
			got = w.post(address, "same-origin")
		}
		proof, err := audit.ParseProof([]byte(dataOf(t, got.Body.String()).Proofs[0].Text))
		if err != nil {
			t.Fatal(err)
		}
		record, err := proof.Check(key)
		if err != nil || (record.Presence == audit.Present) != want || bytes.Contains(proof.Form.Content, []byte("30000000007")) != want {
			t.Errorf("%s: %v %v", address, err, record)
		}
		digest := sha256.Sum256([]byte("as it was on the wire"))
		if strings.Contains(got.Body.String(), hex.EncodeToString(digest[:])) != want {
			t.Errorf("%s: the digest by which a document could be tried: want %v", address, want)
		}
	}
}

// TestMaskedDownloadsHaveNoDocuments: a proof comes without its content, and holds all the same; what has
// documents comes by a form of the console's own page alone.
func TestMaskedDownloadsHaveNoDocuments(t *testing.T) {
	path, key := trailFile(t)
	w := serve(t, path, key)
	w.MaskAll = true
	for _, address := range []string{"gateway-1/2", "gateway-1/3"} {
		got := w.get(address + "/proof")
		proof, err := audit.ParseProof(got.Body.Bytes())
		if err != nil || got.Code != http.StatusOK || !strings.Contains(got.Header().Get("Content-Disposition"), "-masked.tlog-proof") {
			t.Fatalf("%s: %v %d %v", address, err, got.Code, got.Header())
		}
		if record, err := proof.Check(key); err != nil || record.Presence != audit.Purged || len(proof.Form.Content) > 0 {
			t.Errorf("%s: %v %+v", address, err, record)
		}
	}
	if got := w.get("gateway-1/3/evidence?nro=5"); got.Code != http.StatusForbidden || !strings.Contains(got.Body.String(), `action="/consola/proof/gateway-1/3/reveal/evidence" method="post"`) {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	for address, mark := range map[string]string{"gateway-1/2/reveal/proof": "c2sp.org/tlog-proof@v1", "gateway-1/3/reveal/evidence?nro=5": "PK\x03\x04"} {
		if got := w.post(address, "cross-site"); got.Code != http.StatusForbidden || strings.HasPrefix(got.Body.String(), mark) {
			t.Errorf("%s from another site: %d", address, got.Code)
		}
		if got := w.get(address); got.Code != http.StatusSeeOther || got.Header().Get("Location") != "/consola/proof/"+address[:len("gateway-1/2")] {
			t.Errorf("a reload of %s: %d %v", address, got.Code, got.Header())
		}
		if got := w.post(address, "same-origin"); got.Code != http.StatusOK || !strings.HasPrefix(got.Body.String(), mark) {
			t.Errorf("%s: %d %s", address, got.Code, got.Body)
		}
	}
}

// TestNothingIsShownIfTheReadCannotBeRecorded, neither page nor file.
func TestNothingIsShownIfTheReadCannotBeRecorded(t *testing.T) {
	path, key := trailFile(t)
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.SetSetting(t.Context(), trail.LogReadsKey, []byte(trail.ReadsLogged)); err != nil {
		t.Fatal(err)
	}
	w := serveStore(store, key)
	for _, address := range []string{"gateway-1/3", "gateway-1/3/proof", "gateway-1/3/checkpoint", "gateway-1/3/evidence?nro=5"} {
		if got := w.get(address); got.Code != http.StatusServiceUnavailable || strings.Contains(got.Body.String(), "76470000000018") {
			t.Errorf("%s: %d", address, got.Code)
		}
	}
}

// TestAReaderWhoLeavesEndsTheEvidence, and no file stays.
func TestAReaderWhoLeavesEndsTheEvidence(t *testing.T) {
	path, key := trailFile(t)
	w := serve(t, path, key)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := httptest.NewRecorder()
	w.ServeHTTP(got, httptest.NewRequestWithContext(ctx, http.MethodGet, "/consola/proof/gateway-1/3/evidence?nro=5", nil))
	if got.Body.Len() > 0 {
		t.Errorf("%d bytes were sent", got.Body.Len())
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "fielato-evidence-*")); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
}
