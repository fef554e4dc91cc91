// Package jsonline writes a record as a line of JSON, and reads the line again. A line holds everything that the
// record's canonical form is made from, so the tree proves the very text that people read. A reader accepts no other form:
// an object has its members in the order of their table, without the empty ones.
package jsonline
