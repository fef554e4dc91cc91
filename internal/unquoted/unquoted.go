// Package unquoted takes the quotes out of an error of net/http about an answer that it cannot read.
//
// The bytes may be anything: a ticket, which whoever reads the error cannot know yet; the rest of an answer that is
// longer than its Content-Length, and so another client's. They belong into no log.
//
// It is a package of its own because the gateway and the login client both ask by HTTP, and neither may import the other.
package unquoted

import "regexp"

// Of returns err with a text that has none of an answer's bytes, nil for nil. It unwraps to err.
func Of(err error) error {
	if err == nil || !quoting.MatchString(err.Error()) {
		return err
	}
	return quoteless{err}
}

// quoting matches what net/http writes before it quotes: of the head of an answer in HTTP/1, of its trailer, of a
// redirection, and of the last words of a connection of HTTP/2. Several quotes may follow, and text between them.
var quoting = regexp.MustCompile(`(?s)(transport connection broken: [^"]*|malformed MIME header[^"]*|bad trailer key |failed to parse Location header |, debug=)".*"`)

type quoteless struct{ err error }

// Error implements error.
func (q quoteless) Error() string { return quoting.ReplaceAllString(q.err.Error(), "${1}…") }

// Unwrap returns the error with what it quotes.
func (q quoteless) Unwrap() error { return q.err }
