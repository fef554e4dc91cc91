package main

import "syscall"

// tmpfsMagic is TMPFS_MAGIC of statfs(2).
const tmpfsMagic = 0x01021994

// inMemory reports whether what is written to a folder stays in memory.
func inMemory(folder string) bool {
	var system syscall.Statfs_t
	return syscall.Statfs(folder, &system) == nil && system.Type == tmpfsMagic
}
