package view

import "io"

// StreamRows returns a function that writes each row at once. Later rows are not known, so
// columns have fixed widths that mostly fit.
func StreamRows(w io.Writer, columns Columns) func(Entry) error {
	write := columns.table().Stream(w)
	return func(s Entry) error { return write(columns.cells(s.At, nil)) }
}
