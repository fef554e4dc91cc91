package proving_test

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// evidenceFor runs `audit evidence` for the invoice 1 of the tests' series.
func evidenceFor(s *caddytest.Site, output string) error {
	s.T.Helper()
	_, _, err := caddytest.AuditCommand("evidence", "--store", "sqlite:"+s.Store, "--cuit", "20111111112", "--pto-vta", "1",
		"--cbte-tipo", "6", "--nro", "1", "--output", output)
	return err
}

// filesOf reads all files of a folder or of a zip file.
func filesOf(t *testing.T, at string) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := os.DirFS(at)
	if strings.HasSuffix(at, ".zip") {
		archive, err := zip.OpenReader(at)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		root = archive
	}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, name)
		files[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestEvidenceHoldsAllAboutAnInvoice and nothing about others: the request that the
// gateway refused, the one that issued it, a repeat, a consultation.
func TestEvidenceHoldsAllAboutAnInvoice(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), "121.00", "150.00", 1)) // 0
	s.Post("FECAESolicitar", caddytest.Invoice(1))                                         // 1, 2
	s.Post("FECAESolicitar", caddytest.Invoice(1))                                         // 3, 4
	s.Post("FECAESolicitar", caddytest.Invoice(2))                                         // 5, 6
	s.Post("FECompConsultar", "{"+caddytest.AuthText+`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`)
	folder, archive := filepath.Join(t.TempDir(), "new", "evidence"), filepath.Join(t.TempDir(), "evidence.zip")
	for _, output := range []string{folder, archive} {
		if err := evidenceFor(s, output); err != nil {
			t.Fatal(err)
		}
		files := filesOf(t, output)
		want := []string{
			"exchanges/001-record-0/answer.json", "exchanges/001-record-0/record.json", "exchanges/001-record-0/record.tlog-proof", "exchanges/001-record-0/request.json",
			"exchanges/002-record-2/answer.json", "exchanges/002-record-2/intent.json", "exchanges/002-record-2/intent.tlog-proof",
			"exchanges/002-record-2/record.json", "exchanges/002-record-2/record.tlog-proof", "exchanges/002-record-2/request.json",
			"exchanges/003-record-4/answer.json", "exchanges/003-record-4/intent.json", "exchanges/003-record-4/intent.tlog-proof",
			"exchanges/003-record-4/record.json", "exchanges/003-record-4/record.tlog-proof", "exchanges/003-record-4/request.json",
			"exchanges/004-record-7/answer.json", "exchanges/004-record-7/record.json", "exchanges/004-record-7/record.tlog-proof", "exchanges/004-record-7/request.json",
			"index.html", "manifest.json",
		}
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
			t.Fatalf("%s\n got %v\nwant %v", output, got, want)
		}
		for name, content := range files {
			if strings.Contains(content, caddytest.Token) || strings.Contains(content, caddytest.Sign) {
				t.Errorf("%s holds credentials", name)
			}
		}
		for name, part := range map[string]string{
			"exchanges/002-record-2/request.json": `    "FeCabReq": {`, "exchanges/002-record-2/answer.json": `"Resultado": "A"`,
			"exchanges/002-record-2/record.json": `"certainty": "answered"`, "exchanges/002-record-2/intent.json": `"kind": "intent"`,
			"exchanges/003-record-4/answer.json": "10016", "exchanges/001-record-0/record.json": `"10048"`,
			"exchanges/004-record-7/request.json": `"FeCompConsReq"`,
		} {
			if !strings.Contains(files[name], part) {
				t.Errorf("%s has no %s:\n%s", name, part, files[name])
			}
		}
		checkManifest(t, files)
		checkPage(t, files["index.html"])
	}
}

