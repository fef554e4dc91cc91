// Package walk goes over the pieces of a document, a body of JSON or a message of XML, in the order in
// which they stand. Whatever hides something in documents does so on one of its two walks: a visitor
// is told each piece, and notes as an Edit what is not to be seen as it is.
//
// A visitor has places: what it knows of where a piece stands, such as in which member. Each walk keeps
// the places of what is open, so that a visitor need not.
package walk
