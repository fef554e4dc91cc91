//go:build !unix

package testrun

import "time"

var processStart = time.Now()

// ProcessorTime is the elapsed time: this system does not report processor time.
func ProcessorTime() time.Duration { return time.Since(processStart) }
