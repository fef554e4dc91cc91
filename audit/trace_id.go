package audit

import (
	"encoding/hex"
	"fmt"
)

// TraceID is the identifier of a distributed trace (W3C Trace Context): the one by which all
// systems that take part in an exchange log it. Zeros stand for none.
type TraceID [16]byte

// ParseTraceID reads 32 hexadecimal digits, in lower case as all tools write them, that are not
// all zero.
func ParseTraceID(text string) (TraceID, error) {
	var id TraceID
	if len(text) != hex.EncodedLen(len(id)) {
		return TraceID{}, fmt.Errorf("%d characters: a trace identifier has %d hexadecimal digits", len(text), hex.EncodedLen(len(id)))
	}
	for i := range text {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return TraceID{}, fmt.Errorf("a trace identifier has digits and the letters a to f, and no %q", c)
		}
	}
	if _, err := hex.Decode(id[:], []byte(text)); err != nil {
		return TraceID{}, fmt.Errorf("reading a trace identifier: %w", err)
	}
	if id.IsZero() {
		return TraceID{}, fmt.Errorf("a trace identifier of zeros stands for none")
	}
	return id, nil
}

// IsZero reports whether there is no trace.
func (id TraceID) IsZero() bool { return id == TraceID{} }

// String returns 32 hexadecimal digits, empty for no trace.
func (id TraceID) String() string {
	if id.IsZero() {
		return ""
	}
	return hex.EncodeToString(id[:])
}
