package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// purgingPath names the evidence file to the child process that purges.
const purgingPath = "FIELATO_TEST_PURGE_PATH"

// purgeAndTell purges the records before November, prints a line for each step, and waits for a line before the next
// one: the test decides how far it gets.
func purgeAndTell(path string) {
	next := bufio.NewScanner(os.Stdin)
	p, err := sqlite.OpenPurger(path)
	if err == nil {
		_, err = p.Purge(context.Background(), audit.PurgeRequest{
			Log: "gateway-1", Before: november, Progress: func(r audit.PurgeResult) {
				fmt.Println(r.Total().Purged)
				next.Scan()
			},
		})
	}
	if err != nil {
		fmt.Println("error", err)
	}
	fmt.Println("done")
}

// TestKilledPurgeIsFinishedByTheNext: killed anywhere, it leaves a trail that verifies,
// in which nothing but what was due is gone; and a purge comes to the end at last.
func TestKilledPurgeIsFinishedByTheNext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	kills := testrun.Size(t, 2, 4)
	each := 1000 * kills // more than is purged before the last of them
	appendMonth(t, s, 10, each)
	appendMonth(t, s, 11, each/10)
	recordPurge(t, s, path)
	for n := range kills {
		killPurgeAfter(t, path, 1+n%3)
		if n%2 == 1 { // beside a gateway that runs, and with one that starts again
			closeStore(t, s)
			s = open(t, path)
		}
		audittest.Verify(t, s, "gateway-1")
	}
	present := presences(t, s)
	if present[10] == 0 || present[10] == each {
		t.Fatalf("%d of %d are left: nothing was put to the proof", present[10], each)
	}
	p := openPurger(t, path)
	result := purge(t, p, november)
	closeStore(t, p)
	if got := result.Total().Purged; got != uint64(present[10]) {
		t.Errorf("the last purge took %d, want the %d that were left", got, present[10])
	}
	if present = presences(t, s); present[10] != 0 || present[11] != each/10 {
		t.Errorf("%d of October and %d of November are left", present[10], present[11])
	}
	audittest.Verify(t, s, "gateway-1")
	closeStore(t, s)
	if names := fileHas(t, path, bodyOf(10, 7)); names != nil {
		t.Errorf("a body is in %v", names)
	}
}

// recordPurge writes down what a purge of all before November is to take.
func recordPurge(t *testing.T, s audit.Store, path string) {
	t.Helper()
	p := openPurger(t, path)
	defer closeStore(t, p)
	counted, err := p.Purge(t.Context(), audit.PurgeRequest{Log: "gateway-1", Before: november, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	audittest.Append(t, s, "gateway-1", audittest.Access(audit.AccessPurge, 0, &audit.PurgeScope{
		Before: november, First: counted.Records.First, Next: counted.Records.Next, Records: counted.Total().Purged,
	}))
}

// presences counts the records that have their content, by month.
func presences(t *testing.T, s audit.Store) map[time.Month]int {
	t.Helper()
	counts := map[time.Month]int{}
	for r, err := range s.Search(t.Context(), audit.Query{Log: "gateway-1"}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Presence == audit.Present {
			counts[r.Time.Month()]++
		}
	}
	return counts
}

func killPurgeAfter(t *testing.T, path string, steps int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), purgingPath+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); steps-- {
		if strings.HasPrefix(lines.Text(), "error") {
			t.Fatal(lines.Text())
		}
		if steps == 0 {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := fmt.Fprintln(in); err != nil && steps > 0 {
			t.Fatal(err)
		}
	}
	_ = child.Wait() // it was killed
}

// TestPurgeDoesNotStallTheGateway: during a purge appends stay quick, and the write-ahead log
// bounded.
func TestPurgeDoesNotStallTheGateway(t *testing.T) {
	const bound, writers = 300 * time.Millisecond, 16
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	defer closeStore(t, s)
	trail, err := audit.Open(t.Context(), s, "gateway-1", audittest.Key(t, "gateway-1"), audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	load(t, trail, writers, 6000, 10, nil) // the content that is purged
	alone := load(t, trail, writers, 2000, 11, nil)

	p := openPurger(t, path)
	largest := int64(0) // of the write-ahead log; read once the purge has ended
	request := audit.PurgeRequest{Log: "gateway-1", Before: november, Progress: func(audit.PurgeResult) {
		if info, err := os.Stat(path + "-wal"); err == nil {
			largest = max(largest, info.Size())
		}
	}}
	purged := make(chan struct{})
	go func() {
		defer close(purged)
		if _, err := p.Purge(t.Context(), request); err != nil {
			t.Errorf("purge beside a gateway: %v", err)
		}
	}()
	beside := load(t, trail, writers, 0, 11, purged)
	closeStore(t, p)
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	<-purged
	if largest == 0 || largest > 64<<20 {
		t.Errorf("the write-ahead log grew to %d bytes", largest)
	}
	t.Logf("largest write-ahead log: %d MB; appends alone: p50 %v, p99 %v, max %v; beside a purge (%d): p50 %v, p99 %v, max %v",
		largest>>20, alone[len(alone)/2], alone[len(alone)*99/100], alone[len(alone)-1], len(beside),
		beside[len(beside)/2], beside[len(beside)*99/100], beside[len(beside)-1])
	if p99 := beside[len(beside)*99/100]; p99 > bound {
		t.Errorf("p99 beside a purge is %v, the bound is %v", p99, bound)
	}
	if left := presences(t, s); left[10] != 0 {
		t.Errorf("%d of October are left", left[10])
	}
}

// load appends so many records of a month, or until a channel is closed, and returns
// how long each took, sorted.
func load(t *testing.T, trail *audit.Writer, writers, n int, month time.Month, until <-chan struct{}) []time.Duration {
	t.Helper()
	var mu sync.Mutex // guards took
	var took []time.Duration
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			source := audittest.NewSource(uint64(w) + trail.Size())
			for i := 0; until != nil || i < n/writers; i++ {
				select {
				case <-until:
					return
				default:
				}
				r := source.Issue(1)
				source.Answer(r)
				r.Time = day(month)
				began := time.Now()
				if _, err := trail.Append(t.Context(), r); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(took)
	return took
}
