package postgres_test

import (
	"errors"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestASeriesMovesOnlyFromItsEnd: whatever the row of the series says, the server refuses numbers that a row has.
func TestASeriesMovesOnlyFromItsEnd(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	ledger := open(t, dsn)
	defer ledger.Close()
	if _, err := issueMarked(ledger, seriesOf(0), "a", false); err != nil {
		t.Fatal(err)
	}
	if _, err := issueLot(ledger, seriesOf(0), []string{"b", "c", "d"}, false); err != nil {
		t.Fatal(err)
	}
	set := func(last string) {
		postgrestest.Shared(t).Exec(t, postgrestest.DatabaseOf(t, dsn), "UPDATE ledger_series SET last = "+last)
	}
	for _, last := range []string{"0", "1", "2", "3"} {
		set(last)
		for _, asking := range []bool{false, true} { // in a group, and alone
			if _, err := issueLot(ledger, seriesOf(0), []string{"x"}, asking); !errors.Is(err, backend.ErrSequence) {
				t.Errorf("after %s: %v", last, err)
			}
			if _, err := issueLot(ledger, seriesOf(0), []string{"x", "y", "z", "w", "v"}, asking); !errors.Is(err, backend.ErrSequence) {
				t.Errorf("a lot after %s: %v", last, err)
			}
		}
	}
	set("4")
	if number, err := issueLot(ledger, seriesOf(0), []string{"e", "f"}, false); number != 5 || err != nil {
		t.Errorf("the next number is %d, %v", number, err)
	}
	if got := marks(t, ledger, seriesOf(0)); got != "a b c d e f" {
		t.Errorf("the series has %s", got)
	}
}
