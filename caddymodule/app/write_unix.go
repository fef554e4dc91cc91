//go:build linux || darwin || freebsd

package app

import "syscall"

// mayWrite returns an error if this process may not write a file or a folder. It writes nothing.
func mayWrite(place string) error {
	const write = 2 // W_OK
	return syscall.Access(place, write)
}
