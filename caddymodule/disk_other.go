//go:build !linux && !darwin && !freebsd

package caddymodule

// diskFree tells nothing on this system.
func diskFree(string) (float64, bool) { return 0, false }
