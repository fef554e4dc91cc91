//go:build !unix

package caddytest

import "time"

var processStart = time.Now()

// ProcessorTime is the time that has passed, where the one on a processor is not told.
func processorTime() time.Duration { return time.Since(processStart) }
