package segment

import (
	"context"

	"github.com/fielato/fielato/audit"
)

// Keyring keeps the data keys of one log.
type Keyring interface {
	// FindKey returns the data key of a period, wrapped, and its number; nil if there is none.
	FindKey(ctx context.Context, period audit.Period) (number int64, wrapped []byte, err error)
	// AddKey keeps the first data key of a period and returns its number. It is durable by
	// then, or becomes so together with the plan that is sealed with it. No number is ever
	// given twice: a writer may remember the number of a key that a purge has destroyed meanwhile.
	AddKey(ctx context.Context, period audit.Period, wrapped []byte) (number int64, err error)
}

// seal is a data key and its number.
type seal struct {
	number int64
	key    *audit.DataKey
}

// provideKeys sees to it that each period of the records has a data key.
func (s *State) provideKeys(ctx context.Context, keyring Keyring, all []*prepared) error {
	if s.vault.master == nil {
		return nil
	}
	for _, p := range all {
		if _, ok := s.seals[p.period]; ok || p.form.Presence == audit.Purged {
			continue
		}
		made, err := s.dataKey(ctx, keyring, p.period)
		if err != nil {
			return err
		}
		s.seals[p.period] = made
	}
	return nil
}

// dataKey returns the data key of a period, and makes it if there is none.
func (s *State) dataKey(ctx context.Context, keyring Keyring, period audit.Period) (found seal, err error) {
	var wrapped []byte
	if found.number, wrapped, err = keyring.FindKey(ctx, period); err != nil {
		return seal{}, err
	}
	if wrapped != nil {
		found.key, err = s.vault.master.OpenDataKey(wrapped, s.log, period)
		return found, err
	}
	if found.key, wrapped, err = s.vault.master.NewDataKey(s.log, period); err != nil {
		return seal{}, err
	}
	found.number, err = keyring.AddKey(ctx, period, wrapped)
	return found, err
}

// seal returns what stands in the row of a segment: the number of the data key, nil for
// none, and the content.
func (s *State) seal(period audit.Period, first uint64, content []byte) (key *int64, sealed []byte, err error) {
	one, ok := s.seals[period]
	if !ok {
		return nil, content, nil
	}
	sealed, err = one.key.Seal(make([]byte, 0, len(content)+sealedMore), content, first)
	return &one.number, sealed, err
}

// sealedMore is how much longer content becomes.
const sealedMore = 40
