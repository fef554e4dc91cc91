package site

import (
	"context"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/local"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/panics"
)

const (
	// quietFor is how long a page refreshes itself no more until its reading is over.
	quietFor = 2 * time.Minute
	// recordEvery is after which time a reading that goes on is recorded again.
	recordEvery = time.Hour
	// maxReadings bounds the readings that go on. Of more, each refresh is recorded.
	maxReadings = 1000
)

// readings are the pages that are open and refresh themselves. A reading has a record when it begins, one each
// hour, and one when it ends, with the same ID and begin. If the process is killed, the newest of them stands: the
// begin is never lost, and the end is at most an hour too early.
type readings struct {
	mu   sync.Mutex // guards what follows
	open map[readingKey]*openReading
	// tended: a goroutine looks for readings that are over. It ends with the last one, or with the configuration.
	tended bool
}

// readingKey says which refreshes are one reading.
type readingKey struct{ log, who, address, what string }

type openReading struct {
	read           trail.Read
	id             string
	began, last    time.Time
	recorded, upTo time.Time
}

// noteAgain is note for a page that refreshes itself.
func (s *Site) noteAgain(r *http.Request, source Source, what string) error {
	read, err := s.reading(r, source, what)
	if err != nil || read == nil {
		return err
	}
	now, key := s.Now(), readingKey{read.Log, read.Who, local.Address(r), read.What}
	s.readings.mu.Lock()
	defer s.readings.mu.Unlock()
	one := s.readings.open[key]
	if one != nil && now.Sub(one.last) > quietFor {
		if err := one.record(source.writer, key, one.last); err != nil {
			return err
		}
		delete(s.readings.open, key)
		one = nil
	}
	if one != nil {
		if one.last = now; now.Sub(one.recorded) < recordEvery {
			return nil
		}
		one.recorded = now
		return one.record(source.writer, key, now)
	}
	begin := read.Record(key.address, now)
	if err := write(source.writer, begin); err != nil {
		return err
	}
	if len(s.readings.open) < maxReadings {
		if s.readings.open == nil {
			s.readings.open = map[readingKey]*openReading{}
		}
		s.readings.open[key] = &openReading{read: *read, id: begin.ID, began: now, last: now, recorded: now, upTo: now}
		s.tend()
	}
	return nil
}

// record records up to when the reading has gone on, unless that is recorded already.
func (o *openReading) record(to *trail.Trail, key readingKey, until time.Time) error {
	if !until.After(o.upTo) {
		return nil
	}
	record := o.read.Record(key.address, o.began)
	record.ID, record.Duration = o.id, until.Sub(o.began)
	o.upTo = until
	return write(to, record)
}

// tend starts to look for readings that are over. The caller holds the lock.
func (s *Site) tend() {
	if s.readings.tended {
		return
	}
	s.readings.tended = true
	go func() {
		_ = panics.Do("the end of readings", func() error { // it is logged
			ticks := time.NewTicker(quietFor / 2)
			defer ticks.Stop()
			for more := true; more; {
				select {
				case <-ticks.C:
					more = s.endReadings(quietFor)
				case <-s.Ending:
					s.endReadings(0)
					more = false
				}
			}
			return nil
		})
	}()
}

// endReadings records the end of readings that have been quiet for longer, and reports whether any are left. One
// that cannot be recorded is given up: its begin is on record.
func (s *Site) endReadings(quiet time.Duration) (more bool) {
	err := s.ReadWhole(context.Background(), func(sources []Source) error {
		s.readings.mu.Lock()
		defer s.readings.mu.Unlock()
		for key, one := range s.readings.open {
			if quiet > 0 && s.Now().Sub(one.last) <= quiet {
				continue
			}
			delete(s.readings.open, key)
			for i := range sources {
				if to := sources[i].writer; to != nil && to.Log == key.log {
					if err := one.record(to, key, one.last); err != nil {
						s.Logger.Error("the end of a reading could not be recorded", zap.String("who", key.who), zap.Error(err))
					}
					break
				}
			}
		}
		return nil
	})
	s.readings.mu.Lock()
	defer s.readings.mu.Unlock()
	if err != nil {
		s.Logger.Warn("the ends of readings could not be recorded", zap.Int("readings", len(s.readings.open)), zap.Error(err))
		clear(s.readings.open)
	}
	s.readings.tended = len(s.readings.open) > 0
	return s.readings.tended
}
