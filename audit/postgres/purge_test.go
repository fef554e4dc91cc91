package postgres_test

import (
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// TestPurgerConforms, with a gateway and a purger that have the documented rights of their roles.
// The short form has sealed content alone.
func TestPurgerConforms(t *testing.T) {
	t.Parallel()
	for _, form := range testrun.Some(t, 1, []string{"sealed", "plain"}) {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			var key *audit.ContentKey
			if form == "sealed" {
				key = contentKey(t, 1)
			}
			audittest.PurgeSuite(t, func(t *testing.T) (audittest.Open, audittest.OpenPurger) {
				owner := postgrestest.Shared(t).Database(t)
				gateway := granted(t, owner, "fielato_gateway", postgres.GatewayGrants)
				purger := granted(t, owner, "fielato_purger", postgres.PurgerGrants)
				options := postgres.Options{ContentKey: key}
				return func(t *testing.T) audit.Store {
						s, err := postgres.Open(t.Context(), gateway, options)
						if err != nil {
							t.Fatal(err)
						}
						return s
					}, func(t *testing.T) audit.Purger {
						return openPurger(t, purger, options)
					}
			})
		})
	}
}

func openPurger(t testing.TB, dsn string, options postgres.Options) *postgres.Purger {
	t.Helper()
	p, err := postgres.OpenPurger(t.Context(), dsn, options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// day is noon of the 20th of a month of 2026.
func day(month time.Month) time.Time { return time.Date(2026, month, 20, 12, 0, 0, 0, time.UTC) }

// november is the period before which the tests purge.
var november = audit.PeriodOf(day(11))

func recordOf(month time.Month, body string) *audit.Record {
	return &audit.Record{
		Kind: audit.KindExchange, Time: day(month), Cuit: wsfev1.CUIT(20000000001), Operation: "FECAESolicitar", Request: []byte(body),
	}
}

func purgeBefore(t *testing.T, p *postgres.Purger, before audit.Period) audit.PurgeResult {
	t.Helper()
	result, err := p.Purge(t.Context(), audit.PurgeRequest{Log: "gateway-1", Before: before})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestAPurgerTakesContentAlone: with the documented rights it can neither change the summaries that
// the tree is over, nor write the trail.
func TestAPurgerTakesContentAlone(t *testing.T) {
	owner := postgrestest.Shared(t).Database(t)
	purger := granted(t, owner, "fielato_purger", postgres.PurgerGrants)
	s := open(t, owner, postgres.Options{})
	commit(t, s, recordOf(10, "body"))
	closeStore(t, s)
	for _, statement := range []string{
		"UPDATE audit_segments SET summaries = ''", "UPDATE audit_segments SET leaves = ''", "UPDATE audit_segments SET first = 7",
		"DELETE FROM audit_segments", "DELETE FROM audit_checkpoints", "UPDATE audit_tiles SET hashes = ''", "UPDATE audit_blocks SET open = ''",
		"INSERT INTO audit_checkpoints SELECT log, number + 1, note FROM audit_checkpoints", "UPDATE audit_secrets SET value = ''",
		"INSERT INTO audit_data_keys VALUES (1, 'gateway-1', 1, '')", "UPDATE audit_data_keys SET wrapped = ''",
	} {
		if code := exec(t, purger, statement); code != forbidden {
			t.Errorf("%s: SQLSTATE %q, want that it is refused", statement, code)
		}
	}
}

// TestDestroyedKeyIsNotUsedAgain: a gateway that has the key in memory writes a record of the
// period with a new one.
func TestDestroyedKeyIsNotUsedAgain(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	s := open(t, dsn, postgres.Options{ContentKey: contentKey(t, 1)})
	defer closeStore(t, s)
	commit(t, s, recordOf(10, "early"))
	p := openPurger(t, dsn, postgres.Options{}) // needs no key
	defer closeStore(t, p)
	if result := purgeBefore(t, p, november); result.Keys != 1 || result.Total().Purged != 1 {
		t.Fatalf("%+v, want one record and its key", result)
	}
	commit(t, s, recordOf(10, "late"), recordOf(11, "later"))
	audittest.Verify(t, s, "gateway-1")
	for index, want := range []string{"", "late", "later"} {
		if r, err := s.Get(t.Context(), "gateway-1", uint64(index)); err != nil || string(r.Request) != want {
			t.Errorf("record %d: %+v, %v; want %q", index, r, err, want)
		}
	}
}
