package segment

import "github.com/fielato/fielato/internal/segment/frame"

const (
	// segmentRecords bounds the records of one row: to read one record is to read its row. A
	// segment of many is smaller: 32 goroutines that append records of 1,600 bytes leave 620
	// bytes of SQLite's file for each, index and tree included, against 1,080 with each record
	// on its own.
	segmentRecords = 64
	// segmentBytes bounds the data, before it is compressed, of a row of more than
	// one record.
	segmentBytes = 256 << 10
)

// Unpack returns the items of a column of a segment, which is keys, summaries or content.
func Unpack(column string, packed []byte) ([][]byte, error) {
	return frame.UnpackColumn(column, packed)
}

// Pack is the way back.
func Pack(column string, items [][]byte) []byte { return frame.PackColumn(column, items) }
