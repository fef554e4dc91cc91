package caddymodule

// LimitOwed changes how many bytes may be owed to a trail, and returns what undoes it.
// No exchange may be under way.
func LimitOwed(bytes int64) (undo func()) {
	before := maxOwed
	maxOwed = bytes
	return func() { maxOwed = before }
}

// DiskFree is diskFree.
var DiskFree = diskFree
