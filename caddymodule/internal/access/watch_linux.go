package access

import (
	"os"
	"syscall"
	"time"
)

// changeOf returns when something of a file was last changed. Unlike the time of its content, no program can set it: a
// copy in its place that keeps times and size has another one.
func changeOf(info os.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctim.Unix())
	}
	return time.Time{}
}
