//go:build !unix

package postgrestest

import "syscall"

func unprivileged() *syscall.SysProcAttr { return nil }

func own(string) error { return nil }
