package view

import (
	"fmt"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/internal/cosignature"
)

// Witnessed has the verdict about the lines of witnesses under a checkpoint, for programs.
type Witnessed struct {
	// Satisfied: the witnesses that were asked for have signed.
	Satisfied bool `json:"satisfied"`
	// Records is how many the checkpoint is over.
	Records uint64        `json:"records"`
	Signed  []WitnessedBy `json:"signatures"`
	Missing []string      `json:"missing"`
	Unknown []string      `json:"unknown"` // names on lines by keys that were not given
}

// WitnessedBy is a verified signature.
type WitnessedBy struct {
	Witness string `json:"witness"`
	At      string `json:"at"`
}

// WitnessedOf returns what a verdict about a checkpoint over so many records shows.
func WitnessedOf(v cosignature.Verdict, records uint64) *Witnessed {
	w := &Witnessed{Satisfied: v.Satisfied, Records: records, Signed: []WitnessedBy{}, Missing: v.Missing, Unknown: v.Unknown}
	for _, s := range v.Signatures {
		w.Signed = append(w.Signed, WitnessedBy{s.Witness, RFC3339(s.At)})
	}
	return w
}

// Newer reports whether it shows more than another one, which may be nil.
func (w *Witnessed) Newer(other *Witnessed) bool {
	if other == nil || w.Satisfied != other.Satisfied {
		return other == nil || w.Satisfied
	}
	return w.Records > other.Records
}

// String returns it as one line.
func (w *Witnessed) String() string {
	if w == nil {
		return "no checkpoint with the signature of a witness is there"
	}
	var parts []string
	for _, s := range w.Signed {
		parts = append(parts, printable.OneLine(s.Witness)+" at "+s.At)
	}
	text := fmt.Sprintf("%d records, signed by %s", w.Records, strings.Join(parts, ", "))
	if len(parts) == 0 {
		text = fmt.Sprintf("%d records, signed by no witness that was asked for", w.Records)
	}
	if len(w.Missing) > 0 {
		text += "; not by " + printable.OneLine(strings.Join(w.Missing, ", "))
	}
	if len(w.Unknown) > 0 {
		text += "; lines by keys that were not given: " + printable.OneLine(strings.Join(w.Unknown, ", "))
	}
	return text
}
