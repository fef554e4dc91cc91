package wsaa

import "time"

// LoginKey is for the tests of what Logins remember.
type LoginKey = loginKey

// KeyOf returns the key of a computer and a service.
func KeyOf(subject []byte, service string) LoginKey { return keyOf(subject, service) }

// Take is take.
func (l *Logins) Take(key LoginKey, now time.Time, window time.Duration) bool {
	return l.take(key, now, window)
}
