package caddymodule

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// logReadsKey is the setting by which a store says that who reads its trail is written
// down in it: so a command knows it without the gateway's configuration.
const logReadsKey = "log-reads"

const (
	readsLogged    = "on"
	readsNotLogged = "off"
)

// readsAreLogged reports whether who reads the trail is to be written down.
func readsAreLogged(ctx context.Context, store audit.Store) (bool, error) {
	value, err := store.Setting(ctx, logReadsKey)
	if err != nil {
		return false, fmt.Errorf("reading whether reads are written down: %w", err)
	}
	return string(value) == readsLogged, nil
}

// logReads makes the store say whether reads are written down.
func (t *trail) logReads(ctx context.Context, on bool) error {
	is, err := readsAreLogged(ctx, t.store)
	if err != nil || is == on {
		return err
	}
	value := readsNotLogged
	if on {
		value = readsLogged
	}
	if err := t.store.SetSetting(ctx, logReadsKey, []byte(value)); err != nil {
		return fmt.Errorf("keeping whether reads are written down: %w", err)
	}
	return nil
}

// trailRead is somebody's wish to read a trail, as the admin API takes it.
type trailRead struct {
	// Log and PublicKey say which trail: a gateway must not take it for another's.
	Log       string `json:"log"`
	PublicKey string `json:"public_key"`
	// Who is the user and host that a command was run by: its own word.
	Who string `json:"who"`
	// What is what was asked for, without secrets.
	What string `json:"what"`
	// About says that content is purged or kept (audit.AccessPurge and the others); no text
	// for a reading. Cuit is the issuer of a hold, Purge what a purge is to take.
	About string      `json:"about,omitzero"`
	Cuit  wsfev1.CUIT `json:"cuit,omitzero"`
	Purge *purgeScope `json:"purge,omitzero"`
}

// purgeScope is an audit.PurgeScope for programs.
type purgeScope struct {
	Before      audit.Period  `json:"before"`
	First       uint64        `json:"first"`
	Next        uint64        `json:"next"`
	Records     uint64        `json:"records"`
	HeldRecords uint64        `json:"held_records"`
	Held        []wsfev1.CUIT `json:"held,omitempty"`
}

// accessesOfContent are what a trailRead may be about besides a reading.
var accessesOfContent = []string{audit.AccessPurge, audit.AccessAcknowledge, audit.AccessHold, audit.AccessRelease}

// maxRead bounds each text of a trailRead, in bytes.
const maxRead = 4096

func (r *trailRead) check() error {
	for name, text := range map[string]string{"log": r.Log, "public_key": r.PublicKey, "who": r.Who, "what": r.What} {
		if text == "" || len(text) > maxRead {
			return fmt.Errorf("%s: give a text of at most %d bytes", name, maxRead)
		}
	}
	scoped := r.About == audit.AccessPurge || r.About == audit.AccessAcknowledge
	held := r.About == audit.AccessHold || r.About == audit.AccessRelease
	if r.About != "" && !slices.Contains(accessesOfContent, r.About) || scoped != (r.Purge != nil) || held != r.Cuit.Valid() {
		return fmt.Errorf("about: a reading has none; give one of %s, with purge or with cuit", strings.Join(accessesOfContent, ", "))
	}
	return nil
}

// record returns what is kept of the wish, made at this address.
func (r *trailRead) record(address string, now time.Time) *audit.Record {
	return &audit.Record{
		Kind: audit.KindAccess, ID: rand.Text(), Time: now, Node: r.Log,
		ClientAddress: address, ClientIdentity: r.Who, Detail: r.What,
		Outcome: r.About, Cuit: r.Cuit, Purge: (*audit.PurgeScope)(r.Purge),
	}
}

// recordedAt is the answer to a trailRead that was written down.
type recordedAt struct {
	// Record is the record's address: log/index.
	Record string `json:"record"`
}
