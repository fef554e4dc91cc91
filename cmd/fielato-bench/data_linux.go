package main

import "syscall"

// tmpfsMagic is TMPFS_MAGIC of statfs(2).
const tmpfsMagic = 0x01021994

// inMemory reports whether files written to a folder stay in memory.
func inMemory(folder string) bool {
	var system syscall.Statfs_t
	return syscall.Statfs(folder, &system) == nil && system.Type == tmpfsMagic
}
