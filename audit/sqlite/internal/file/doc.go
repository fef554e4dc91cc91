// Package file has what package sqlite needs of files before it knows what is in them: to make and to open
// them, the right to write one, and what errors of SQLite mean. It knows no table.
package file
