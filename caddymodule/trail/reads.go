package trail

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

// LogReadsKey is the setting of a store by which a command learns, without the gateway's
// configuration, that reads of the trail are logged.
const LogReadsKey = "log-reads"

// ReadsLogged and its opposite are the values of the setting LogReadsKey.
const (
	ReadsLogged    = "on"
	readsNotLogged = "off"
)

// ReadsAreLogged reports whether reads of the trail in a store are logged.
func ReadsAreLogged(ctx context.Context, store audit.Store) (bool, error) {
	value, err := store.Setting(ctx, LogReadsKey)
	if err != nil {
		return false, fmt.Errorf("reading whether reads are written down: %w", err)
	}
	return string(value) == ReadsLogged, nil
}

// logReads sets in the store whether reads are logged.
func (t *Trail) logReads(ctx context.Context, on bool) error {
	is, err := ReadsAreLogged(ctx, t.Store)
	if err != nil || is == on {
		return err
	}
	value := readsNotLogged
	if on {
		value = ReadsLogged
	}
	if err := t.Store.SetSetting(ctx, LogReadsKey, []byte(value)); err != nil {
		return fmt.Errorf("keeping whether reads are written down: %w", err)
	}
	return nil
}

// ReadsPath is the path of the admin API at which a command announces that it is about to read a
// trail.
const ReadsPath = "/wsfev1/audit/reads"

// Read announces that a trail is about to be read, as the admin API takes it.
type Read struct {
	// Log and PublicKey identify the trail: a gateway must not take it for another one.
	Log       string `json:"log"`
	PublicKey string `json:"public_key"`
	// Who is the user and the host that ran a command, as the command reports them.
	Who string `json:"who"`
	// What was asked for, without secrets.
	What string `json:"what"`
	// About is what is done to content (audit.AccessPurge and the others), empty for a read.
	// Cuit is the issuer of a hold, Purge the scope of a purge.
	About string      `json:"about,omitzero"`
	Cuit  wsfev1.CUIT `json:"cuit,omitzero"`
	Purge *PurgeScope `json:"purge,omitzero"`
}

// PurgeScope is an audit.PurgeScope for programs.
type PurgeScope struct {
	Before      audit.Period  `json:"before"`
	First       uint64        `json:"first"`
	Next        uint64        `json:"next"`
	Records     uint64        `json:"records"`
	HeldRecords uint64        `json:"held_records"`
	Held        []wsfev1.CUIT `json:"held,omitempty"`
}

// AccessesOfContent are the values of Read.About.
var AccessesOfContent = []string{audit.AccessPurge, audit.AccessAcknowledge, audit.AccessHold, audit.AccessRelease}

// maxRead bounds each text of a Read, in bytes.
const maxRead = 4096

// Check returns an error unless the members fit together and are of sensible length.
func (r *Read) Check() error {
	for name, text := range map[string]string{"log": r.Log, "public_key": r.PublicKey, "who": r.Who, "what": r.What} {
		if text == "" || len(text) > maxRead {
			return fmt.Errorf("%s: give a text of at most %d bytes", name, maxRead)
		}
	}
	scoped := r.About == audit.AccessPurge || r.About == audit.AccessAcknowledge
	held := r.About == audit.AccessHold || r.About == audit.AccessRelease
	if r.About != "" && !slices.Contains(AccessesOfContent, r.About) || scoped != (r.Purge != nil) || held != r.Cuit.Valid() {
		return fmt.Errorf("about: a reading has none; give one of %s, with purge or with cuit", strings.Join(AccessesOfContent, ", "))
	}
	return nil
}

// Record returns the record of a Read that came from this address.
func (r *Read) Record(address string, now time.Time) *audit.Record {
	return &audit.Record{
		Kind: audit.KindAccess, ID: rand.Text(), Time: now, Node: r.Log,
		ClientAddress: address, ClientIdentity: r.Who, Detail: r.What,
		Outcome: r.About, Cuit: r.Cuit, Purge: (*audit.PurgeScope)(r.Purge),
	}
}

// RecordedAt is the answer to a Read that was recorded.
type RecordedAt struct {
	// Record is the record's address: log/index.
	Record string `json:"record"`
}
