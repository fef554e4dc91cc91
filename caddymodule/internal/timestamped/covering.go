package timestamped

import (
	"context"
	"errors"
	"strings"
	"time"
)

// maxSteps bounds how many days are looked at, one way and the other.
const maxSteps = 60

// IsSetting reports whether a setting has a time-stamp.
func IsSetting(name string) bool { return strings.HasPrefix(name, settingOf("", "")) }

// Covering returns the earliest time-stamp that it finds over the record with this index, which was written at about
// this time. The error is ErrNone if there is none.
func (s Shelf) Covering(ctx context.Context, index uint64, at time.Time) (*Kept, error) {
	found, err := s.Newest(ctx)
	if err != nil {
		return nil, err
	}
	if found.Records <= index {
		return nil, ErrNone
	}
	for i := range maxSteps {
		day := DayOf(at.AddDate(0, 0, i))
		if day >= DayOf(found.Time) {
			break
		}
		kept, err := s.Of(ctx, day)
		if errors.Is(err, ErrNone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if kept.Records > index {
			found = kept
			break
		}
	}
	return s.earlier(ctx, found, index)
}

// earlier goes back from a time-stamp as long as the ones before are over the record too: the clock may have been wrong.
func (s Shelf) earlier(ctx context.Context, found *Kept, index uint64) (*Kept, error) {
	for range maxSteps {
		if found.Before == "" || found.Before >= DayOf(found.Time) { // days only go back
			break
		}
		before, err := s.Of(ctx, found.Before)
		if errors.Is(err, ErrNone) || err == nil && before.Records <= index {
			break
		}
		if err != nil {
			return nil, err
		}
		found = before
	}
	return found, nil
}
