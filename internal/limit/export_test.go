package limit

// Remembered is how many clients the limit holds in memory.
func (l *Limit) Remembered() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.clients)
}
