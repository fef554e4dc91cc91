//go:build unix

package caddytest

import (
	"strconv"
	"syscall"
)

// become makes the process run as another user, whom permissions bind.
func become(uid string) error {
	number, err := strconv.Atoi(uid)
	if err != nil {
		return err
	}
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setgid(number); err != nil {
		return err
	}
	return syscall.Setuid(number)
}
