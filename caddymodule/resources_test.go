package caddymodule_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// resources are what a gateway's process holds.
type resources struct {
	goroutines, files int
	// heap is the live memory after a garbage collection, resident the system's count, both in bytes.
	heap, resident int64
}

func (r resources) String() string {
	return fmt.Sprintf("%d goroutines, %d files, %.1f MiB of heap, %.1f MiB resident",
		r.goroutines, r.files, float64(r.heap)/(1<<20), float64(r.resident)/(1<<20))
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
	return resources{
		goroutines: int(values["go_goroutines"]), files: int(values["process_open_fds"]),
		heap: int64(values["go_memstats_heap_alloc_bytes"]), resident: int64(values["process_resident_memory_bytes"]),
	}
}

// settled waits until no earlier work ends any more, and returns the resources that are left.
func (p *openly) settled() resources {
	p.T.Helper()
	const calm = time.Second // longer than idle connections live
	least, since := p.resources(), time.Now()
	caddytest.Within(p.T, time.Minute, "calm", func() bool {
		now := p.resources()
		if now.goroutines < least.goroutines || now.files < least.files {
			since = time.Now()
		}
		least = resources{
			min(now.goroutines, least.goroutines), min(now.files, least.files), min(now.heap, least.heap), now.resident,
		}
		return time.Since(since) > calm
	})
	return least
}

// wantNoGrowth compares two settled moments; most is what may have been added.
func wantNoGrowth(t *testing.T, before, after, most resources) {
	t.Helper()
	t.Logf("before: %s", before)
	t.Logf("after:  %s", after)
	for _, r := range []struct {
		name                string
		before, after, most int64
	}{
		{"goroutines", int64(before.goroutines), int64(after.goroutines), int64(most.goroutines)},
		{"open files", int64(before.files), int64(after.files), int64(most.files)},
		{"bytes of heap", before.heap, after.heap, most.heap},
		{"bytes resident", before.resident, after.resident, most.resident},
	} {
		if r.after > r.before+r.most {
			t.Errorf("%s grew from %d to %d, by more than %d", r.name, r.before, r.after, r.most)
		}
	}
}
