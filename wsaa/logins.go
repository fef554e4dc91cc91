package wsaa

import (
	"crypto/sha256"
	"sync"
	"time"
)

// Logins remembers which computers have a ticket, in memory. It outlives the Servers that share
// it. The zero value is ready for use.
type Logins struct {
	mu   sync.Mutex
	last map[loginKey]time.Time // guarded by mu
}

// loginKey names a computer, by the name in its certificate, and a service.
type loginKey [sha256.Size]byte

// maxLogins bounds the memory of Logins. Beyond it the oldest is forgotten: that computer gets
// another ticket early.
const maxLogins = 10_000

func keyOf(subject []byte, service string) loginKey {
	h := sha256.New()
	h.Write([]byte(service + "\x00"))
	h.Write(subject)
	return loginKey(h.Sum(nil))
}

// take remembers a login, unless there was one in the window before now. A login that lies ahead
// of a clock that was moved does not count: its ticket is not valid yet.
func (l *Logins) take(key loginKey, now time.Time, window time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last, ok := l.last[key]; ok && within(last, now, window) {
		return false
	}
	if len(l.last) >= maxLogins {
		l.drop(now, window)
	}
	if l.last == nil {
		l.last = map[loginKey]time.Time{}
	}
	l.last[key] = now
	return true
}

// Len returns how many logins are remembered.
func (l *Logins) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.last)
}

// Clear forgets all logins: whoever asks gets a ticket.
func (l *Logins) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.last)
}

func within(last, now time.Time, window time.Duration) bool {
	return !last.After(now) && now.Before(last.Add(window))
}

// drop forgets the logins outside of the window, or the oldest one if there is none. The caller
// holds mu.
func (l *Logins) drop(now time.Time, window time.Duration) {
	var oldest loginKey
	var at time.Time
	for key, last := range l.last {
		if !within(last, now, window) {
			delete(l.last, key)
		} else if at.IsZero() || last.Before(at) {
			oldest, at = key, last
		}
	}
	if len(l.last) >= maxLogins {
		delete(l.last, oldest)
	}
}
