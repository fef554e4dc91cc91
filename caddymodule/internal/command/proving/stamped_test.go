package proving_test

import (
	"crypto/sha256"
	"encoding/asn1"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
	"github.com/fielato/fielato/wsfev1"
)

// stampStore has the newest checkpoint of a log in a database stamped.
func stampStore(t *testing.T, path, log string, tsa *tsatest.Authority) {
	t.Helper()
	newest, errs, err := caddytest.AuditCommand("checkpoint", "--store", "sqlite:"+path)
	if err != nil {
		t.Fatal(err, errs)
	}
	value, err := json.Marshal(map[string]any{"checkpoint": newest, "reply": tsa.Stamp([]byte(newest))})
	if err != nil {
		t.Fatal(err)
	}
	caddytest.Tamper(t, path, fmt.Sprintf("INSERT OR REPLACE INTO settings (name, value) VALUES ('timestamp/%s', x'%x')", log, value))
}

// stampedEvidence has in the working folder all that can have a time-stamp: export, folder and zip, and younger, the
// evidence of an invoice with an exchange after the stamp.
func stampedEvidence(t *testing.T, tsa *tsatest.Authority) *verifiers {
	t.Helper()
	v := &verifiers{program: filepath.Join(caddytest.Root(t), "docs", "verify.py")}
	s := caddytest.Evidence(t)
	t.Chdir(t.TempDir())
	write := func(lines ...string) {
		t.Helper()
		for _, line := range lines {
			if _, errs, err := caddytest.AuditCommand(append(strings.Fields(line), "--store", "sqlite:"+s.Store)...); err != nil {
				t.Fatalf("%s: %v\n%s", line, err, errs)
			}
		}
	}
	write("export --output before")
	stampStore(t, s.Store, s.Last().Log, tsa)
	s.Post("FECAESolicitar", caddytest.Invoice(2))
	const invoice = "evidence --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 "
	write("export --output export", invoice+"--nro 1 --output folder", invoice+"--nro 1 --output evidence.zip", invoice+"--nro 2 --output younger")
	v.key = caddytest.KeyOf(t, "export")
	return v
}

// verifiers are the command and verify.py.
type verifiers struct{ key, program string }

// look returns what both say of a path in the working folder.
func (v *verifiers) look(t *testing.T, path string, flags ...string) (said [2]string, good [2]bool) {
	t.Helper()
	command := []string{"verify", "--export", path}
	if strings.HasSuffix(path, ".tlog-proof") {
		command = []string{"check-proof", path}
	}
	out, errs, err := caddytest.AuditCommand(append(append(command, "--key", v.key), flags...)...)
	said[0], good[0] = out+errs, err == nil
	if err != nil {
		said[0] += err.Error()
	}
	if strings.HasSuffix(path, ".zip") {
		return [2]string{said[0], said[0]}, [2]bool{good[0], good[0]}
	}
	cmd := exec.CommandContext(t.Context(), pythonProgram(t), append(append([]string{"-B", v.program}, flags...), v.key, path)...)
	text, err := cmd.CombinedOutput()
	said[1], good[1] = string(text), err == nil
	return said, good
}

// TestATimestampIsAskedFor of all that may have one, and by all that verify. Without roots they say what is left to do.
func TestATimestampIsAskedFor(t *testing.T) {
	tsa, other := tsatest.New(t, tsatest.RSA, "Sello de prueba"), tsatest.New(t, tsatest.P256, "Otro sello")
	v := stampedEvidence(t, tsa)
	proof := filepath.Join("folder", "exchanges", "001-record-1", "record.tlog-proof")
	if page, err := os.ReadFile("folder/index.html"); err != nil || !strings.Contains(string(page), "Sello de prueba certificó que este registro existía el") ||
		!strings.Contains(string(page), "openssl ts -verify -data timestamp.txt -in timestamp.tsr -CAfile RAIZ") {
		t.Errorf("%v: the page of the evidence does not tell of the time-stamp", err)
	}
	for _, path := range []string{"export", "folder", "evidence.zip", proof} {
		for name, test := range map[string]struct {
			flags []string
			says  string
			good  bool
		}{
			"no roots":      {nil, "openssl ts -verify -data", true},
			"its roots":     {[]string{"--timestamp-roots", tsa.Roots}, "verified with the roots that were given", true},
			"another's":     {[]string{"--timestamp-roots", other.Roots}, "the authority has not stamped it", false},
			"no such roots": {[]string{"--timestamp-roots", "not-there.pem"}, "not-there.pem", false},
		} {
			if path == proof && test.flags == nil {
				continue // the stamp beside it is not looked at
			}
			said, good := v.look(t, path, test.flags...)
			for i, by := range []string{"the command", "verify.py"} {
				wantSaid(t, path+" with "+name+" by "+by, said[i], good[i], test.good, []string{test.says})
			}
		}
	}
	for _, path := range []string{"before", "younger"} {
		said, good := v.look(t, path)
		wantSaid(t, path, said[0]+said[1], good[0] && good[1], true, nil)
		said, good = v.look(t, path, "--timestamp-roots", tsa.Roots)
		for i := range said {
			wantSaid(t, path+" with roots", said[i], good[i], false, []string{"it has no time-stamp"})
		}
	}
}

