//go:build unix

package keyfile

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// hasOneUser reports whether the file's group has one user at most, by the system's files of users and
// groups. These do not have the users of a directory service.
func hasOneUser(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	users, failed := os.ReadFile("/etc/passwd")
	groups, err := os.ReadFile("/etc/group")
	return failed == nil && err == nil && len(usersOf(int(stat.Gid), string(users), string(groups))) < 2
}

// usersOf returns the names of a group's users. users and groups are the texts of /etc/passwd and
// /etc/group.
func usersOf(gid int, users, groups string) map[string]bool {
	group, names := strconv.Itoa(gid), map[string]bool{}
	for line := range strings.Lines(users) {
		if fields := strings.Split(strings.TrimSpace(line), ":"); len(fields) > 3 && fields[3] == group {
			names[fields[0]] = true
		}
	}
	for line := range strings.Lines(groups) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) < 4 || fields[2] != group || fields[3] == "" {
			continue
		}
		for member := range strings.SplitSeq(fields[3], ",") {
			names[member] = true
		}
	}
	return names
}
