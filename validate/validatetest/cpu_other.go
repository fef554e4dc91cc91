//go:build !unix

package validatetest

import "time"

var processStart = time.Now()

// ProcessorTime is the time that has passed, where the one on a processor is not told.
func ProcessorTime() time.Duration { return time.Since(processStart) }
