//go:build !linux && !darwin && !freebsd

package durable

// FreeSpace reports false: the free space is unknown on this system.
func FreeSpace(string) (float64, bool) { return 0, false }
