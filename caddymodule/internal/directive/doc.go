// Package directive reads blocks of the Caddyfile. The options of a block are a table:
// the parser, its errors and the reference (docs/reference.md) read the same one.
//
// The package has the table's type, the reader of blocks, and readers for the arguments
// that several blocks share: words, sizes, durations, rules, modules. It knows no block
// of its own, and changes nothing but the value that it is given.
package directive
