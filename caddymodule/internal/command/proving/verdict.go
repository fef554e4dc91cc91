package proving

import (
	"cmp"
	"fmt"
	"io"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
)

// vouching tells which signatures of others were found: of witnesses, and of an authority that stamps.
type vouching struct {
	witnessing
	stamping
}

// missing names the signatures that were asked for and are not there, nil for none.
func (v *vouching) missing() error { return cmp.Or(v.unwitnessed, v.unstamped) }

// complete reports whether nothing is missing.
func (v *vouching) complete() bool { return v.missing() == nil }

// print writes for people who has signed. title names the signatures of witnesses.
func (v *vouching) print(w io.Writer, title string) error {
	if by := v.witnessed; by != nil && len(by.Signed)+len(by.Unknown) > 0 {
		if _, err := fmt.Fprintf(w, "%s: %s\n", title, by); err != nil {
			return err
		}
	}
	return v.stamping.print(w)
}

// verdict returns an error with its status, nil if all is shown with the key that was given. The subject is an export or
// evidence, and own the key that it names itself.
func (v *vouching) verdict(subject, path string, faults int, key, own string) error {
	switch missing := v.missing(); {
	case faults > 0:
		return cli.Found(fmt.Errorf("%s: the %s is broken: %s", path, subject, cli.CountOf(uint64(faults), "fault")))
	case missing != nil:
		return cli.Found(fmt.Errorf("%s: %w", path, missing))
	case key == "":
		return cli.Inconclusive(fmt.Errorf("%s: the %s is consistent, but a forger could have made the key too: give --key, the public key that the gateway logs when it starts; the %[2]s's own is %[3]s", path, subject, own))
	}
	return nil
}

// keyFrom says for programs where a public key came from: --key, or else this source.
func keyFrom(given bool, source string) string {
	if given {
		return "flag"
	}
	return source
}
