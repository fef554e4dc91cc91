package audit

import (
	"encoding/binary"
	"fmt"
)

// ErrNewer is wrapped, and wraps ErrEncoding, where a newer build has written the record.
var ErrNewer = fmt.Errorf("a newer build has written it: %w", ErrEncoding)

// formVersion is the first byte of a summary. Trees are built over summaries: any
// change to what AppendSummary or appendContent write, for any record, is a new
// version, and Decode keeps reading the old ones.
const formVersion = 1

// formVersionIntentLog is the version of a record with an IntentLog, which follows Intent, and
// no Purge.
const formVersionIntentLog = 2

// formVersionPurge is the version of a record with a Purge, which precedes the hash of the
// content, and no IntentLog. Only a record of KindAccess has a Purge.
const formVersionPurge = 3

// formVersionFields is the version of any other record, such as one with a TraceID. A number after the
// version says which of the optional fields it has, so that a further field needs no further
// version.
const formVersionFields = 4

// The optional fields. A record that has none of them, or one of the first two alone, has an
// earlier version, so that its bytes never change.
const (
	hasIntentLog = 1 << iota
	hasPurge
	hasTraceID
	hasClient
	hasRequestType // of the client's leg
	hasService
	hasRetention // of the purge
	hasSentFingerprint
	hasOrigin
	hasCause
	hasClientTable
	hasClientRow
	hasCertificate
	hasWay
	hasEnvironment

	knownFields = hasEnvironment<<1 - 1
)

// appendVersion appends the version of the record's form and returns the optional fields that
// it has.
func (r *Record) appendVersion(dst []byte) ([]byte, uint64) {
	var fields uint64
	if r.IntentLog != "" {
		fields |= hasIntentLog
	}
	if r.Purge != nil {
		fields |= hasPurge
		if r.Purge.Retention != nil {
			fields |= hasRetention
		}
	}
	if !r.TraceID.IsZero() {
		fields |= hasTraceID
	}
	if r.Client != nil {
		fields |= hasClient
		if r.Client.RequestType != "" {
			fields |= hasRequestType
		}
	}
	if r.Service != nil {
		fields |= hasService
	}
	if r.SentFingerprint != ([16]byte{}) {
		fields |= hasSentFingerprint
	}
	if r.Origin != "" {
		fields |= hasOrigin
	}
	if r.Cause != "" {
		fields |= hasCause
	}
	if r.ClientTable != "" {
		fields |= hasClientTable
	}
	if r.ClientRow != "" {
		fields |= hasClientRow
	}
	if r.Certificate != "" {
		fields |= hasCertificate
	}
	if r.Way != "" {
		fields |= hasWay
	}
	if r.Environment != "" {
		fields |= hasEnvironment
	}
	switch fields {
	case 0:
		return append(dst, formVersion), fields
	case hasIntentLog:
		return append(dst, formVersionIntentLog), fields
	case hasPurge:
		return append(dst, formVersionPurge), fields
	}
	return binary.AppendUvarint(append(dst, formVersionFields), fields), fields
}

// appendOptional appends the optional fields behind the others, except for the IntentLog.
func (r *Record) appendOptional(dst []byte, fields uint64) []byte {
	if fields&hasPurge != 0 {
		dst = r.Purge.append(dst)
	}
	if fields&hasTraceID != 0 {
		dst = append(dst, r.TraceID[:]...)
	}
	if fields&hasClient != 0 {
		dst = r.Client.appendSummary(dst)
	}
	if fields&hasRequestType != 0 {
		dst = appendText(dst, r.Client.RequestType)
	}
	if fields&hasService != 0 {
		dst = appendText(r.Service.appendSummary(dst), r.Service.RequestType)
	}
	if fields&hasRetention != 0 {
		dst = r.Purge.Retention.append(dst)
	}
	if fields&hasSentFingerprint != 0 {
		dst = append(dst, r.SentFingerprint[:]...)
	}
	if fields&hasOrigin != 0 {
		dst = appendText(dst, r.Origin)
	}
	if fields&hasCause != 0 {
		dst = appendText(dst, r.Cause)
	}
	if fields&hasClientTable != 0 {
		dst = appendText(dst, r.ClientTable)
	}
	if fields&hasClientRow != 0 {
		dst = appendText(dst, r.ClientRow)
	}
	if fields&hasCertificate != 0 {
		dst = appendText(dst, r.Certificate)
	}
	if fields&hasWay != 0 {
		dst = appendText(dst, r.Way)
	}
	if fields&hasEnvironment != 0 {
		dst = appendText(dst, r.Environment)
	}
	return dst
}

// optional reads what appendOptional wrote.
func (d *decoder) optional(r *Record, fields uint64) {
	if fields&hasPurge != 0 {
		d.purge(r)
	}
	if fields&hasTraceID != 0 {
		r.TraceID = d.traceID()
	}
	if fields&hasClient != 0 {
		r.Client = d.leg()
	}
	if fields&hasRequestType != 0 {
		d.requestType(r.Client)
	}
	if fields&hasService != 0 {
		r.Service = d.leg()
		r.Service.RequestType = d.text()
	}
	if fields&hasRetention != 0 {
		d.retention(r)
	}
	if fields&hasSentFingerprint != 0 {
		r.SentFingerprint = d.sentFingerprint()
	}
	if fields&hasOrigin != 0 {
		r.Origin = d.present("origin")
	}
	if fields&hasCause != 0 {
		r.Cause = Cause(d.present("cause"))
	}
	if fields&hasClientTable != 0 {
		r.ClientTable = d.present("table of clients")
	}
	if fields&hasClientRow != 0 {
		r.ClientRow = d.present("row of the client")
	}
	if fields&hasCertificate != 0 {
		r.Certificate = d.present("certificate")
	}
	if fields&hasWay != 0 {
		r.Way = Way(d.present("way of a reading"))
	}
	if fields&hasEnvironment != 0 {
		r.Environment = Environment(d.present("environment"))
	}
}

// version reads what appendVersion wrote, and returns the optional fields. It refuses the number of
// a record that an earlier version can express.
func (d *decoder) version() uint64 {
	version := d.byte()
	switch version {
	case formVersion:
		return 0
	case formVersionIntentLog:
		return hasIntentLog
	case formVersionPurge:
		return hasPurge
	case formVersionFields:
		fields := d.uvarint()
		if fields&^knownFields != 0 {
			d.refuse(fmt.Errorf("optional fields %#x of the record's form, this build reads %#x: %w", fields, knownFields, ErrNewer))
		} else if fields <= hasPurge {
			d.fail("optional fields")
		}
		return fields
	}
	cause := ErrEncoding
	if version > formVersionFields {
		cause = ErrNewer
	}
	d.refuse(fmt.Errorf("version %d of the record's form, this build reads %d to %d: %w", version, formVersion, formVersionFields, cause))
	return 0
}

// sentFingerprint refuses zeros: a record without one has another form.
func (d *decoder) sentFingerprint() (mark [16]byte) {
	copy(mark[:], d.take(uint64(len(mark)), "fingerprint of what was sent"))
	if mark == ([16]byte{}) {
		d.fail("fingerprint of what was sent")
	}
	return mark
}

// present reads a text that is not empty: a record without it has another form.
func (d *decoder) present(what string) string {
	text := d.text()
	if text == "" {
		d.fail(what)
	}
	return text
}

// traceID refuses zeros: a record without a TraceID has another form.
func (d *decoder) traceID() (id TraceID) {
	copy(id[:], d.take(uint64(len(id)), "trace identifier"))
	if id.IsZero() {
		d.fail("trace identifier")
	}
	return id
}
