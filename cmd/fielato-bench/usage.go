package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"time"
)

// usage is what a process has used so far. Zero means unknown on this system.
type usage struct {
	processor time.Duration
	peak      int64  // of its resident memory, in bytes
	objects   uint64 // made on its heap, those that are gone included
}

func usageNow() usage {
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	return usage{processor: processorTime(), peak: peakMemory(), objects: heap.Mallocs}
}

// peakMemory reads the peak from /proc, on Linux. Getrusage is no help: there a process inherits the
// peak of its parent.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kib int64
	if _, err := fmt.Sscan(string(rest), &kib); err != nil {
		return 0
	}
	return kib << 10
}
