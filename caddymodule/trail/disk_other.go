//go:build !linux && !darwin && !freebsd

package trail

// DiskFree tells nothing on this system.
func DiskFree(string) (float64, bool) { return 0, false }
