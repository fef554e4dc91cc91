// Package today is the first page of the console: how the day goes, what needs a person, and whether the
// trail is sound.
//
// It reads a day once for all readers, and keeps what it found for some seconds. A busy day is read in
// part, from its end, and the page says so: the gateway in the same process comes first.
package today
