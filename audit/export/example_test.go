package export_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
)

// A log is written as files, and whoever gets them verifies them with the public key alone.
func Example() {
	ctx := context.Background()
	store, verifier, err := loggedOnce(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	path, err := os.MkdirTemp("", "export")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(path)

	folder, err := export.OpenDirectory(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer folder.Close()
	if _, err := export.Write(ctx, store, "gateway-1", folder, export.Options{Verifier: verifier}); err != nil {
		fmt.Println(err)
		return
	}
	report, err := export.Verify(ctx, os.DirFS(path), export.VerifyOptions{Verifier: verifier})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Sound(), report.Records)
	// Output: true 1
}

// loggedOnce returns a log with one record, and its public key.
func loggedOnce(ctx context.Context) (audit.Store, string, error) {
	key, err := audit.NewKey(rand.Reader, "gateway-1")
	if err != nil {
		return nil, "", err
	}
	store := audittest.NewMemory() // audit/sqlite and audit/postgres keep logs on a disk
	writer, err := audit.Open(ctx, store, "gateway-1", key, audit.Options{First: true})
	if err != nil {
		return nil, "", err
	}
	if _, err := writer.Append(ctx, &audit.Record{Kind: audit.KindExchange, Time: time.Now(), Operation: "FEDummy"}); err != nil {
		return nil, "", err
	}
	return store, key.Verifier(), writer.Close()
}
