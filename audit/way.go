package audit

import "strings"

// Way is by which way somebody has read the trail, one word.
type Way string

// The ways.
const (
	WayConsole Way = "console" // the pages of the console
	WayCommand Way = "command" // a command of a terminal
)

// consoleMark stands behind the identity in records of the console by builds before 2026-12, which had no Way.
const consoleMark = " (console)"

// Reader returns who has read the trail, and by which way, of a record of KindAccess. Records of earlier builds
// have the console in the identity; any other way of theirs was a command.
func (r *Record) Reader() (who string, way Way) {
	if r.Way != "" || r.Kind != KindAccess {
		return r.ClientIdentity, r.Way
	}
	if who, ok := strings.CutSuffix(r.ClientIdentity, consoleMark); ok {
		return who, WayConsole
	}
	if r.Outcome == "" {
		way = WayCommand
	}
	return r.ClientIdentity, way
}

// Identities returns the texts of ClientIdentity by which records of this identity are found: a reading of the
// console by an earlier build has another one.
func (q *Query) Identities() []string {
	if q.ClientIdentity == "" || q.Kind != KindAccess {
		return []string{q.ClientIdentity}
	}
	return []string{q.ClientIdentity, q.ClientIdentity + consoleMark}
}

// matchesIdentity reports whether a record, or its intent, is of the identity that is wanted.
func (q *Query) matchesIdentity(r, intent *Record) bool {
	if q.ClientIdentity == "" || r.ClientIdentity == q.ClientIdentity || intent.ClientIdentity == q.ClientIdentity {
		return true
	}
	who, _ := r.Reader()
	return r.Kind == KindAccess && q.Kind == KindAccess && who == q.ClientIdentity
}
