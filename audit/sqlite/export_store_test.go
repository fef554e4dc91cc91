package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
)

// TestExportGrowsWithItsStore: it continues in the middle of a segment, with tiles only for
// the records exported already.
func TestExportGrowsWithItsStore(t *testing.T) {
	key := audittest.Key(t, "gateway-1")
	s := open(t, filepath.Join(t.TempDir(), "evidence.db"))
	defer closeStore(t, s)
	source, path, size := audittest.NewSource(4), t.TempDir(), uint64(0)
	for _, more := range []int{300, 1, 700, 0} {
		for more > 0 {
			var records []*audit.Record
			for range min(more, 50) {
				records, size = append(records, source.Next(size)), size+1
			}
			if err := s.Commit(t.Context(), audittest.Seal(t, s, "gateway-1", records...)); err != nil {
				t.Fatal(err)
			}
			more -= len(records)
		}
		folder, err := export.OpenDirectory(path)
		if err != nil {
			t.Fatal(err)
		}
		options := export.Options{Verifier: key.Verifier(), FileRecords: audit.TileWidth}
		manifest, err := export.Write(t.Context(), s, "gateway-1", folder, options)
		if err != nil || manifest.Size != size {
			t.Fatalf("%+v, %v", manifest, err)
		}
		if err := folder.Close(); err != nil {
			t.Fatal(err)
		}
		report, err := export.Verify(t.Context(), os.DirFS(path), export.VerifyOptions{Verifier: key.Verifier()})
		if err != nil || !report.Sound() || report.Records != size {
			t.Fatalf("%+v, %v", report, err)
		}
	}
}
