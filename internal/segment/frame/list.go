package frame

import (
	"encoding/binary"
	"fmt"
)

// PackList appends items one after the other to packed: their count and lengths as
// varints, then their bytes. It is the form of both columns of a segment; the data column is
// compressed as a whole, because the records of one row have much in common.
func PackList(packed []byte, items [][]byte) []byte {
	packed = binary.AppendUvarint(packed, uint64(len(items)))
	for _, item := range items {
		packed = binary.AppendUvarint(packed, uint64(len(item)))
	}
	for _, item := range items {
		packed = append(packed, item...)
	}
	return packed
}

// maxItems bounds what a damaged list can make UnpackList allocate: an empty item takes one byte of a list, next to none
// of a frame, and 24 in memory. The list of a row has 64 items.
const maxItems = 1 << 16

// UnpackList returns the items of packed; they share its memory. Errors wrap ErrDamaged.
func UnpackList(packed []byte) ([][]byte, error) {
	count, rest, ok := TakeUvarint(packed)
	if !ok || count > min(maxItems, uint64(len(rest))) {
		return nil, fmt.Errorf("count of a segment: %w", ErrDamaged)
	}
	items := make([][]byte, count)
	lengths := rest
	for range count {
		if _, rest, ok = TakeUvarint(rest); !ok {
			return nil, fmt.Errorf("lengths of a segment: %w", ErrDamaged)
		}
	}
	for i := range items {
		var n uint64
		n, lengths, _ = TakeUvarint(lengths)
		if n > uint64(len(rest)) {
			return nil, fmt.Errorf("item of a segment: %w", ErrDamaged)
		}
		items[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("bytes after the items of a segment: %w", ErrDamaged)
	}
	return items, nil
}

// TakeUvarint returns the number that b begins with, and what follows it. It reports whether there is one.
func TakeUvarint(b []byte) (uint64, []byte, bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}

// Unpack returns the items of a frame. Errors wrap ErrDamaged.
func Unpack(frame []byte) ([][]byte, error) {
	packed, err := Decompress(frame)
	if err != nil {
		return nil, err
	}
	return UnpackList(packed)
}

// PackIndexes packs indexes in order: each as the distance from the one before.
func PackIndexes(indexes []uint64) []byte {
	packed := []byte{}
	last := uint64(0)
	for _, index := range indexes {
		packed = binary.AppendUvarint(packed, index-last)
		last = index
	}
	return packed
}

// UnpackIndexes returns the indexes. Errors wrap ErrDamaged.
func UnpackIndexes(packed []byte) ([]uint64, error) {
	var indexes []uint64
	last := uint64(0)
	for len(packed) > 0 {
		distance, rest, ok := TakeUvarint(packed)
		if !ok {
			return nil, fmt.Errorf("indexes of a block: %w", ErrDamaged)
		}
		last, packed = last+distance, rest
		indexes = append(indexes, last)
	}
	return indexes, nil
}

// UnpackColumn returns the items of a column of a segment, which is keys, summaries or content.
func UnpackColumn(column string, packed []byte) ([][]byte, error) {
	if column == "keys" {
		return UnpackList(packed)
	}
	return Unpack(packed)
}

// PackColumn is the way back.
func PackColumn(column string, items [][]byte) []byte {
	if column == "keys" {
		return PackList(nil, items)
	}
	return Compress(PackList(nil, items))
}
