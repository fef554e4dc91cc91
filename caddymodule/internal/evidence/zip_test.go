package evidence

import (
	"bytes"
	"errors"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestTooManyExchangesAreRefused before the first byte is written: a part of them would mislead.
func TestTooManyExchangesAreRefused(t *testing.T) {
	records := append(issued(real), query("forward", "answered", granted))
	for i, r := range records {
		r.Log, r.Index, r.Cuit, r.PtoVta, r.CbteTipo, r.Time = "gateway-1", uint64(i), 20111111112, 1, 6, noon
	}
	wanted := audit.Query{Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, Number: 5}
	var file bytes.Buffer
	_, err := WriteZip(t.Context(), &file, kept{records: records}, []string{"gateway-1"}, wanted, 1)
	if !errors.Is(err, ErrTooMany) || file.Len() > 0 {
		t.Errorf("%v, %d bytes", err, file.Len())
	}
}
