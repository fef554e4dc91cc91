package audit

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// What a record of KindAccess is about, as its Outcome; no text for a reading.
const (
	// AccessPurge: the content that Record.Purge names was about to be removed.
	AccessPurge = "purge"
	// AccessAcknowledge: an operator vouches for the purges of a build that did not record
	// them. Record.Purge names what was gone.
	AccessAcknowledge = "acknowledge"
	// AccessHold and AccessRelease: a legal hold of the issuer Record.Cuit begins, or ends.
	AccessHold    = "hold"
	AccessRelease = "release"
	// AccessClients: a gateway judges by another table of clients from now on, whose text is Record.Request. An
	// empty text says that there is none any more.
	AccessClients = "clients"
	// AccessStart: a gateway has opened the log, and what follows is written by the program that Record.Request
	// describes as JSON.
	AccessStart = "start"
)

// IsTableOfClients reports whether a record has a table of clients, or says that there is none any more.
func (r *Record) IsTableOfClients() bool { return r.Kind == KindAccess && r.Outcome == AccessClients }

// PurgeScope is what a purge may take, written into the log before anything is removed.
// It stands in the summary of the record: neither encryption nor a later purge hides it.
type PurgeScope struct {
	// Before is the first period whose content stays.
	Before Period `json:"before"`
	// First <= index < Next are the records that it may touch. Next is at most the
	// record's own index: nothing is purged that comes after.
	First uint64 `json:"first"`
	Next  uint64 `json:"next"`
	// Records is how many lose their content, HeldRecords how many keep it for a hold.
	Records     uint64 `json:"records"`
	HeldRecords uint64 `json:"held_records"`
	// Held are the issuers that were held, whose content it may not touch. Ascending.
	Held []wsfev1.CUIT `json:"held,omitempty"`
	// Retention is nil for a purge by DefaultRetention.
	Retention *PurgeRetention `json:"retention,omitzero"`
}

// PurgeRetention is the retention that a purge went by.
type PurgeRetention struct {
	// Years is the retention of the log, in whole years after a voucher's year.
	Years uint64 `json:"years"`
	// Override is why content went although it had to be kept longer, empty if none did.
	Override string `json:"override,omitzero"`
}

// retention returns what a record says of a purge with this retention.
func retention(years int, override string) *PurgeRetention {
	if years == DefaultRetention && override == "" {
		return nil // earlier builds wrote this form
	}
	return &PurgeRetention{Years: uint64(years), Override: override}
}

// append appends the part of it that the form has.
func (p *PurgeScope) append(dst []byte) []byte {
	dst = binary.AppendVarint(dst, int64(p.Before))
	for _, n := range [...]uint64{p.First, p.Next, p.Records, p.HeldRecords, uint64(len(p.Held))} {
		dst = binary.AppendUvarint(dst, n)
	}
	for _, cuit := range p.Held {
		dst = binary.AppendVarint(dst, int64(cuit))
	}
	return dst
}

// equal reports whether both are the same.
func (p *PurgeScope) equal(q *PurgeScope) bool {
	if p == nil || q == nil {
		return p == q
	}
	return p.Before == q.Before && p.First == q.First && p.Next == q.Next && p.Records == q.Records &&
		p.HeldRecords == q.HeldRecords && slices.Equal(p.Held, q.Held) &&
		(p.Retention == q.Retention || p.Retention != nil && q.Retention != nil && *p.Retention == *q.Retention)
}

// heldOf returns the issuers that are held, ascending.
func heldOf(holds []Hold) []wsfev1.CUIT {
	set := map[wsfev1.CUIT]bool{}
	for _, hold := range holds {
		set[hold.Cuit] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// minHeld is the least bytes that an issuer takes.
const minHeld = 1

// purge reads what append wrote.
func (d *decoder) purge(r *Record) {
	if r.Kind != KindAccess {
		d.fail("a purge that is not an access")
	}
	p := &PurgeScope{
		Before: Period(d.int32()), First: d.uvarint(), Next: d.uvarint(), Records: d.uvarint(), HeldRecords: d.uvarint(),
	}
	if n := d.count(minHeld); n > 0 {
		p.Held = make([]wsfev1.CUIT, n)
		for i := range p.Held {
			p.Held[i] = wsfev1.CUIT(d.varint())
		}
	}
	r.Purge = p
}

// append appends the part of a record that follows all others.
func (p *PurgeRetention) append(dst []byte) []byte {
	return appendText(binary.AppendUvarint(dst, p.Years), p.Override)
}

// retention reads what append wrote. It refuses what has another form.
func (d *decoder) retention(r *Record) {
	p := &PurgeRetention{Years: d.uvarint(), Override: d.text()}
	if r.Purge == nil || p.Years == DefaultRetention && p.Override == "" {
		d.fail("retention of a purge")
		return
	}
	r.Purge.Retention = p
}