// checkManifest compares it with the files.
func checkManifest(t *testing.T, files map[string]string) {
	t.Helper()
	var manifest struct {
		Format, Made, Log string
		Cuit, Nro         int64
		PtoVta            int32 `json:"pto_vta"`
		CbteTipo          int32 `json:"cbte_tipo"`
		Files             []struct {
			Path, SHA256 string
			Bytes        int
		}
	}
	err := json.Unmarshal([]byte(files["manifest.json"]), &manifest, json.MatchCaseInsensitiveNames(true))
	if err != nil || manifest.Format != "fielato-evidence/1" || manifest.Nro != 1 || manifest.Cuit != 20111111112 {
		t.Fatalf("%v: %s", err, files["manifest.json"])
	}
	for _, file := range manifest.Files {
		if content := files[file.Path]; file.SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(content))) || file.Bytes != len(content) {
			t.Errorf("the manifest is wrong about %s", file.Path)
		}
	}
	if len(manifest.Files) != len(files)-1 {
		t.Errorf("the manifest has %d files of %d", len(manifest.Files), len(files)-1)
	}
}

func checkPage(t *testing.T, page string) {
	t.Helper()
	for _, want := range []string{
		`<html lang="es">`, "CUIT del emisor</th><td>20-11111111-2", "rechazado por la pasarela según una regla",
		"aprobado<", "rechazado por el servicio", "el servicio respondió", "no se envió nada al servicio", "<td>10048</td>", "<td>10016</td>",
		`href="exchanges/002-record-2/request.json"`, "FECompConsultar",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, unwanted := range []string{"<script", "<link", "src=", "http://", "https://"} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the page needs something from elsewhere: %s", unwanted)
		}
	}
}

// TestEvidenceEscapesWhatOthersSaid: a page of evidence must not run what an upstream
// or a client put into it.
func TestEvidenceEscapesWhatOthersSaid(t *testing.T) {
	const hostile = `</pre><script>alert(1)</script><img src=x onerror=alert(1)>`
	answer := strings.Replace(caddytest.Approval, `"FeDetResp"`, `"Errors":{"Err":[{"Code":10016,"Msg":"`+hostile+`"}]},"FeDetResp"`, 1)
	upstream := caddytest.NewStub(t, caddytest.Answering(200, answer))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	output := filepath.Join(t.TempDir(), "evidence")
	if err := evidenceFor(s, output); err != nil {
		t.Fatal(err)
	}
	page := filesOf(t, output)["index.html"]
	if strings.Contains(page, "<script") || strings.Contains(page, "<img") {
		t.Errorf("not escaped:\n%s", page)
	}
	if strings.Count(page, "&lt;script&gt;alert(1)") < 2 {
		t.Errorf("the message or the body is missing:\n%s", page)
	}
}

// TestEvidenceTellsOfAnOpenIntent: nobody knows what became of it.
func TestEvidenceTellsOfAnOpenIntent(t *testing.T) {
	upstream, arrived, release := caddytest.Holding(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	done := caddytest.HeldRequest(t, s, arrived)
	output := filepath.Join(t.TempDir(), "evidence")
	if err := evidenceFor(s, output); err != nil {
		t.Fatal(err)
	}
	release()
	<-done
	files := filesOf(t, output)
	for _, want := range []string{"sin resultado registrado", "no se sabe si el servicio lo atendió"} {
		if !strings.Contains(files["index.html"], want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	if files["exchanges/001-record-0/request.json"] == "" || files["exchanges/001-record-0/answer.json"] != "" {
		t.Errorf("files %v", slices.Sorted(maps.Keys(files)))
	}
}

// TestEvidenceOverwritesNothing, and makes nothing where there is nothing to tell.
func TestEvidenceOverwritesNothing(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	dir := t.TempDir()
	if err := evidenceFor(s, filepath.Join(dir, "none.zip")); err == nil || !strings.Contains(err.Error(), "no exchange about invoice 1") {
		t.Errorf("an invoice that is not there: %v", err)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	taken := filepath.Join(dir, "taken.zip")
	if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string]string{taken: "is there already, and stays as it is: name another file", dir: "is not empty", path.Join(dir, "no", "folder.zip"): "no such file or directory: name a file in a folder that is there"} {
		if err := evidenceFor(s, output); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", output, err, want)
		}
	}
	if err := evidenceFor(s, ""); err == nil || !strings.Contains(err.Error(), "--output") {
		t.Errorf("no output: %v", err)
	}
	file, err := os.Open(taken)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if content, _ := io.ReadAll(file); string(content) != "mine" {
		t.Errorf("overwritten: %s", content)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("made %v", entries)
	}
}
