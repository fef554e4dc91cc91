//go:build !linux && !darwin && !freebsd

package trail

// DiskFree reports false: this system does not tell the free space.
func DiskFree(string) (float64, bool) { return 0, false }
