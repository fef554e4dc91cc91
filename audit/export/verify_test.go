package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
)

const (
	file0 = "records-000000000000-000000000255.jsonl"
	file1 = "records-000000000256-000000000511.jsonl"
	file2 = "records-000000000512-000000000599.jsonl"
	rows1 = "invoices-000000000256-000000000511.csv"
)

// TestVerifyExportNamesWhatWasDone: each kind of tampering is found, and where.
func TestVerifyExportNamesWhatWasDone(t *testing.T) {
	g := newGrown(t)
	g.Grow(600)
	path := t.TempDir()
	g.must(path, false)
	original := &tampered{t, fstest.MapFS{}}
	for name, text := range contents(t, path) {
		original.files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	delay := func(lines []string) []string {
		return slices.Concat(lines[:9], lines[10:20], lines[9:10], lines[20:])
	}
	for name, test := range map[string]struct {
		tamper func(*tampered)
		want   string // the first fault
	}{
		"a summary edited": {func(x *tampered) {
			x.lines(file1, func(lines []string) []string {
				lines[4] = strings.Replace(lines[4], `"node":"gateway-1"`, `"node":"gateway-2"`, 1)
				return lines
			})
		}, file1 + `:5: record 260: the record was changed`},
		"a content edited": {func(x *tampered) {
			x.lines(file1, func(lines []string) []string {
				lines[6] = regexp.MustCompile(`"salt":"..`).ReplaceAllString(lines[6], `"salt":"77`)
				return lines
			})
		}, file1 + `:7: record 262: the record was changed`},
		"a line removed": {func(x *tampered) {
			x.lines(file1, func(lines []string) []string { return slices.Delete(lines, 9, 10) })
		}, file1 + `:10: record 266 stands where 265 belongs: records are missing`},
		"the first line removed": {func(x *tampered) {
			x.lines(file1, func(lines []string) []string { return lines[1:] })
		}, file1 + `:1: record 257 stands where 256 belongs`},
		"the last line removed": {func(x *tampered) {
			x.lines(file1, func(lines []string) []string { return lines[:len(lines)-1] })
		}, file1 + `: it ends before record 511,`},
		"a line twice": {func(x *tampered) {
			x.lines(file1, func(lines []string) []string { return slices.Insert(lines, 9, lines[8]) })
		}, file1 + `:10: record 264 stands where 265 belongs: it was added`},
		"a line added at the end": {func(x *tampered) {
			x.lines(file2, func(lines []string) []string {
				return append(lines, strings.Replace(lines[0], `"index":512`, `"index":600`, 1))
			})
		}, file2 + `:89: record 600 comes after the last`},
		"lines in another order": {
			func(x *tampered) { x.lines(file1, delay) },
			file1 + `:10: record 266 stands where 265 belongs`,
		},
		"two records with their numbers exchanged": {func(x *tampered) {
			x.lines(file1, func(lines []string) []string {
				lines[9], lines[10] = strings.Replace(lines[10], `"index":266`, `"index":265`, 1), strings.Replace(lines[9], `"index":265`, `"index":266`, 1)
				return lines
			})
		}, file1 + `: `},
		"a record of another log": {
			func(x *tampered) { x.replace(file1, `"log":"gateway-1"`, `"log":"gateway-2"`) },
			file1 + `:1: record 256 is one of the log "gateway-2"`,
		},
		"a line that is no record": {
			func(x *tampered) { x.replace(file1, `{"log"`, `{"logs"`) },
			file1 + `:1: no record of an export: the member "logs" is unknown`,
		},
		"an end cut off": {
			func(x *tampered) { x.files[file1].Data = x.files[file1].Data[:len(x.files[file1].Data)-9] },
			file1 + `: line 256: the file is damaged: the last line has no end`,
		},
		"a space":              {func(x *tampered) { x.replace(file1, `,"index"`, `, "index"`) }, file1 + `:1: record 256: the line is not written as`},
		"a file missing":       {func(x *tampered) { delete(x.files, file1) }, file1 + `: the file is missing: records 256 to 511`},
		"a file added":         {func(x *tampered) { x.files["records-9.jsonl"] = &fstest.MapFile{} }, `records-9.jsonl: the manifest does not name it`},
		"two files exchanged":  {func(x *tampered) { x.files[file0], x.files[file1] = x.files[file1], x.files[file0] }, file0 + `:1: record 256 stands where 0 belongs`},
		"an invoice edited":    {func(x *tampered) { x.replace(rows1, "approved", "rejected") }, rows1 + `:`},
		"an invoice removed":   {func(x *tampered) { x.lines(rows1, func(l []string) []string { return l[:len(l)-1] }) }, rows1 + `:`},
		"an invoice added":     {func(x *tampered) { x.files[rows1].Data = append(x.files[rows1].Data, "1\n"...) }, rows1 + `:`},
		"the invoices missing": {func(x *tampered) { delete(x.files, rows1) }, rows1 + `: the file is missing`},
		"a count of purged records": {func(x *tampered) {
			x.replace("manifest.json", `"purged": 0`, `"purged": 1`)
			x.replace("manifest.json", `"purged": 0`, `"purged": 1`)
		}, file0 + `: 0 purged and 0 sealed records, the manifest says 1`},
		"a digest":             {func(x *tampered) { x.replace("manifest.json", `"sha256": "`, `"sha256": "0`) }, file0 + `: `},
		"a count of rows":      {func(x *tampered) { x.replace("manifest.json", `"rows": `, `"rows": 1`) }, `invoices-000000000000-000000000255.csv: `},
		"a root":               {func(x *tampered) { x.replace("manifest.json", `"root": "`, `"root": "0`) }, file0 + `: the records up to its end give the root`},
		"a size":               {func(x *tampered) { x.replace("manifest.json", `"size": 600`, `"size": 601`) }, `manifest.json: not the manifest of an export: 601 records`},
		"a member more":        {func(x *tampered) { x.replace("manifest.json", `"size"`, `"sizes": 1, "size"`) }, `manifest.json: not the manifest`},
		"a name out of folder": {func(x *tampered) { x.replace("manifest.json", file1, "../"+file1) }, `manifest.json: not the manifest`},
		"the checkpoint":       {func(x *tampered) { x.replace("manifest.json", `\n600\n`, `\n601\n`) }, `manifest.json: the trail is not sound: the checkpoint is not signed`},
		"another public key": {
			func(x *tampered) { x.replace("manifest.json", `"log": "gateway-1"`, `"log": "gateway-2"`) },
			`manifest.json: the checkpoint is one of "fielato/gateway-1", the log is "gateway-2"`,
		},
		"the last file, and the manifest with it": {func(x *tampered) {
			delete(x.files, file2)
			delete(x.files, strings.Replace(strings.Replace(file2, "records", "invoices", 1), "jsonl", "csv", 1))
			text := string(x.files["manifest.json"].Data)
			text = text[:strings.LastIndex(text, ",\n    {\n      \"name\": \"records")] + "\n  ]\n}\n"
			x.files["manifest.json"].Data = []byte(strings.Replace(text, `"size": 600`, `"size": 512`, 1))
		}, `manifest.json: the checkpoint is over 600 records, the export has 512`},
		"a digest made to fit": {func(x *tampered) {
			old := bytes.Clone(x.files[file1].Data)
			x.replace(file1, `"outcome":"approved"`, `"outcome":"rejected"`)
			x.seal(file1, old)
		}, file1 + `:`},
		"all made to fit": {func(x *tampered) {
			name, old := file1, bytes.Clone(x.files[file1].Data)
			line, _, _ := bytes.Cut(old, []byte("\n"))
			record, err := export.ReadLine(append(bytes.Clone(line), '\n'))
			if err != nil {
				t.Fatal(err)
			}
			record.ClientAddress = "192.0.2.8"
			x.replace(name, string(line)+"\n", string(export.AppendLine(record, record.Encode(nil))))
			x.seal(name, old)
		}, file1 + `: the records up to its end give the root`},
	} {
		x := original.copy()
		test.tamper(x)
		report := verifyExport(t, x.files, g.Verifier())
		if report.Sound() || len(report.Faults) == 0 || !strings.HasPrefix(report.Faults[0].String(), test.want) {
			t.Errorf("%s: %v\nwant %s", name, report.Faults, test.want)
		}
		if report.FaultCount > 4 {
			t.Errorf("%s: %d faults, one would do", name, report.FaultCount)
		}
	}
	if report := verifyExport(t, original.files, g.Verifier()); !report.Sound() {
		t.Errorf("as it was: %v", report.Faults)
	}
}

// TestVerifyExportFindsAnyChangedByte of any file.
func TestVerifyExportFindsAnyChangedByte(t *testing.T) {
	for _, compress := range []bool{false, true} {
		g := newGrown(t)
		g.Grow(20)
		path := t.TempDir()
		g.must(path, compress)
		random := rand.New(rand.NewPCG(1, 1))
		files := contents(t, path)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			for range 100 {
				x := fstest.MapFS{}
				for name, text := range files {
					x[name] = &fstest.MapFile{Data: []byte(text)}
				}
				at, bit := random.IntN(len(files[name])), byte(1)<<random.IntN(8)
				x[name].Data[at] ^= bit
				report, err := export.Verify(t.Context(), x, export.VerifyOptions{Verifier: g.Verifier()})
				if err != nil || report.Sound() && !isManifestSpace(name, files[name][at]) {
					t.Errorf("%s: bit %b of byte %d, …%s: %v, %v", name, bit, at, files[name][max(0, at-30):at+1], report.Faults, err)
				}
			}
		}
	}
}

