package main

import (
	"syscall"
	"time"
)

// sleepPrecisely sleeps in the kernel. The scheduler of Go rounds short sleeps up to a
// millisecond on Linux, which is longer than the latencies to measure.
func sleepPrecisely(d time.Duration) {
	left := syscall.NsecToTimespec(d.Nanoseconds())
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
	}
}
