package audit

import (
	"bytes"
	"crypto/sha256"

	"golang.org/x/mod/sumdb/tlog"
)

// Form is a record in its one canonical form, in two parts. The summary holds the
// SHA-256 of the content, and the summary alone is a leaf of the log's tree: a content
// can be purged, and every checkpoint still proves the rest.
type Form struct {
	// Summary is never empty, Content only if Presence is not Present.
	Summary, Content []byte
	Presence         Presence
}

// Leaf returns the hash of the record as a leaf of the tree (RFC 6962, section 2.1).
func (f Form) Leaf() tlog.Hash { return tlog.RecordHash(f.Summary) }

// Clone returns the form in memory of its own.
func (f Form) Clone() Form {
	return Form{Summary: bytes.Clone(f.Summary), Content: bytes.Clone(f.Content), Presence: f.Presence}
}

// ContentHash returns the SHA-256 by which the summary names the content.
func (f Form) ContentHash() [sha256.Size]byte {
	return [sha256.Size]byte(f.Summary[len(f.Summary)-sha256.Size:])
}

// Len returns the length of both parts in bytes.
func (f Form) Len() int { return len(f.Summary) + len(f.Content) }

// Encode appends the record's canonical form to dst, in one piece of memory that begins
// with the content. Equal records have equal forms, different records different ones.
// Log, Index and Presence are not part of it. The record must be Present: what was
// purged cannot be written again.
func (r *Record) Encode(dst []byte) Form {
	start := len(dst)
	dst = r.appendContent(dst)
	end := len(dst)
	hash := sha256.Sum256(dst[start:])
	dst = r.AppendSummary(dst, hash)
	return Form{Summary: dst[end:], Content: dst[start:end]}
}

// EncodedSize estimates the bytes that Encode appends. An estimate that is too low costs a copy.
func (r *Record) EncodedSize() int {
	return 512 + 32*len(r.Vouchers) + 128*len(r.Findings) + len(r.Request) + len(r.Answer) + r.Client.Size() + r.Service.Size()
}
