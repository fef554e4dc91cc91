package trail

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

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
	if _, shared := t.Store.(audit.Leases); shared && !on {
		trailLogger().Warn("nobody who reads any log of this database is recorded any more: this gateway has no log_reads, and one that started before had; set it for all of them or for none",
			zap.String("log", t.Log))
	}
	return nil
}

// keepRetention sets in the store how long the content of the log is kept.
func (t *Trail) keepRetention(ctx context.Context, years int) error {
	if years < audit.DefaultRetention {
		trailLogger().Warn("audit purge may remove content earlier than the tax regulation allows by our reckoning",
			zap.String("log", t.Log), zap.Int("retention", years), zap.Int("default", audit.DefaultRetention))
	}
	return audit.KeepRetention(ctx, t.Store, t.Log, years)
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
	// Way is by which way, empty for a command.
	Way audit.Way `json:"-"`
	// About is the kind of access to content (audit.AccessPurge and the others), empty for a
	// read. Cuit is the issuer of a hold, Purge the scope of a purge.
	About string            `json:"about,omitzero"`
	Cuit  wsfev1.CUIT       `json:"cuit,omitzero"`
	Purge *audit.PurgeScope `json:"purge,omitzero"`
}

// AccessesOfContent are the values of Read.About.
var AccessesOfContent = []string{audit.AccessPurge, audit.AccessAcknowledge, audit.AccessHold, audit.AccessRelease}

// AccessOutcomes are the outcomes of records of kind access, but for a reading, which has none.
var AccessOutcomes = append([]string{audit.AccessClients, audit.AccessStart}, AccessesOfContent...)

// maxRead bounds each text of a Read, in bytes.
const maxRead = 4096

// Check returns an error unless the members fit together and are of sensible length.
func (r *Read) Check() error {
	for name, text := range map[string]string{"log": r.Log, "public_key": r.PublicKey, "who": r.Who, "what": r.What} {
		if text == "" || len(text) > maxRead {
			return fmt.Errorf("%s: give a text of at most %d bytes", name, maxRead)
		}
	}
	for name, text := range map[string]string{"who": r.Who, "what": r.What} {
		if !audit.IsReadable(text) {
			return fmt.Errorf("%s: give a text with a letter or digit that can be seen", name)
		}
	}
	scoped := r.About == audit.AccessPurge || r.About == audit.AccessAcknowledge
	held := r.About == audit.AccessHold || r.About == audit.AccessRelease
	if r.About != "" && !slices.Contains(AccessesOfContent, r.About) || scoped != (r.Purge != nil) || held != r.Cuit.Valid() {
		return fmt.Errorf("about: a reading has none; give one of %s, with purge or with cuit", strings.Join(AccessesOfContent, ", "))
	}
	if r.Purge == nil || r.Purge.Retention == nil {
		return nil
	}
	kept := r.Purge.Retention
	err := audit.CheckRetention(int(min(kept.Years, audit.MaxRetention+1)))
	if err == nil && kept.Override != "" {
		err = audit.CheckOverride(kept.Override)
	}
	if err != nil {
		return fmt.Errorf("purge: %w", err)
	}
	return nil
}

// Fits returns an error if the Read is a purge that does not keep an issuer whom its log holds: the hold began after the
// purge was counted, or somebody took it out of the store. Nothing else may be appended between Fits and the record.
func (r *Read) Fits(ctx context.Context, store audit.Store) error {
	if r.About != audit.AccessPurge {
		return nil
	}
	held, err := audit.HeldIn(ctx, store, r.Log)
	if err != nil {
		return err
	}
	for cuit, since := range held {
		if !slices.Contains(r.Purge.Held, cuit) {
			return fmt.Errorf("record %s holds the issuer %s, whom this purge would not keep: run it again; if audit hold list does not show the hold, add it again first",
				audit.Address(r.Log, since), cuit)
		}
	}
	return nil
}

// AppendRead appends the record of a Read that came from this address.
func (t *Trail) AppendRead(ctx context.Context, r *Read, address string) (uint64, error) {
	t.reading.Lock()
	defer t.reading.Unlock()
	if err := r.Fits(ctx, t.Store); err != nil {
		return 0, err
	}
	return t.Append(r.Record(address, time.Now()), nil)
}

// Record returns the record of a Read that came from this address.
func (r *Read) Record(address string, now time.Time) *audit.Record {
	way := r.Way
	if way == "" && r.About == "" {
		way = audit.WayCommand
	}
	return &audit.Record{
		Kind: audit.KindAccess, ID: rand.Text(), Time: now, Node: r.Log,
		ClientAddress: address, ClientIdentity: r.Who, Way: way, Detail: r.What,
		Outcome: audit.Outcome(r.About), Cuit: r.Cuit, Purge: r.Purge,
	}
}

// RecordedAt is the answer to a Read that was recorded.
type RecordedAt struct {
	// Record is the record's address: log/index.
	Record string `json:"record"`
}
