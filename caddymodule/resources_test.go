package caddymodule_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// resources are what a gateway's process holds.
type resources struct {
	goroutines int
	// databases are the open files of databases, files all others: a store opens more connections, up to
	// the size of its pool, whenever more requests read at a time than ever before.
	files, databases int
	// heap is the live memory after a garbage collection, resident the system's count, both in bytes.
	heap, resident int64
}

func (r resources) String() string {
	return fmt.Sprintf("%d goroutines, %d files and %d of databases, %.1f MiB of heap, %.1f MiB resident",
		r.goroutines, r.files, r.databases, float64(r.heap)/(1<<20), float64(r.resident)/(1<<20))
}

// openly is a gateway in a process of its own that has an admin API.
type openly struct {
	*caddytest.Process
	admin string
}

// ask sends a request to the admin API and returns the body of an answer with status 200.
func (p *openly) ask(method, path, contentType, body string) string {
	p.T.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, "http://"+p.admin+path, strings.NewReader(body))
	if err != nil {
		p.T.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Cache-Control", "must-revalidate") // reload even a configuration that is loaded already
	got := p.Do(r)
	if got.Status != http.StatusOK {
		p.T.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
	}
	return string(got.Body)
}

// reload replaces the configuration of the process.
func (p *openly) reload(caddyfile string) {
	p.T.Helper()
	p.ask(http.MethodPost, "/load", "text/caddyfile", caddyfile)
}

// resources collects garbage and looks.
func (p *openly) resources() resources {
	p.T.Helper()
	p.ask(http.MethodGet, "/debug/pprof/heap?gc=1", "", "")
	return p.atWork()
}

// atWork is resources as they are: garbage counts in the heap.
func (p *openly) atWork() (r resources) {
	p.T.Helper()
	values := map[string]float64{}
	for line := range strings.Lines(p.ask(http.MethodGet, "/metrics", "", "")) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			values[name], _ = strconv.ParseFloat(value, 64)
		}
	}
	for _, name := range []string{"go_goroutines", "process_open_fds", "go_memstats_heap_alloc_bytes", "process_resident_memory_bytes"} {
		if values[name] == 0 {
			p.T.Fatalf("%s is not in the metrics", name)
		}
	}
	r = resources{
		goroutines: int(values["go_goroutines"]), files: int(values["process_open_fds"]),
		heap: int64(values["go_memstats_heap_alloc_bytes"]), resident: int64(values["process_resident_memory_bytes"]),
	}
	r.databases = p.databases()
	r.files -= r.databases
	return r
}

// databases counts the files of databases that the process has open, where the system shows them.
func (p *openly) databases() (n int) {
	opened, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.Cmd.Process.Pid))
	for _, one := range opened {
		if file, err := os.Readlink(one); err == nil && strings.Contains(filepath.Base(file), ".db") {
			n++
		}
	}
	return n
}

// settled waits until no earlier work ends any more, and returns the resources that are left. Work that has
// yet to end on a busy machine holds more than most: settled gives it a minute, unless most is zero.
func (p *openly) settled(most resources) resources {
	p.T.Helper()
	const calm = time.Second // longer than idle connections live
	least, since := p.resources(), time.Now()
	for began := since; time.Since(since) <= calm || most != (resources{}) && least.more(most) != nil && time.Since(began) < time.Minute; {
		now := p.resources()
		if now.goroutines < least.goroutines || now.files+now.databases < least.files+least.databases {
			since = time.Now()
		}
		least = resources{
			min(now.goroutines, least.goroutines), min(now.files, least.files), min(now.databases, least.databases), min(now.heap, least.heap), now.resident,
		}
	}
	return least
}

// plus adds what may be held more.
func (r resources) plus(growth resources) resources {
	return resources{r.goroutines + growth.goroutines, r.files + growth.files, r.databases + growth.databases, r.heap + growth.heap, r.resident + growth.resident}
}

// more names the resources that are held more than most.
func (r resources) more(most resources) (names []string) {
	for _, one := range []struct {
		name    string
		r, most int64
	}{
		{"goroutines", int64(r.goroutines), int64(most.goroutines)},
		{"open files", int64(r.files), int64(most.files)},
		{"open files of databases", int64(r.databases), int64(most.databases)},
		{"bytes of heap", r.heap, most.heap},
		{"bytes resident", r.resident, most.resident},
	} {
		if one.r > one.most {
			names = append(names, fmt.Sprintf("%d %s, want at most %d", one.r, one.name, one.most))
		}
	}
	return names
}

// wantNoGrowth compares two settled moments; growth is what may have been added.
func wantNoGrowth(t *testing.T, before, after, growth resources) {
	t.Helper()
	t.Logf("before: %s", before)
	t.Logf("after:  %s", after)
	if more := after.more(before.plus(growth)); more != nil {
		t.Errorf("it grew: %s", strings.Join(more, "; "))
	}
}
