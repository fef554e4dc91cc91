package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

// TestAPurgeByHandIsNoPurge: with write access to the file, content can be removed as a purge
// removes it. But a purge has a record, and only the log's key can sign that.
func TestAPurgeByHandIsNoPurge(t *testing.T) {
	content := contentKey(t, 1)
	for name, test := range map[string]struct {
		sealed    bool
		statement string
		want      string
	}{
		"nothing":             {false, "SELECT 1", ""},
		"one segment":         {false, "UPDATE segments SET purged = 1, key = NULL, content = x'' WHERE id & 0xffffffff = 3", "record 3: content is gone, and no purge in the log took it"},
		"all":                 {false, "UPDATE segments SET purged = 1, key = NULL, content = x''", "records 0 to 9: content is gone, and no purge in the log took it"},
		"all that was sealed": {true, "UPDATE segments SET purged = 1, key = NULL, content = x''", "records 0 to 9: content is gone, and no purge in the log took it"},
		"the data keys":       {true, "DELETE FROM data_keys", "records 0 to 9: content is gone, and no purge in the log took it"},
		"what is sealed":      {true, "SELECT 1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "evidence.db")
			var options []sqlite.Option
			if test.sealed {
				options = append(options, sqlite.WithContentKey(content))
			}
			s := open(t, path, options...)
			for range 10 {
				audittest.Append(t, s, "gateway-1", marked(20000000001, day(10), "body"))
			}
			closeStore(t, s)
			execute(t, path, test.statement)
			report, err := verify.Log(t.Context(), reader(t, path, options...), "gateway-1", audittest.Key(t, "gateway-1").Verifier(), verify.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" && report.Sound() {
				return
			}
			for _, f := range report.Flaws.Items {
				if test.want != "" && strings.Contains(f.String(), test.want) {
					return
				}
			}
			t.Errorf("%d flaws: %v, want %s", report.Flaws.Count, report.Flaws.Items, test.want)
		})
	}
}

// execute does something to the file that no build does.
func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}
