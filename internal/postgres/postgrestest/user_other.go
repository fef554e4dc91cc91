//go:build !unix

package postgrestest

import "syscall"

func unprivileged() *syscall.SysProcAttr { return nil }

func own(string) error { return nil }

func owner() (uid, gid int, needed bool) { return 0, 0, false }
