package invoice

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export/internal/jsonline"
	"github.com/fielato/fielato/wsfev1"
)

// Detail is what a request has of an invoice and its record does not: the date, the
// total as it is written there, and the currency.
type Detail struct{ date, total, currency string }

// detailPaths lead from the body of a request to its list of invoices, for both
// operations that have one (FECAESolicitar, FECAEARegInformativo).
var detailPaths = []map[string]bool{
	{`"FeCAEReq"`: true, `"FeCAEARegInfReq"`: true},
	{`"FeDetReq"`: true},
	{`"FECAEDetRequest"`: true, `"FECAEADetRequest"`: true},
}

// detailReaders holds the readers that are not in use.
var detailReaders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// errNoDetails: a body has not the expected shape.
var errNoDetails = errors.New("no list of invoices")

// Details returns the details of the invoices in a record's request, in its order,
// nil if it has none or they cannot be read.
func Details(r *audit.Record) []Detail {
	if len(r.Vouchers) == 0 || len(r.Request) == 0 {
		return nil
	}
	if details, ok := plainDetails(r.Request); ok {
		return details
	}
	return decodedDetails(r.Request)
}

// decodedDetails is Details for any request.
func decodedDetails(request []byte) []Detail {
	d := detailReaders.Get().(*jsontext.Decoder)
	defer detailReaders.Put(d)
	// A request with a name twice was refused before it had vouchers.
	d.Reset(bytes.NewBuffer(request), jsontext.AllowDuplicateNames(true))
	details, err := detailsBelow(d, 0)
	if err != nil {
		return nil
	}
	// What comes after may be no JSON, and then nothing before it counts.
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil
	}
	return details
}

func detailsBelow(d *jsontext.Decoder, depth int) (found []Detail, err error) {
	if depth == len(detailPaths) {
		return detailList(d)
	}
	err = eachMember(d, func(name jsontext.Value) error {
		if !detailPaths[depth][string(name)] {
			return d.SkipValue()
		}
		found, err = detailsBelow(d, depth+1)
		return err
	})
	return found, err
}

// detailList reads an array of invoices.
func detailList(d *jsontext.Decoder) (found []Detail, err error) {
	if d.PeekKind() != '[' {
		return nil, errNoDetails
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() != ']' {
		var detail Detail
		if err := eachMember(d, func(name jsontext.Value) error { return detail.read(d, name) }); err != nil {
			return nil, err
		}
		found = append(found, detail)
	}
	_, err = d.ReadToken()
	return found, err
}

func (i *Detail) read(d *jsontext.Decoder, name jsontext.Value) error {
	var into *string
	switch string(name) {
	case `"CbteFch"`:
		into = &i.date
	case `"ImpTotal"`:
		into = &i.total
	case `"MonId"`:
		into = &i.currency
	default:
		return d.SkipValue()
	}
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	switch {
	case raw.Kind() == '0' && into == &i.total:
		if _, err := wsfev1.AmountFromJSON(raw); err == nil {
			*into = string(raw)
		}
	case raw.Kind() == '"' && into != &i.total:
		read, err := jsonline.ReadText(raw)
		*into = string(read)
		return err
	}
	return nil
}

// eachMember reads an object; do reads the value of a member.
func eachMember(d *jsontext.Decoder, do func(name jsontext.Value) error) error {
	if d.PeekKind() != '{' {
		return errNoDetails
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := do(name); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}
