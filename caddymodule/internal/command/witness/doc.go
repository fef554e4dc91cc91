// Package witnesscmd is `fielato wsfev1 witness`: a witness of logs over HTTP, as C2SP's tlog-witness describes it,
// and `check-evidence`, which judges what it has kept against a log.
//
// Package internal/witness decides whether it signs. Here are the command, the files' places, the
// answers on the wire, and the page for people.
package witnesscmd
