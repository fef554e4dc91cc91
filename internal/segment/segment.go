package segment

import (
	"encoding/binary"
	"fmt"
)

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

// packList appends items one after the other to packed: their count and lengths as
// varints, then their bytes. It is the form of both columns of a segment; the data column is
// compressed as a whole, because the records of one row have much in common.
func packList(packed []byte, items [][]byte) []byte {
	packed = binary.AppendUvarint(packed, uint64(len(items)))
	for _, item := range items {
		packed = binary.AppendUvarint(packed, uint64(len(item)))
	}
	for _, item := range items {
		packed = append(packed, item...)
	}
	return packed
}

// unpackList returns the items of packed; they share its memory.
func unpackList(packed []byte) ([][]byte, error) {
	count, rest, ok := takeUvarint(packed)
	if !ok || count > uint64(len(rest)) {
		return nil, fmt.Errorf("count of a segment: %w", errFrame)
	}
	items := make([][]byte, count)
	lengths := rest
	for range count {
		if _, rest, ok = takeUvarint(rest); !ok {
			return nil, fmt.Errorf("lengths of a segment: %w", errFrame)
		}
	}
	for i := range items {
		var n uint64
		n, lengths, _ = takeUvarint(lengths)
		if n > uint64(len(rest)) {
			return nil, fmt.Errorf("item of a segment: %w", errFrame)
		}
		items[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("bytes after the items of a segment: %w", errFrame)
	}
	return items, nil
}

func takeUvarint(b []byte) (uint64, []byte, bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}

// Unpack returns the items of a column of a segment, which is keys, summaries or content.
func Unpack(column string, packed []byte) ([][]byte, error) {
	if column == "keys" {
		return unpackList(packed)
	}
	return unpackFrame(packed)
}

// Pack is the way back.
func Pack(column string, items [][]byte) []byte {
	if column == "keys" {
		return packList(nil, items)
	}
	return compress(packList(nil, items))
}
