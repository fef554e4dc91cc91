package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/testrun"
)

// TestEverythingIsMeasured runs the whole command, briefly: each request is answered as it
// should be, and nothing is left behind.
func TestEverythingIsMeasured(t *testing.T) {
	data, profiles := t.TempDir(), t.TempDir()
	var out, progress bytes.Buffer
	code := run(t.Context(), []string{
		"-duration", "50ms", "-rounds", strconv.Itoa(testrun.Full(t, 1, 2)), "-repeats", "0", "-connections", "1,8", "-invoices", "20",
		"-data", data, "-cpuprofile", profiles, "-json",
	}, &out, &progress)
	if code != 0 {
		t.Fatalf("exit status %d\n%s", code, &progress)
	}
	var got struct {
		Results []struct {
			Target      string             `json:"target"`
			Invoices    int                `json:"invoices"`
			Connections int                `json:"connections"`
			Figures     map[string]float64 `json:"figures"`
			OfUnit      map[string]float64 `json:"of_unit"`
			Answered    int                `json:"answered"`
			Failed      int                `json:"failed"`
		} `json:"results"`
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if len(got.Results) != 2*len(allTargets) {
		t.Errorf("%d results", len(got.Results))
	}
	for i, r := range got.Results {
		if r.Target != allTargets[i%len(allTargets)].name || r.Answered == 0 || r.Failed > 0 {
			t.Errorf("%+v", r)
		}
		for _, name := range jsonNames[:7] {
			known := processorTime() > 0 || !strings.Contains(name, "cpu")
			if name == "capacity_upstream_cpu_us" && r.Target == "builtin" {
				continue // which has no upstream
			}
			if (r.Figures[name] > 0) != known || (r.OfUnit[name] > 0) != known {
				t.Errorf("%+v: no %s", r, name)
			}
		}
	}
	for _, target := range allTargets {
		if info, err := os.Stat(filepath.Join(profiles, target.name+"-8c-20i.pprof")); err != nil || info.Size() == 0 {
			t.Errorf("the profile of %s: %v", target.name, err)
		}
	}
	wantEmpty(t, data)
}

// wantEmpty holds a folder against what a run must leave there: nothing.
func wantEmpty(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

// TestAnInterruptEndsEverything in short time: the children, and the data.
func TestAnInterruptEndsEverything(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	data := t.TempDir()
	progress := &onWrite{then: interrupt} // the first measurement is done
	var out bytes.Buffer
	began := time.Now()
	code := run(ctx, []string{"-targets", "plain,enforce", "-duration", "100ms", "-rounds", "1000", "-data", data}, &out, progress)
	if code != exitInterrupted || out.Len() > 0 {
		t.Errorf("exit status %d, %q", code, &out)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	wantEmpty(t, data)
}

// onWrite calls a function when something is written.
type onWrite struct{ then func() }

func (w *onWrite) Write(p []byte) (int, error) {
	w.then()
	return len(p), nil
}

// TestATargetMustDoWhatItIsMeasuredFor: a target that does less than its name promises is
// reported, whichever promise it breaks.
func TestATargetMustDoWhatItIsMeasuredFor(t *testing.T) {
	upstream := httptest.NewServer(newStub())
	defer upstream.Close()
	for broken, want := range map[promises]string{
		{}:              "",
		{records: true}: "has a record: false",
		{replays: true}: "from its record: false",
		{rules: true}:   "does not add up is refused: false",
		{shape: true}:   "wrong kind is refused: false",
		{syncs: true}:   "are on the disk: false",
		{shows: true}:   "the console shows the record: false",
	} {
		c := connect(upstream.Listener.Addr().String())
		err := broken.prove(t.Context(), c, jsonForm, t.TempDir())
		c.close()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v", broken, err)
		}
	}
}

func TestAChildThatFailsSaysWhy(t *testing.T) {
	_, err := startChild(t.Context(), "a Caddy", roleCaddy, "http://127.0.0.1:0 {\n\tno_such_directive\n}\n")
	if err == nil || !strings.Contains(err.Error(), "no_such_directive") {
		t.Error(err)
	}
	address, err := newAddresses().free()
	if err != nil {
		t.Fatal(err)
	}
	c, err := startChild(t.Context(), "the upstream", roleStub, address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.end()
	if _, err := c.ask("tea"); err == nil || !strings.Contains(err.Error(), `"tea"`) {
		t.Error(err)
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.usage(); err == nil || !strings.Contains(err.Error(), "the upstream has ended") {
		t.Error(err)
	}
}
