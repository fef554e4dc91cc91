package directive

import (
	"fmt"
	"regexp"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// Line returns where the current token stands, such as Caddyfile:12, for messages about mistakes that show
// later.
func Line(d *caddyfile.Dispenser) string { return fmt.Sprintf("%s:%d", d.File(), d.Line()) }

var placed = regexp.MustCompile(`^\S+:\d+: `)

// At returns an error that begins with a line. One that begins with a line already stays as it is, and so
// does any without a line to begin with.
func At(line string, err error) error {
	if err == nil || line == "" || placed.MatchString(err.Error()) {
		return err
	}
	return fmt.Errorf("%s: %w", line, err)
}
