// Package spreadsheet writes a table that Excel opens with a click where Argentina is set: semicolons between the cells,
// a comma in amounts, lines that end in CR and LF, and the mark of UTF-8 at the beginning. A cell that a program would
// carry out as a formula begins with an apostrophe.
//
// It is a package of its own because pages and commands write such tables, and a program that reads one must be able to
// read all.
package spreadsheet
