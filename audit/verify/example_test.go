package verify_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

// A log is verified with its public key alone.
func ExampleLog() {
	ctx := context.Background()
	key, err := audit.NewKey(rand.Reader, "gateway-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	store := audittest.NewMemory() // audit/sqlite and audit/postgres keep logs on a disk
	defer store.Close()
	writer, err := audit.Open(ctx, store, "gateway-1", key, audit.Options{First: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		if _, err := writer.Append(ctx, &audit.Record{Kind: audit.KindExchange, Time: time.Now(), Operation: "FEDummy"}); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := writer.Close(); err != nil {
		fmt.Println(err)
		return
	}

	report, err := verify.Log(ctx, store, "gateway-1", key.Verifier(), verify.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Sound(), report.Records, report.Checkpoint.Size)
	// Output:
	// true 3 3
}
