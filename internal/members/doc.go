// Package members finds single members of a text in JSON, to rewrite, add or remove them. Every other byte of the
// text stays as it was: the order of the members, the blanks between them, and how numbers are written.
//
// A member is named by its JSON Pointer (RFC 6901). A text that is not JSON has none.
package members