// TestAStampIsOfItsOwnDocumentAlone: bytes behind it, which openssl passes over, may have the digest of a younger checkpoint.
func TestAStampIsOfItsOwnDocumentAlone(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	v := &verifiers{program: filepath.Join(caddytest.Root(t), "docs", "verify.py")}
	s := caddytest.Evidence(t)
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), "121.00", "150.00", 1))
	stampStore(t, s.Store, s.Last().Log, tsa)
	s.Post("FECAESolicitar", caddytest.Invoice(2))
	v.key = caddytest.KeyOf(t, caddytest.Exported(t, "sqlite:"+s.Store))
	folder := filepath.Join(t.TempDir(), "folder")
	newest, _, err := caddytest.AuditCommand("checkpoint", "--store", "sqlite:"+s.Store)
	if err == nil {
		_, _, err = caddytest.AuditCommand("evidence", "--store", "sqlite:"+s.Store, "--cuit", "20111111112", "--pto-vta", "1", "--cbte-tipo", "6", "--nro", "1", "--output", folder)
	}
	other, _ := filepath.Glob(filepath.Join(folder, "exchanges", "002-*"))
	if err != nil || len(other) != 1 {
		t.Fatalf("%v %v", other, err)
	}
	longer := func(reply []byte) []byte {
		digest := sha256.Sum256([]byte(newest))
		return append(reply, digest[:]...)
	}
	size := strings.Split(newest, "\n")[1]
	for path, change := range map[string]func([]byte) []byte{
		onlyFile(t, folder, "timestamp.tsr"):             longer,
		filepath.Join(other[0], "timestamp.tsr"):         longer,
		filepath.Join(other[0], "timestamp.txt"):         func([]byte) []byte { return []byte(newest) },
		filepath.Join(other[0], "timestamp.consistency"): func([]byte) []byte { return []byte("consistency " + size + " " + size + "\n") },
	} {
		content, err := os.ReadFile(path)
		if err != nil || os.WriteFile(path, change(content), 0o600) != nil {
			t.Fatal(path, err)
		}
	}
	nameAll(t, folder)
	said, good := v.look(t, folder, "--timestamp-roots", tsa.Roots)
	for i := range said {
		wantSaid(t, "a borrowed stamp", said[i], good[i], false, []string{"timestamp.tsr"})
	}
}

