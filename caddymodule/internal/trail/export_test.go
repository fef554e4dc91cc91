package trail

// LimitBacklog changes how many bytes of records a bounded backlog may hold, and returns what
// restores it. No exchange may be under way.
func LimitBacklog(bytes int64) (undo func()) {
	before := maxBacklog
	maxBacklog = bytes
	return func() { maxBacklog = before }
}
