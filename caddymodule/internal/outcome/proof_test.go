package outcome_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/outcome"
)

// TestTheDocumentationHasTheTable: docs/exactly-once.md has a row for each kind of end, in its words.
func TestTheDocumentationHasTheTable(t *testing.T) {
	page, err := os.ReadFile("../../../docs/exactly-once.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := "| what came | from | read as | why | asking costs |\n|---|---|---|---|---|\n"
	for _, r := range outcome.Readings {
		readAs := "what it says"
		switch {
		case r.Proof == outcome.ProvesNotSent:
			readAs = "not sent"
		case r.Proof == outcome.ProvesNothing && r.Refuses:
			readAs = "**unknown**; true if the service has nothing"
		case r.Proof == outcome.ProvesNothing:
			readAs = "**unknown**"
		case r.Checked:
			readAs = "what it says, unless the service has the same invoice"
		}
		rows += fmt.Sprintf("| %s | %s | %s | %s | %s |\n", r.What, r.From, readAs, r.Why, r.Asking)
	}
	if !strings.Contains(string(page), rows) {
		t.Errorf("docs/exactly-once.md lacks\n%s", rows)
	}
}

// TestEachKindHasOneReading: a reading that proves something says so, and no refusal is taken for a proof.
func TestEachKindHasOneReading(t *testing.T) {
	for kind := outcome.Unread; kind <= outcome.ErrorBody; kind++ {
		n := 0
		for _, r := range outcome.Readings {
			if r.Kind == kind {
				n++
			}
			if r.What == "" || r.From == "" || r.Why == "" || r.Asking == "" || r.Refuses && r.Proof != outcome.ProvesNothing || r.Ended && !r.Refuses || r.Checked && r.Proof != outcome.ProvesWhatItSays {
				t.Errorf("%+v", r)
			}
		}
		if n != 1 {
			t.Errorf("kind %d has %d readings", kind, n)
		}
	}
}
