// Package access keeps a gateway's table of clients and readers (package clients): from the rows of the
// configuration and of a file that it watches, and with a record in the trail of each table that it judges by.
//
// A table changes in this order: the rows are read whole, the trail has the record of the new table, and only
// then requests are judged by it. So no request is judged by a table that the trail does not have. A mistake in
// the file leaves the table as it was.
package access
