package audit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fielato/fielato/wsfev1"
)

// Retention, in whole years after the year of a voucher. The tax regulation asks for five years
// after limitation: docs/evidence.md#how-long-the-law-asks has the reckoning.
const (
	DefaultRetention = 12
	MaxRetention     = 100
)

// MaxOverride bounds the reason of an override, in characters.
const MaxOverride = 200

// retentionSetting is the name of the setting that keeps the retention of a log. Each log has its
// own: it belongs to the gateway that writes it.
func retentionSetting(log string) string { return "retention/" + log }

// Retention returns for how many whole years after a voucher's year the store keeps the content of
// a log: what KeepRetention has set last, else DefaultRetention.
func Retention(ctx context.Context, store Store, log string) (years int, err error) {
	kept, err := store.Setting(ctx, retentionSetting(log))
	if err != nil {
		return 0, fmt.Errorf("reading the retention of log %q: %w", log, err)
	}
	if kept == nil {
		return DefaultRetention, nil
	}
	if years, err = strconv.Atoi(string(kept)); err == nil {
		err = CheckRetention(years)
	}
	if err != nil {
		return 0, fmt.Errorf("the retention that the store keeps of log %q: %w", log, err)
	}
	return years, nil
}

// KeepRetention sets the retention of a log, by which PurgeRecorded goes.
func KeepRetention(ctx context.Context, store Store, log string, years int) error {
	if err := CheckRetention(years); err != nil {
		return err
	}
	was, err := Retention(ctx, store, log)
	if err == nil && was == years {
		return nil
	}
	if err := store.SetSetting(ctx, retentionSetting(log), []byte(strconv.Itoa(years))); err != nil {
		return fmt.Errorf("keeping the retention of log %q: %w", log, err)
	}
	return nil
}

// CheckRetention returns an error unless a retention is of a sensible length.
func CheckRetention(years int) error {
	if years < 0 || years > MaxRetention {
		return fmt.Errorf("a retention of %d years: give a whole number from 0 to %d", years, MaxRetention)
	}
	return nil
}

// ErrOverride is wrapped where the reason of an override is none.
var ErrOverride = errors.New("no reason for an override")

// CheckOverride returns an error unless a reason is one line of text of sensible length that can be read.
func CheckOverride(reason string) error {
	switch {
	case strings.TrimSpace(reason) == "":
		return fmt.Errorf("%w: it is empty", ErrOverride)
	case !utf8.ValidString(reason):
		return fmt.Errorf("%w: it is not UTF-8", ErrOverride)
	case utf8.RuneCountInString(reason) > MaxOverride:
		return fmt.Errorf("%w: it has more than %d characters", ErrOverride, MaxOverride)
	}
	if at := strings.IndexFunc(reason, func(r rune) bool { return !unicode.IsPrint(r) }); at >= 0 {
		r, _ := utf8.DecodeRuneInString(reason[at:])
		return fmt.Errorf("%w: it has the character %U, give one line of text", ErrOverride, r)
	}
	if !IsReadable(reason) {
		return fmt.Errorf("%w: it has no letter or digit that can be seen", ErrOverride)
	}
	return nil
}

// IsReadable reports whether a text that a person wrote has a letter or a digit that can be seen. There are letters
// that are drawn as nothing, such as the fillers of Hangul.
func IsReadable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}

// RetainedError: a purge would take content that must still be kept.
type RetainedError struct {
	Log string
	// Index is one of the records, Period the month in which its exchange began.
	Index  uint64
	Period Period
	// Year is the year by which it counts: the year of its newest voucher's CbteFch, or its own.
	Year int
	// Years is the retention.
	Years int
	// Before is what was asked for.
	Before Period
}

// MayGo returns the first day on which the content of the record may go.
func (e *RetainedError) MayGo() wsfev1.Date { return mayGo(e.Year, e.Years) }

// AllMayGo returns the first day on which all that was asked for may go, if no voucher of it has a
// later year than its month.
func (e *RetainedError) AllMayGo() wsfev1.Date {
	return mayGo(max(e.Year, (e.Before-1).Start().Year()), e.Years)
}

func mayGo(year, years int) wsfev1.Date {
	return wsfev1.DateOf(time.Date(year+years+1, time.January, 1, 0, 0, 0, 0, wsfev1.Argentina))
}

// Error says from when the content may go.
func (e *RetainedError) Error() string {
	return fmt.Sprintf("the content of record %s of %s, which counts as of %d, must be kept until %d-12-31 (retention %d: whole years after the voucher's year); it may go from %s, and all months before %s from %s",
		Address(e.Log, e.Index), e.Period, e.Year, e.Year+e.Years, e.Years, isoDate(e.MayGo()), e.Before, isoDate(e.AllMayGo()))
}

func isoDate(d wsfev1.Date) string { return string(d[:4] + "-" + d[4:6] + "-" + d[6:]) }
