package run

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fielato/fielato/internal/segment/frame"
)

// Part are the bounds of a run, or of a part of it.
type Part struct {
	// The records First <= index < Next are in it. Oldest and Newest are their times, in
	// microseconds since 1970.
	First, Next    uint64
	Oldest, Newest int64
}

// Row is a run without its lists.
type Row struct {
	// Level is 0 for a block.
	Level int
	Part
	// Open are the intents of the run without an outcome in it, Late those from before it
	// that have one in it; both are packed and in order, Late may have one twice.
	Open, Late []byte
	// Parts are the parts, packed; nothing of a block.
	Parts []byte
}

// packParts packs the parts of a run, which follow each other: where each ends, and its times after
// the run's oldest.
func packParts(run *Part, parts []Row) []byte {
	packed, last := []byte{}, run.First
	for i := range parts {
		p := &parts[i]
		packed = binary.AppendUvarint(packed, p.Next-last)
		packed = binary.AppendUvarint(packed, uint64(p.Oldest-run.Oldest))
		packed = binary.AppendUvarint(packed, uint64(p.Newest-p.Oldest))
		last = p.Next
	}
	return packed
}

// unpackParts returns the parts of the run. Errors wrap audit.ErrDamaged.
func (s Shape) unpackParts(run *Part, packed []byte) ([]Part, error) {
	parts, last := make([]Part, s.Parts()), run.First
	for i := range parts {
		var numbers [3]uint64
		for j := range numbers {
			var ok bool
			if numbers[j], packed, ok = frame.TakeUvarint(packed); !ok {
				return nil, fmt.Errorf("parts of a run: %w", frame.ErrDamaged)
			}
		}
		oldest := run.Oldest + int64(numbers[1])
		parts[i] = Part{First: last, Next: last + numbers[0], Oldest: oldest, Newest: oldest + int64(numbers[2])}
		last = parts[i].Next
	}
	if len(packed) > 0 || last != run.Next {
		return nil, fmt.Errorf("parts of a run: %w", frame.ErrDamaged)
	}
	return parts, nil
}

// errParts: they do not follow each other.
var errParts = errors.New("the parts of a run do not follow each other")

// rowOf returns the row of the run of these parts.
func rowOf(parts []Row) (row Row, err error) {
	row = Row{Level: parts[0].Level + 1, Part: parts[0].Part}
	open, late := map[uint64]bool{}, []uint64{}
	for i := range parts {
		p := &parts[i]
		if i > 0 && p.First != row.Next {
			return Row{}, fmt.Errorf("%w at %d: %w", errParts, p.First, frame.ErrDamaged)
		}
		row.Next, row.Oldest, row.Newest = p.Next, min(row.Oldest, p.Oldest), max(row.Newest, p.Newest)
		answered, err := frame.UnpackIndexes(p.Late)
		if err != nil {
			return Row{}, err
		}
		for _, intent := range answered {
			if delete(open, intent); intent < row.First {
				late = append(late, intent)
			}
		}
		still, err := frame.UnpackIndexes(p.Open)
		if err != nil {
			return Row{}, err
		}
		for _, intent := range still {
			open[intent] = true
		}
	}
	slices.Sort(late)
	row.Open, row.Late = frame.PackIndexes(slices.Sorted(maps.Keys(open))), frame.PackIndexes(late)
	row.Parts = packParts(&row.Part, parts)
	return row, nil
}