// TestAStampIsOfTheHistoryOfItsProof: who has the key can sign another record in the same place, and hand out both.
func TestAStampIsOfTheHistoryOfItsProof(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	v := &verifiers{program: filepath.Join(caddytest.Root(t), "docs", "verify.py")}
	genuine, forged := caddytest.KeptTrail(t, caddytest.Consultation(0, 1)), caddytest.KeptTrail(t, caddytest.Consultation(7, 1))
	stampStore(t, genuine.Store, "gateway-1", tsa)
	t.Chdir(t.TempDir())
	for folder, s := range map[string]*caddytest.Site{"folder": forged, "genuine": genuine} {
		_, said, err := caddytest.AuditCommand("evidence", "--store", "sqlite:"+s.Store, "--cuit", "20111111112", "--pto-vta", "1", "--cbte-tipo", "6", "--nro", "1", "--output", folder)
		if _, v.key, _ = strings.Cut(strings.TrimSpace(said), " --key "); err != nil {
			t.Fatal(err)
		}
	}
	first, second := "folder/exchanges/001-record-0", "folder/exchanges/002-record-0"
	err := os.Rename("genuine/exchanges/001-record-0", second)
	for _, name := range []string{"timestamp.txt", "timestamp.tsr", "timestamp.consistency"} {
		content, failed := os.ReadFile(filepath.Join(second, name))
		err = errors.Join(err, failed, os.WriteFile(filepath.Join(first, name), content, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	nameAll(t, "folder")
	said, good := v.look(t, "folder", "--timestamp-roots", tsa.Roots)
	for i := range said {
		wantSaid(t, "a stamp of another history", said[i], good[i], false, []string{"001-record-0/timestamp.consistency"})
	}
}

// nameAll lists all files of evidence in its manifest, as they are.
func nameAll(t *testing.T, folder string) {
	t.Helper()
	path := filepath.Join(folder, "manifest.json")
	text, err := os.ReadFile(path)
	manifest, files := map[string]any{}, []any{}
	if err = errors.Join(err, json.Unmarshal(text, &manifest), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(folder, name))
		files = append(files, map[string]any{"path": name, "bytes": len(content), "sha256": fmt.Sprintf("%x", sha256.Sum256(content))})
		return err
	})
	for _, member := range []string{"cuit", "pto_vta", "cbte_tipo", "nro"} {
		manifest[member] = int64(manifest[member].(float64))
	}
	manifest["files"] = files
	text, failed := json.Marshal(manifest)
	if err = errors.Join(err, failed, os.WriteFile(path, text, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestTheTimeIsTheOneThatWasSigned: the text of a reply's status is not.
func TestTheTimeIsTheOneThatWasSigned(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	v := stampedEvidence(t, tsa)
	lie := time.Now().UTC().Add(-10 * time.Minute)
	type status struct {
		Status int
		Texts  []asn1.RawValue
	}
	changeSealed(t, "folder", onlyFile(t, "folder", "timestamp.tsr"), func(reply []byte) []byte {
		var genuine, lying struct{ Status, Token asn1.RawValue }
		_, err := asn1.Unmarshal(reply, &genuine)
		text := "Granted.\nTST info:\nTime stamp: " + lie.Format("Jan _2 15:04:05 2006") + " GMT\n"
		said, failed := asn1.Marshal(status{0, []asn1.RawValue{{Tag: asn1.TagUTF8String, Bytes: []byte(text)}}})
		lying.Status.FullBytes, lying.Token = said, genuine.Token
		changed, wrong := asn1.Marshal(lying)
		if err = errors.Join(err, failed, wrong); err != nil {
			t.Fatal(err)
		}
		return changed
	})
	said, good := v.look(t, "folder", "--timestamp-roots", tsa.Roots)
	for i, by := range []string{"the command", "verify.py"} {
		wantSaid(t, by, said[i], good[i], true, []string{"verified with the roots that were given"})
		if strings.Contains(said[i], lie.Format("15:04:05")) || strings.Contains(said[i], lie.In(wsfev1.Argentina).Format("15:04:05")) {
			t.Errorf("%s says another time: %s", by, said[i])
		}
	}
}

// TestAWrongTimestampOfEvidenceIsFound by both programs, though the manifest names the files as they are.
func TestAWrongTimestampOfEvidenceIsFound(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	another := tsa.Stamp([]byte("another document"))
	foreign, errs, err := caddytest.AuditCommand("checkpoint", "--store", "sqlite:"+caddytest.Evidence(t).Store)
	if err != nil {
		t.Fatal(err, errs)
	}
	v := stampedEvidence(t, tsa)
	for name, test := range map[string]struct {
		path, file string
		change     func(content []byte) []byte
		want       string
	}{
		"another key":       {"folder", "timestamp.txt", func([]byte) []byte { return []byte(foreign) }, "timestamp.txt"},
		"another document":  {"folder", "timestamp.tsr", func([]byte) []byte { return another }, "another document"},
		"another size":      {"folder", "timestamp.consistency", func(c []byte) []byte { return append([]byte("consistency 7 "), c[len("consistency 8 "):]...) }, "timestamp.consistency"},
		"a missing hash":    {"folder", "timestamp.consistency", func(c []byte) []byte { return c[:strings.LastIndex(string(c[:len(c)-1]), "\n")+1] }, "timestamp.consistency"},
		"a cut hash":        {"folder", "timestamp.consistency", func(c []byte) []byte { return append(c[:len(c)-5], '\n') }, "timestamp.consistency"},
		"a missing file":    {"folder", "timestamp.consistency", func([]byte) []byte { return nil }, "timestamp.consistency"},
		"a missing stamp":   {"folder", "timestamp.tsr", func([]byte) []byte { return nil }, "timestamp.tsr"},
		"an export's other": {"export", "timestamp.tsr", func([]byte) []byte { return another }, "another document"},
		"an export's none":  {"export", "timestamp.tsr", func([]byte) []byte { return nil }, "timestamp.tsr"},
		"an export's note":  {"export", "timestamp.txt", func([]byte) []byte { return []byte(foreign) }, "checkpoint"},
	} {
		folder := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(folder, os.DirFS(test.path)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, test.file)
		if test.path == "folder" {
			file = onlyFile(t, folder, test.file)
		}
		changeSealed(t, folder, file, test.change)
		said, good := v.look(t, folder)
		for i, by := range []string{"the command", "verify.py"} {
			wantSaid(t, name+" by "+by, said[i], good[i], false, []string{test.want})
		}
	}
}

// TestAStampOverMoreRecordsThanTheProof: the proof leads to what witnesses have signed, and the stamp came later.
func TestAStampOverMoreRecordsThanTheProof(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	v := &verifiers{program: filepath.Join(caddytest.Root(t), "docs", "verify.py")}
	s := caddytest.Evidence(t)
	caddytest.CosignStore(t, s.Store, s.Last().Log, audittest.Witness(t, "a.example"))
	s.Post("FECAESolicitar", caddytest.Invoice(2))
	stampStore(t, s.Store, s.Last().Log, tsa)
	v.key = caddytest.KeyOf(t, caddytest.Exported(t, "sqlite:"+s.Store))
	folder := filepath.Join(t.TempDir(), "folder")
	if _, errs, err := caddytest.AuditCommand("evidence", "--store", "sqlite:"+s.Store, "--cuit", "20111111112", "--pto-vta", "1", "--cbte-tipo", "6", "--nro", "1", "--output", folder); err != nil {
		t.Fatal(err, errs)
	}
	if text, err := os.ReadFile(onlyFile(t, folder, "timestamp.consistency")); err != nil || !strings.HasPrefix(string(text), "consistency 8 10\n") {
		t.Errorf("%v: %s", err, text)
	}
	said, good := v.look(t, folder, "--timestamp-roots", tsa.Roots)
	for i := range said {
		wantSaid(t, "evidence", said[i], good[i], true, []string{"10 records"})
	}
}

// changeSealed changes a file, or removes it for nil, and puts its new digest and length into the manifest.
func changeSealed(t *testing.T, folder, file string, change func([]byte) []byte) {
	t.Helper()
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	old := digestOf(t, file)
	after := change([]byte(string(before)))
	if after == nil {
		remove(t, file)
		return
	}
	if err := os.WriteFile(file, after, 0o600); err != nil {
		t.Fatal(err)
	}
	const entry = "\"bytes\": %d,\n%s\"sha256\": \"%s\""
	manifest := filepath.Join(folder, "manifest.json")
	for _, indent := range []string{"      ", "        "} {
		if text, err := os.ReadFile(manifest); err == nil && strings.Contains(string(text), fmt.Sprintf(entry, len(before), indent, old)) {
			edit(t, manifest, fmt.Sprintf(entry, len(before), indent, old), fmt.Sprintf(entry, len(after), indent, digestOf(t, file)))
			return
		}
	}
	t.Fatalf("the manifest does not name %s", file)
}

// TestTheTimestampOfAStoreIsNotAskedFor: that is for exports and evidence.
func TestTheTimestampOfAStoreIsNotAskedFor(t *testing.T) {
	_, _, err := caddytest.AuditCommand("verify", "--store", "sqlite:not-there.db", "--timestamp-roots", "ca.crt")
	if err == nil || !strings.Contains(err.Error(), "--timestamp-roots is for --export") {
		t.Errorf("%v", err)
	}
}
