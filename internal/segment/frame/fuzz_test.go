package frame_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/fielato/fielato/internal/segment/frame"
)

// TestAListOfNothingIsDamaged: a row of some bytes must not take gigabytes in the process that reads it.
func TestAListOfNothingIsDamaged(t *testing.T) {
	const items = 1 << 24
	packed := frame.Compress(append(binary.AppendUvarint(nil, items), make([]byte, items)...))
	if len(packed) > 1<<10 {
		t.Fatalf("%d bytes", len(packed))
	}
	for _, column := range []string{"summaries", "content"} {
		if all, err := frame.UnpackColumn(column, packed); !errors.Is(err, frame.ErrDamaged) {
			t.Errorf("%s: %d items, %v", column, len(all), err)
		}
	}
}

// FuzzUnpack reads columns and lists that the database of somebody else has, as who checks a copy does: a list
// that is read can be packed, and is read again as the same.
func FuzzUnpack(f *testing.F) {
	for _, items := range [][][]byte{nil, {nil}, {[]byte("a")}, {[]byte("a"), nil, bytes.Repeat([]byte("content "), 2000)}} {
		for _, column := range []string{"keys", "content"} {
			f.Add(frame.PackColumn(column, items))
		}
	}
	f.Add(frame.PackIndexes([]uint64{1, 1, 7, 1 << 40}))
	f.Add([]byte("\x02\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, packed []byte) {
		for _, column := range []string{"keys", "content"} {
			items, err := frame.UnpackColumn(column, packed)
			if err != nil {
				continue
			}
			again, err := frame.UnpackColumn(column, frame.PackColumn(column, items))
			if err != nil || !slices.EqualFunc(items, again, bytes.Equal) {
				t.Fatalf("%s: %v, %q read as %q and then as %q", column, err, packed, items, again)
			}
		}
		indexes, err := frame.UnpackIndexes(packed)
		if again, err2 := frame.UnpackIndexes(frame.PackIndexes(indexes)); err == nil && (err2 != nil || !slices.Equal(indexes, again)) {
			t.Fatalf("%v, %q read as %v and then as %v", err2, packed, indexes, again)
		}
	})
}
