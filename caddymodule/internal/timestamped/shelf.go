package timestamped

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/timestamp"
	"github.com/fielato/fielato/wsfev1"
)

// Shelf keeps the time-stamps of a log in its store, as settings.
type Shelf struct {
	Store audit.Store
	Log   string
	// Verifier is the public key of the log.
	Verifier string
}

// Kept is a checkpoint with its time-stamp.
type Kept struct {
	// Checkpoint is the document that was stamped, a signed note, and Reply the authority's answer, in DER.
	Checkpoint, Reply []byte
	// Records is the size of the log under the checkpoint.
	Records uint64
	// Time and Authority are as in the stamp.
	Time      time.Time
	Authority string
	// Before is the last day before the stamp's of which one is kept, empty for none.
	Before string
}

// ErrNone: no time-stamp is kept.
var ErrNone = errors.New("no time-stamp is kept")

// maxKept bounds what a store has under a setting.
const maxKept = 256 << 10

// keepTime is how long a stop waits for a stamp that is being kept.
const keepTime = 5 * time.Second

// settingOf returns the name of the setting with the newest time-stamp, and with a day of the last one of this day.
func settingOf(log, day string) string {
	if day == "" {
		return "timestamp/" + log
	}
	return "timestamp/" + log + "/" + day
}

// DayOf returns the day in Argentina under which a time-stamp is kept.
func DayOf(t time.Time) string { return t.In(wsfev1.Argentina).Format(time.DateOnly) }

// stored is what a setting has.
type stored struct {
	Checkpoint string `json:"checkpoint"`
	Reply      []byte `json:"reply"`
	Before     string `json:"before,omitzero"`
}

// Newest returns the newest time-stamp. The error is ErrNone if there is none.
func (s Shelf) Newest(ctx context.Context) (*Kept, error) { return s.read(ctx, "") }

// Of returns the last time-stamp of a day, written as 2026-11-28. The error is ErrNone if there is none.
func (s Shelf) Of(ctx context.Context, day string) (*Kept, error) { return s.read(ctx, day) }

// read reads a setting. What does not verify is an error: the key of the log must have signed the checkpoint, and the
// stamp must be for it. The authority was verified when it was kept.
func (s Shelf) read(ctx context.Context, day string) (*Kept, error) {
	name := settingOf(s.Log, day)
	value, err := s.Store.Setting(ctx, name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading a time-stamp of the log %s: %w", s.Log, err)
	case len(value) == 0:
		return nil, ErrNone
	}
	kept, err := s.open(value)
	if err != nil {
		return nil, fmt.Errorf("the time-stamp in the setting %s does not verify: %v", name, err) //nolint:errorlint // nothing is wrong with the log
	}
	return kept, nil
}

func (s Shelf) open(value []byte) (*Kept, error) {
	var from stored
	if len(value) > maxKept {
		return nil, fmt.Errorf("it has more than %d bytes", maxKept)
	}
	if err := json.Unmarshal(value, &from); err != nil {
		return nil, err
	}
	return s.keptOf(from)
}

func (s Shelf) keptOf(from stored) (*Kept, error) {
	checkpoint, err := audit.OpenLogCheckpoint([]byte(from.Checkpoint), s.Verifier, s.Log)
	if err != nil {
		return nil, err
	}
	stamp, err := timestamp.Look(from.Reply, []byte(from.Checkpoint))
	if err != nil {
		return nil, err
	}
	return &Kept{
		Checkpoint: []byte(from.Checkpoint), Reply: from.Reply, Records: checkpoint.Size,
		Time: stamp.Time, Authority: stamp.Authority, Before: from.Before,
	}, nil
}

// keep keeps a stamp that was verified, after the one that was the newest, nil for none.
func (s Shelf) keep(ctx context.Context, checkpoint, reply []byte, before *Kept) (*Kept, error) {
	kept, err := s.keptOf(stored{Checkpoint: string(checkpoint), Reply: reply})
	if err != nil {
		return nil, fmt.Errorf("the time-stamp cannot be kept: %v", err) //nolint:errorlint // nothing is wrong with the log
	}
	day := DayOf(kept.Time)
	if before != nil {
		if kept.Before = DayOf(before.Time); kept.Before == day {
			kept.Before = before.Before
		}
	}
	// A stop between the two would leave a stamp of the day to which nothing leads: no copy would have it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
	defer cancel()
	return kept, s.write(ctx, kept, day, "")
}

// write writes a time-stamp under days.
func (s Shelf) write(ctx context.Context, kept *Kept, days ...string) error {
	value, err := json.Marshal(stored{string(kept.Checkpoint), kept.Reply, kept.Before})
	if err != nil {
		return fmt.Errorf("writing a time-stamp: %w", err)
	}
	for _, day := range days {
		if err := s.Store.SetSetting(ctx, settingOf(s.Log, day), value); err != nil {
			return fmt.Errorf("keeping a time-stamp of the log %s: %w", s.Log, err)
		}
	}
	return nil
}

// Copy copies all time-stamps to another store, the newest last: a copy that was cut short begins anew.
func (s Shelf) Copy(ctx context.Context, to audit.Store) error {
	target := Shelf{to, s.Log, s.Verifier}
	newest, err := s.Newest(ctx)
	if errors.Is(err, ErrNone) {
		return nil
	}
	for kept := newest; err == nil; {
		if err = target.write(ctx, kept, DayOf(kept.Time)); err != nil {
			break
		}
		day := DayOf(kept.Time)
		if kept.Before == "" || kept.Before >= day { // days only go back
			return target.write(ctx, newest, "")
		}
		kept, err = s.Of(ctx, kept.Before)
	}
	return err
}
