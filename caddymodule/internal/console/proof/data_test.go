package proof

import (
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestALargeRecordIsNotInThePage, which would be slow then; the page says so.
func TestALargeRecordIsNotInThePage(t *testing.T) {
	for length, want := range map[int]bool{1000: true, maxInPage: false} {
		d := &pageData{}
		form := audit.Form{Summary: make([]byte, 100), Content: make([]byte, length)}
		if got := d.add(&found{parts: &audit.Proof{Form: form}}, false); got != want || d.TooLarge == want || (len(d.Proofs) == 1) != want {
			t.Errorf("%d bytes: %v, %v, %d proofs", length, got, d.TooLarge, len(d.Proofs))
		}
	}
}
