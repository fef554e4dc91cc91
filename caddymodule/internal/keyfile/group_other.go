//go:build !unix

package keyfile

import "io/fs"

// hasOneUser: a file has no group.
func hasOneUser(fs.FileInfo) bool { return false }
