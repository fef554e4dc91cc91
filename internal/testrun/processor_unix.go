//go:build unix

package testrun

import (
	"syscall"
	"time"
)

// ProcessorTime is the time that this process has had on a processor: what else the
// machine does counts for little in it.
func ProcessorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
