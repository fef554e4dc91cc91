package export_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
)

// purgedExport is the export of a log with a purged month, in which one issuer was held.
func purgedExport(t *testing.T, during bool) (g *grown, path string) {
	t.Helper()
	g = newGrown(t)
	g.Grow(0, audittest.IssuedIn(exportedLog, 3, 300, 0)...)
	g.Grow(0, audittest.IssuedIn(exportedLog, 4, 300, 300)...)
	memory := g.Store.(*audittest.Memory)
	purger := memory.Purger()
	if err := purger.Hold(t.Context(), audit.Hold{Cuit: 20000000002}); err != nil {
		t.Fatal(err)
	}
	purge := func() {
		audittest.Purge(t, memory, nil, purger, audit.PurgeRequest{Log: exportedLog, Before: audit.PeriodOf(time.Date(2026, 4, 5, 0, 0, 0, 0, time.UTC))})
	}
	path = t.TempDir()
	if during { // after the extent of the export was decided
		g.Store = &audittest.Twisted{Store: memory, OnScan: func(index uint64, form audit.Form) []audit.Form {
			if index == 0 {
				purge()
				form.Content, form.Presence = nil, audit.Purged
			}
			return []audit.Form{form}
		}}
	} else {
		purge()
		g.Size++
	}
	g.must(path, false)
	return g, path
}

// TestExportProvesItsPurges, including one that was made beside it.
func TestExportProvesItsPurges(t *testing.T) {
	for name, during := range map[string]bool{"before": false, "beside": true} {
		g, path := purgedExport(t, during)
		if report := verifyExport(t, os.DirFS(path), g.Verifier()); !report.Sound() || report.Purged == 0 || report.Unrecorded.Count != 0 {
			t.Errorf("%s: %+v", name, report)
		}
	}
}

// TestExportWithoutContentThatNoPurgeTookIsUnsound: content that was taken out of an export is
// found, and so is the missing proof of a purge.
func TestExportWithoutContentThatNoPurgeTookIsUnsound(t *testing.T) {
	for name, test := range map[string]struct {
		change func(t *testing.T, path string, m *export.Manifest)
		want   string
	}{
		"no proof": {func(_ *testing.T, _ string, m *export.Manifest) { m.Purges = nil }, "records 0 to 1: content is gone, and no purge in the log took it"},
		"an older form": {func(_ *testing.T, _ string, m *export.Manifest) {
			m.Purges, m.Format = nil, "fielato-export/1"
		}, "content is gone, and no purge in the log took it"},
		"another proof": {func(_ *testing.T, _ string, m *export.Manifest) {
			m.Purges[0] = strings.Replace(m.Purges[0], "index 600", "index 599", 1)
		}, "purges: number 1 proves nothing"},
		"content of a later month": {withoutContent(400), "records-000000000256-000000000511.jsonl:145: record 400: content is gone, and no purge in the log took it"},
		"content that was held":    {withoutContent(2), "jsonl:3: record 2: content is gone, and no purge in the log took it"},
		"the outcome of it":        {withoutContent(3), "jsonl:4: record 3: content is gone, and no purge in the log took it"},
	} {
		g, path := purgedExport(t, false)
		changeManifest(t, path, func(m *export.Manifest) { test.change(t, path, m) })
		report := verifyExport(t, os.DirFS(path), g.Verifier())
		found := false
		for _, fault := range report.Faults {
			found = found || strings.Contains(fault.String(), test.want)
		}
		if !found {
			t.Errorf("%s: %v, want %s", name, report.Faults, test.want)
		}
	}
}

// TestExportsOfEveryFormatAreRead: a build reads the exports of all builds before it, and of none after it.
func TestExportsOfEveryFormatAreRead(t *testing.T) {
	g, path := purgedExport(t, false)
	for n, sound := range map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true, 10: true, 11: true, 12: false} {
		changeManifest(t, path, func(m *export.Manifest) { m.Format = fmt.Sprint("fielato-export/", n) })
		if report := verifyExport(t, os.DirFS(path), g.Verifier()); len(report.Faults) == 0 != sound {
			t.Errorf("format %d: %v", n, report.Faults)
		}
	}
}

func changeManifest(t *testing.T, path string, change func(*export.Manifest)) {
	t.Helper()
	name := filepath.Join(path, "manifest.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m := new(export.Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		t.Fatal(err)
	}
	change(m)
	if text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// withoutContent takes the content out of a line.
func withoutContent(index uint64) func(*testing.T, string, *export.Manifest) {
	return func(t *testing.T, path string, m *export.Manifest) {
		t.Helper()
		name := filepath.Join(path, m.Files[index/256].Name)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		r, err := export.ReadLine(lines[index%256])
		if err != nil {
			t.Fatal(err)
		}
		lines[index%256] = export.AppendLine(audittest.Purged(t, r))
		if err := os.WriteFile(name, bytes.Join(lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