// isManifestSpace reports whether a byte of the manifest means nothing: one space for
// another.
func isManifestSpace(name string, b byte) bool {
	return name == "manifest.json" && strings.IndexByte(" \n\t\r", b) >= 0
}

func TestVerifyExportAgainstAKnownCheckpoint(t *testing.T) {
	g := newGrown(t)
	sign := func(size uint64) []byte {
		head, err := g.Store.Head(t.Context(), exportedLog)
		if err != nil || head.Size != size {
			t.Fatal(head.Size, err)
		}
		return head.Checkpoint
	}
	g.Grow(300)
	older := sign(300)
	g.Grow(100)
	path := t.TempDir()
	g.must(path, false)
	same := sign(400)
	g.Grow(1)
	newer := sign(401)
	other := newGrown(t)
	other.Source = audittest.NewSource(8)
	other.Grow(300)
	another, err := other.Store.Head(t.Context(), exportedLog)
	if err != nil {
		t.Fatal(err)
	}
	key, err := audit.NewKey(bytes.NewReader(make([]byte, 64)), exportedLog)
	if err != nil {
		t.Fatal(err)
	}
	resigned, err := audit.Checkpoint{Origin: audit.Origin(exportedLog), Size: 300}.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		known []byte
		want  string
	}{
		"older": {older, ""}, "same": {same, ""},
		"newer":           {newer, "those from 400 on are missing"},
		"another history": {another.Checkpoint, "it is another history"},
		"altered":         {bytes.Replace(older, []byte("\n300\n"), []byte("\n299\n"), 1), "was changed after it was signed, and no longer shows what the log was then: give an unchanged copy"},
		"by another key":  {resigned, "is not signed by the key that the log is signed with now"},
	} {
		report, err := export.Verify(t.Context(), os.DirFS(path), export.VerifyOptions{Verifier: g.Verifier(), Known: test.known})
		if err != nil || report.Sound() != (test.want == "") || !strings.HasSuffix(fmt.Sprint(report.Faults), test.want+"]") {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
	if _, err := export.Verify(t.Context(), os.DirFS(path), export.VerifyOptions{Verifier: g.Verifier(), Known: []byte("none")}); err == nil {
		t.Error("something that is no checkpoint was taken for one")
	}
}

// TestVerifyExportSaysWhenItCannotTell, and does not call such an export broken.
func TestVerifyExportSaysWhenItCannotTell(t *testing.T) {
	g := newGrown(t)
	g.Grow(300)
	path := t.TempDir()
	g.must(path, false)
	if _, err := export.Verify(t.Context(), fstest.MapFS{}, export.VerifyOptions{}); !errors.Is(err, export.ErrNoManifest) {
		t.Errorf("no export: %v", err)
	}
	private := audittest.Key(t, exportedLog).Private()
	for _, key := range []string{"no key", private} {
		_, err := export.Verify(t.Context(), os.DirFS(path), export.VerifyOptions{Verifier: key})
		if err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("a key that is none: %v", err)
		}
	}
	if report := verifyExport(t, os.DirFS(path), ""); !report.Sound() || report.PublicKey != g.Verifier() {
		t.Errorf("by the export's own key: %+v", report)
	}
	stranger, err := audit.NewKey(rand.NewChaCha8([32]byte{9}), exportedLog)
	if err != nil {
		t.Fatal(err)
	}
	if report := verifyExport(t, os.DirFS(path), stranger.Verifier()); report.Sound() {
		t.Error("sound by the key of somebody else")
	}
	if _, err := export.Verify(t.Context(), unreadable{os.DirFS(path)}, export.VerifyOptions{}); !errors.Is(err, errDisk) {
		t.Errorf("a disk that fails: %v", err)
	}
}
