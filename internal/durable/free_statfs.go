//go:build linux || darwin || freebsd

package durable

import "syscall"

// FreeSpace returns how many bytes an unprivileged process may still write to the file
// system of a folder, false if that is unknown.
func FreeSpace(folder string) (float64, bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(folder, &stat); err != nil {
		return 0, false
	}
	// Some systems count the space reserved for the superuser below zero.
	return max(float64(stat.Bavail), 0) * float64(stat.Bsize), true
}
