package fill

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	errNoInvoices    = errors.New("it has no list of invoices")
	errOtherInvoices = errors.New("it has other invoices than were read")
)

// Document returns the document of the request with what was filled in. All other bytes stay as the
// client has written them. The document is the one that the request was read from.
func (c *Completed) Document(document []byte) ([]byte, error) {
	made, err := c.write(document)
	if err != nil {
		return nil, fmt.Errorf("completing a request: %w", err)
	}
	return made, nil
}

func (c *Completed) write(document []byte) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(document))
	for _, name := range c.steps {
		if err := enter(d, name); err != nil {
			return nil, err
		}
	}
	if d.PeekKind() != '[' {
		return nil, errNoInvoices
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	made := make([]byte, 0, len(document)+(c.FromTable+c.FromDefault)*len(`,"CondicionIVAReceptorId":16`))
	copied, i := 0, 0
	for ; d.PeekKind() == '{'; i++ {
		invoice, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if i >= len(c.ids) || c.ids[i] == 0 {
			continue
		}
		end := int(d.InputOffset())
		made = append(made, document[copied:end-len(invoice)]...)
		if made, err = appendInvoice(made, invoice, c.ids[i]); err != nil {
			return nil, err
		}
		copied = end
	}
	if i != len(c.ids) {
		return nil, errOtherInvoices
	}
	return append(made, document[copied:]...), nil
}

// enter moves to the value of a member of the object that comes next.
func enter(d *jsontext.Decoder, name string) error {
	if d.PeekKind() != '{' {
		return errNoInvoices
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		if token.String() == name {
			return nil
		}
		if err := d.SkipValue(); err != nil {
			return err
		}
	}
	return errNoInvoices
}

// appendInvoice appends an invoice with the condition. A member that is null counts as absent: it is
// replaced.
func appendInvoice(b []byte, invoice jsontext.Value, id int32) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(invoice))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	empty := d.PeekKind() == '}'
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		mine := name.String() == Member // the token does not outlive the next call
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if mine && value.Kind() != 'n' {
			return nil, errOtherInvoices // never in place of the client's own value
		}
		if mine {
			end := int(d.InputOffset())
			b = append(b, invoice[:end-len(value)]...)
			return append(strconv.AppendInt(b, int64(id), 10), invoice[end:]...), nil
		}
	}
	b = append(b, invoice[:len(invoice)-1]...)
	if !empty {
		b = append(b, ',')
	}
	b = append(b, `"`+Member+`":`...)
	return append(strconv.AppendInt(b, int64(id), 10), '}'), nil
}
