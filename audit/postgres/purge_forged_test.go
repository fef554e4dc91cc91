package postgres_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestAPurgeByHandIsNoPurge: the rights of a purger are enough to make content vanish, and
// not to make it pass for a purge.
func TestAPurgeByHandIsNoPurge(t *testing.T) {
	content := contentKey(t, 1)
	for name, test := range map[string]struct {
		key       *audit.ContentKey
		statement string
		want      string
	}{
		"one segment":   {nil, "UPDATE audit_segments SET purged = 1, key = NULL, content = '' WHERE first = 3", "record 3: content is gone, and no purge in the log took it"},
		"all, sealed":   {content, "UPDATE audit_segments SET purged = 1, key = NULL, content = ''", "records 0 to 9: content is gone, and no purge in the log took it"},
		"the data keys": {content, "DELETE FROM audit_data_keys", "records 0 to 9: content is gone, and no purge in the log took it"},
	} {
		t.Run(name, func(t *testing.T) {
			owner := postgrestest.Shared(t).Database(t)
			purger := granted(t, owner, "fielato_purger", postgres.PurgerGrants)
			options := postgres.Options{ContentKey: test.key}
			s := open(t, owner, options)
			defer closeStore(t, s)
			for range 10 {
				audittest.Append(t, s, "gateway-1", recordOf(10, "body"))
			}
			if code := exec(t, purger, test.statement); code != "" {
				t.Fatalf("SQLSTATE %s", code)
			}
			reader, err := postgres.OpenReader(t.Context(), owner, options)
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore(t, reader)
			report, err := verify.Log(t.Context(), reader, "gateway-1", audittest.Key(t, "gateway-1").Verifier(), verify.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Flaws.Items {
				if strings.Contains(f.String(), test.want) {
					return
				}
			}
			t.Errorf("%d flaws: %v, want %s", report.Flaws.Count, report.Flaws.Items, test.want)
		})
	}
}
