package view

import (
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// contentText explains why a record's content cannot be read; empty if it can.
func contentText(r *audit.Record) string {
	switch r.Presence {
	case audit.Purged:
		return "purged: bodies, texts of findings, detail and digests were removed on purpose; the record is proved without them"
	case audit.Sealed:
		return "sealed: bodies, texts of findings, detail and digests are encrypted, and the key was not given"
	}
	return ""
}

// detailText returns the record's detail, or why it cannot be read.
func detailText(r *audit.Record) string {
	if r.Presence != audit.Present {
		return r.Presence.String()
	}
	return r.Detail
}

// notKept explains why a body is missing whose record was neither purged nor sealed.
const notKept = "not kept: it is not JSON, or has too much that may be credentials"

// bodyText describes a body: length, digest, and whether it is kept.
func bodyText(length int64, sha256 string, kept bool) string {
	text := fmt.Sprintf("%d bytes", length)
	if sha256 != "" {
		text += ", sha256 " + sha256
		if !kept && length > 0 {
			text += ", " + notKept
		}
	}
	return text
}

// findingText explains a finding, or why it cannot be read.
func findingText(r *audit.Record, f *audit.Finding) string {
	if r.Presence != audit.Present {
		return r.Presence.String()
	}
	return story.ExplanationOf(f)
}
