package run

import (
	"fmt"
	"slices"

	"github.com/fielato/fielato/internal/segment/frame"
)

// Candidate is a run on the way of a walk.
type Candidate struct {
	Part
	Level int
	// Wanted: the run may have a match. It is a block then, or picked.
	Wanted bool
	// Places are the places of the records in a block that may match, in order; nil if any may.
	Places []Place

	rows  Rows
	cover *cover
	// late are the run's, packed: nothing of a part, as its run has them.
	late []byte
	// parts are the run's, packed; nil if they were not read yet.
	parts []byte
}

// cover is a run that is part of no other.
type cover struct {
	// packed are its open intents, which are unpacked once they are asked for.
	packed []byte
	open   []uint64
}

// IsOpen reports whether an intent of the candidate has no outcome in it, nor in the parts of the same run that the
// walk has passed.
func (c *Candidate) IsOpen(intent uint64) (bool, error) {
	open, err := c.openIntents()
	_, found := slices.BinarySearch(open, intent)
	return found, err
}

// Picked returns the records that the candidate is narrowed to, in order: those at its places, or its open
// intents.
func (c *Candidate) Picked() (indexes []uint64, err error) {
	for _, place := range c.Places {
		indexes = append(indexes, c.First+uint64(place))
	}
	if c.Places != nil {
		return indexes, nil
	}
	open, err := c.openIntents()
	for _, intent := range open {
		if intent >= c.First && intent < c.Next {
			indexes = append(indexes, intent)
		}
	}
	return indexes, err
}

// openIntents returns the open intents of the cover that the candidate is in.
func (c *Candidate) openIntents() ([]uint64, error) {
	if c.cover.open == nil && len(c.cover.packed) > 0 {
		var err error
		if c.cover.open, err = frame.UnpackIndexes(c.cover.packed); err != nil {
			return nil, c.Damaged(err)
		}
	}
	return c.cover.open, nil
}

// Late returns the intents from before the candidate that have their outcome in it, or in the
// parts of the same run that the walk has passed.
func (c *Candidate) Late() ([]uint64, error) {
	late, err := frame.UnpackIndexes(c.late)
	if err != nil {
		return nil, c.Damaged(err)
	}
	return late, nil
}

// Damaged adds the candidate to an error.
func (c *Candidate) Damaged(err error) error {
	return fmt.Errorf("run of level %d at %d of %s: %w", c.Level, c.First, c.rows.Name(), err)
}
