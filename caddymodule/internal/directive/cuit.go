package directive

import (
	"fmt"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsfev1"
)

// CUIT is a CUIT in a configuration. In JSON it is a number, or a text as in the Caddyfile:
// "20-11111111-2". It has a type of its own because a request may not write one so.
type CUIT int64

// UnmarshalJSON implements json.Unmarshaler. It takes a number as it is: see Check.
func (c *CUIT) UnmarshalJSON(document []byte) error {
	var number int64
	if err := json.Unmarshal(document, &number); err == nil {
		*c = CUIT(number)
		return nil
	}
	var text string
	if err := json.Unmarshal(document, &text); err != nil {
		return fmt.Errorf("%s is not a CUIT: %w", document, wsfev1.CUIT(0).Check())
	}
	parsed, err := wsfev1.ParseCUIT(text)
	if err != nil {
		return fmt.Errorf("%q is not a CUIT: %w", text, err)
	}
	*c = CUIT(parsed)
	return nil
}

// Check returns an error unless the digits make a CUIT.
func (c CUIT) Check() error {
	if err := wsfev1.CUIT(c).Check(); err != nil {
		return fmt.Errorf("%d is not a CUIT: %w", c, err)
	}
	return nil
}

// ReadCUIT reads the current token.
func ReadCUIT(d *caddyfile.Dispenser, option string, value *CUIT) error {
	parsed, err := wsfev1.ParseCUIT(d.Val())
	if err != nil {
		return d.Errf("%s: %q is not a CUIT: %v", option, d.Val(), err)
	}
	*value = CUIT(parsed)
	if err := value.Check(); err != nil {
		return d.Errf("%s: %v", option, err)
	}
	return nil
}
