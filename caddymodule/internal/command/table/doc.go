// Package table lays out what commands print for people: tables, and lists of fields.
//
// A table fits the terminal that it is printed on. Where it is too wide, times lose their milliseconds and zone,
// columns that have the same text in each row and then the least important ones are left out, and long texts are cut or continued
// on further lines. A last line names the columns, and how to see them. In a file or a pipe nothing is cut. Numbers and
// codes are never cut.
package table
