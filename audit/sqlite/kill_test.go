package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// childPath names the evidence file to the child process of the test; a test
// binary that has it in its environment is that child.
const childPath = "FIELATO_TEST_KILL_PATH"

// killedShape makes small blocks, so that kills fall into merges too.
var killedShape = sqlite.WithShape(2, 40)

// appendForEver appends from several goroutines and prints index and identifier
// of each record once it is acknowledged.
func appendForEver(path string) {
	s, err := sqlite.Open(path, killedShape)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	key, err := audittest.NewKey("gateway-1")
	if err != nil {
		fmt.Println("error", err)
		return
	}
	trail, err := audit.Open(context.Background(), s, "gateway-1", key, audit.Options{First: true})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	var wg sync.WaitGroup
	var printing sync.Mutex // keeps each line whole
	for seed := range uint64(8) {
		wg.Go(func() {
			source := audittest.NewSource(seed + trail.Size()*8)
			for {
				r := source.Issue(1)
				source.Answer(r)
				index, err := trail.Append(context.Background(), r)
				if err != nil {
					return
				}
				printing.Lock()
				_, err = fmt.Fprintf(os.Stdout, "%d %s %s\n", index, r.ID, r.Vouchers[0].Code)
				printing.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestKilledProcessLosesNoAcknowledgedRecord kills a process that does nothing but
// append. The gateway as a whole is killed in caddymodule.
//
//	FIELATO_TEST_LONG=40 go test ./audit/sqlite -run KilledProcess
func TestKilledProcessLosesNoAcknowledgedRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	// Different numbers of records: the kills fall into blocks, checkpoints and
	// segments at different places.
	lives := []int{30, 1500, 3000}
	random := rand.New(rand.NewPCG(20261120, 0))
	for len(lives) < testrun.Size(t, 0, 5) {
		lives = append(lives, 10+random.IntN(1000))
	}
	acknowledged := map[uint64][2]string{}
	for life, records := range lives {
		maps.Copy(acknowledged, killAfter(t, path, records))
		// A whole reading takes longer than a life.
		if life < 3 || life%20 == 0 || life == len(lives)-1 {
			verifyKilled(t, path, acknowledged)
		}
	}
}

// killAfter runs the child until it has acknowledged so many records, kills it and
// returns what it had printed: identifier and code by index.
func killAfter(t *testing.T, path string, records int) map[uint64][2]string {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childPath+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	seen := map[uint64][2]string{}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var index uint64
		var id, code string
		if _, err := fmt.Sscanf(lines.Text(), "%d %s %s", &index, &id, &code); err != nil {
			if strings.HasPrefix(lines.Text(), "error") {
				t.Fatal(lines.Text())
			}
			continue // the last line may be cut
		}
		seen[index] = [2]string{id, code}
		if len(seen) == 10 {
			besideAWriter(t, path, index, id)
		}
		if len(seen) == records {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // it was killed
	if len(seen) < records {
		t.Fatalf("the child acknowledged %d records, want %d", len(seen), records)
	}
	return seen
}

// besideAWriter looks at the file while another process writes it: a second writer
// is refused, a reader sees what was acknowledged.
func besideAWriter(t *testing.T, path string, index uint64, id string) {
	t.Helper()
	if _, err := sqlite.Open(path); !errors.Is(err, sqlite.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("opening a file that another process writes: %v, want ErrLocked and the path", err)
	}
	reader, err := sqlite.OpenReader(path, killedShape)
	if err != nil {
		t.Fatalf("opening a file for reading that another process writes: %v", err)
	}
	defer closeStore(t, reader)
	if r, err := reader.Get(t.Context(), "gateway-1", index); err != nil || r.ID != id {
		t.Errorf("record %d from another process: %v", index, err)
	}
}

func verifyKilled(t *testing.T, path string, acknowledged map[uint64][2]string) {
	t.Helper()
	s := open(t, path, killedShape)
	defer closeStore(t, s)
	audittest.Verify(t, s, "gateway-1")
	isSound(t, s)
	head, err := s.Head(t.Context(), "gateway-1")
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*audit.Record, head.Size)
	for r, err := range s.Search(t.Context(), audit.Query{Log: "gateway-1"}) {
		if err != nil {
			t.Fatal(err)
		}
		all[r.Index] = r
	}
	for index, r := range all {
		if r == nil {
			t.Fatalf("record %d of %d is missing", index, head.Size)
		}
	}
	for index, names := range acknowledged {
		if index >= head.Size || all[index].ID != names[0] {
			t.Fatalf("acknowledged record %d of %d is lost or another one", index, head.Size)
		}
	}
	tried := 0
	for index, names := range acknowledged {
		found := false
		for r, err := range s.Search(t.Context(), audit.Query{Log: "gateway-1", Code: names[1]}) {
			if err != nil {
				t.Fatal(err)
			}
			found = found || r.Index == index
		}
		if !found {
			t.Fatalf("record %d of %d is not found by its code", index, head.Size)
		}
		if tried++; tried == 50 {
			break
		}
	}
}
