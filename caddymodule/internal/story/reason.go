package story

import (
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
)

// Reason is why something was rejected or observed.
type Reason struct{ Code, Text, Place string }

// String quotes the reason, without the code and the full stop that its text may have. What
// cannot be printed is escaped: it could turn the rest of the sentence around.
func (r Reason) String() string {
	text := strings.TrimSuffix(strings.TrimPrefix(r.Text, r.Code+": "), ".")
	place := ""
	if r.Place != "" {
		place = ", campo " + r.Place
	}
	return printable.OneLine("«" + text + "» (código " + r.Code + place + ")")
}

// reasonsOf returns what was said about the invoice: by the gateway's findings if it refused,
// else by the answer. Where nothing was said about this one, elsewhere reports that the reasons
// are about other invoices of its lot.
func reasonsOf(r *audit.Record, s *Entry, number int64) (own []Reason, elsewhere bool) {
	var others []Reason
	for i, f := range printed.Findings(r) {
		if f.Refuses {
			one := Reason{f.Code, f.Text, lastName(f.Pointer)}
			if position, ok := positionOf(r.Findings[i].Pointer); ok && s.Lot > 1 && position != s.Position {
				others = append(others, one)
			} else {
				own = append(own, one)
			}
		}
	}
	if len(own)+len(others) == 0 {
		own, others = saidOf(r.Answer, number)
	}
	if len(own) == 0 {
		return others, len(others) > 0
	}
	return own, false
}

// positionOf returns the place in the lot that a pointer goes to, if it goes to an invoice.
func positionOf(pointer string) (int, bool) {
	_, rest, found := strings.Cut(pointer, "DetRequest/")
	if !found {
		return 0, false
	}
	index, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(index)
	return n, err == nil
}

// lastName returns the last name in a JSON Pointer; indexes are none.
func lastName(pointer string) string {
	names := strings.Split(pointer, "/")
	for i := len(names) - 1; i > 0; i-- {
		if _, err := strconv.Atoi(names[i]); err != nil {
			return names[i]
		}
	}
	return ""
}

// saidOf returns the messages of an answer about the invoice with this number and about the
// whole request, and those about other invoices.
func saidOf(answer []byte, number int64) (own, others []Reason) {
	type detail struct {
		bodies.Range
		Observaciones struct {
			Obs []struct{ Code, Msg bodies.Cell }
		}
	}
	var read struct {
		FeDetResp struct{ FECAEDetResponse, FECAEADetResponse []detail }
		Errors    struct {
			Err []struct{ Code, Msg bodies.Cell }
		}
	}
	if !bodies.Read(answer, &read) {
		return nil, nil
	}
	for _, d := range append(read.FeDetResp.FECAEDetResponse, read.FeDetResp.FECAEADetResponse...) {
		for _, one := range d.Observaciones.Obs {
			if said := (Reason{one.Code.Text(), one.Msg.Text(), ""}); d.Covers(number) {
				own = append(own, said)
			} else {
				others = append(others, said)
			}
		}
	}
	for _, one := range read.Errors.Err {
		own = append(own, Reason{one.Code.Text(), one.Msg.Text(), ""})
	}
	return own, others
}
