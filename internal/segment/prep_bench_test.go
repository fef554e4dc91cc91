package segment

import (
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/segment/term"
)

// BenchmarkPrepare measures the keys of a record with one invoice and with 250, with receivers and without.
func BenchmarkPrepare(b *testing.B) {
	for name, n := range map[string]int{"one": 1, "lot": 250} {
		source := audittest.NewSource(3)
		r := source.Issue(n)
		source.Answer(r)
		with, without := NewVault(nil), NewVault(nil)
		var err error
		if with.receivers, err = term.Derive([]byte("secret"), nil); err != nil {
			b.Fatal(err)
		}
		for how, vault := range map[string]*Vault{"with": with, "without": without} {
			b.Run(name+"/"+how, func(b *testing.B) {
				for b.Loop() {
					vault.Prepare(audit.Form{}, r)
				}
			})
		}
	}
}
