package trail_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestPostgreSQLsDiskIsFull: the server's data are on a file system of their own, where the
// test may mount one.
func TestPostgreSQLsDiskIsFull(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=300m"); err != nil {
		t.Logf("no file system of its own: %v; TestPostgreSQLSaysThatItsDiskIsFull stands for it", err)
		return
	}
	t.Cleanup(func() {
		// A process of the server may still be ending. The file system goes with the last file in it.
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	openTheWay(t, folder)
	t.Setenv("TMPDIR", folder)
	cluster := postgrestest.New(t, "")
	dsn := cluster.Database(t)
	o := sharedOutage(t, dsn, dsn)
	o.wantIssued(t, 1, "")
	filling := filepath.Join(folder, "filling")
	fillUp(t, filling)
	var numbers []int
	number := 2
	for ; ; number++ {
		got := o.Post("FECAESolicitar", caddytest.Invoice(number))
		if got.Status == http.StatusServiceUnavailable {
			if got.Codes(t)[0] != "audit.unavailable" || !strings.Contains(string(got.Body), "No puede escribirse el registro") {
				t.Errorf("got %s", got.Body)
			}
			break
		}
		if got.Status != http.StatusOK || number == 500 {
			t.Fatalf("invoice %d: %d %s", number, got.Status, got.Body)
		}
		numbers = append(numbers, number)
	}
	if err := os.Remove(filling); err != nil {
		t.Fatal(err)
	}
	caddytest.Within(t, time.Minute, "it issues again by itself", func() bool { return o.Post("FECAESolicitar", caddytest.Invoice(number)).Status == http.StatusOK })
	if n := o.upstream.TimesAsked(number); n != 1 {
		t.Errorf("invoice %d was sent %d times", number, n)
	}
	o.End()
	if log := o.Stderr.String(); !strings.Contains(log, "the server's disk is full") {
		t.Errorf("the log does not say what to do:\n%s", log)
	}
	wantApprovedOnce(t, o.records(), append(numbers, 1, number)...)
}

// openTheWay lets the server's user, another one where root runs the test, go into
// the folders above.
func openTheWay(t *testing.T, folder string) {
	t.Helper()
	for parent := filepath.Dir(folder); parent != os.TempDir() && parent != "/"; parent = filepath.Dir(parent) {
		if err := os.Chmod(parent, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// fillUp writes a file until nothing goes into its file system any more.
func fillUp(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 20; size >= 4096; size /= 16 {
		for err = nil; err == nil; {
			_, err = f.Write(bytes.Repeat([]byte{1}, size))
		}
	}
	f.Close()
}
