//go:build !linux && !darwin && !freebsd

package trail

// DiskFree reports false: the free space is unknown on this system.
func DiskFree(string) (float64, bool) { return 0, false }
