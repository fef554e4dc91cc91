package tickets

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Prepared are the certificates of the blocks of a gateway, each of which has been read.
type Prepared struct {
	// Blocks has a block for each certificate that is used, or would be if it could: a CUIT is in one alone.
	Blocks []Options
	// Spare are the certificates of patterns that are not used, as there is another one for their CUITs.
	Spare []Spare
	// Empty are the blocks whose pattern matches no file.
	Empty []Options
}

// Spare is a certificate of a pattern that is not used.
type Spare struct {
	Options Options
	// Problem says which certificate is used for its CUIT, and what to do.
	Problem error
}

// Unmatched returns the warning about a pattern that matches no file.
func (o *Options) Unmatched() error {
	return fmt.Errorf("certificate %s matches no file: once there is one, reload", o.Certificate)
}

// Prepare reads the certificates of blocks. A pattern becomes a block for each of its files. A mistake in
// the text of a block is an error; a certificate that cannot be used is not.
func Prepare(all []Options, now time.Time) (*Prepared, error) {
	p, written := new(Prepared), map[wsfev1.CUIT]bool{}
	var found []Options
	for i := range all {
		o := all[i]
		blocks, err := o.expand(written)
		if err != nil {
			return nil, o.placed(err)
		}
		if len(blocks) == 0 {
			p.Empty = append(p.Empty, o)
		}
		found = append(found, blocks...)
	}
	for i := range found {
		found[i].problem = found[i].load(now)
	}
	p.choose(found)
	return p, nil
}

// expand checks a block, and returns it, or one for each file of its pattern. written are the CUITs that
// blocks name themselves.
func (o *Options) expand(written map[wsfev1.CUIT]bool) ([]Options, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	for _, cuit := range o.cuits {
		if written[cuit] {
			return nil, fmt.Errorf("cuits: %s has a certificate already: name it with one of them", cuit)
		}
		written[cuit] = true
	}
	if len(o.cuits) > 0 {
		return []Options{*o}, nil
	}
	return o.matches()
}

var errPatternCUITs = errors.New("cuits: leave them out where certificate is a pattern: each certificate is for the CUIT in its name. One that acts for others too needs a block of its own")

// checkPattern checks the options of a block whose certificate is a pattern.
func (o *Options) checkPattern(certificate pattern) error {
	if len(o.Cuits) > 0 {
		return errPatternCUITs
	}
	key, err := parsePattern(o.Key)
	if err != nil {
		return fmt.Errorf("key %w", err)
	}
	if n, want := key.wildcards(), certificate.wildcards(); n != 0 && n != want {
		return fmt.Errorf("key %s has %d wildcards, and certificate %s has %d: write as many, each of which stands for what the certificate's matches, or none for one key of all",
			o.Key, n, o.Certificate, want)
	}
	return nil
}

// matches returns a block for each file that the pattern of a block that check has passed matches.
func (o *Options) matches() ([]Options, error) {
	files, key, err := o.find()
	switch {
	case errors.Is(err, errTooMany):
		return nil, fmt.Errorf("certificate %s: %w", o.Certificate, err)
	case err != nil: // a placeholder stands for nothing
		one := *o
		one.match = &match{err: o.named(err)}
		return []Options{one}, nil
	}
	all := make([]Options, 0, len(files))
	for i := range files {
		one, m := *o, &files[i]
		one.match, one.Certificate = m, m.path
		if m.err != nil {
			m.err = one.named(m.err)
		} else if len(key) > 0 {
			one.Key = key.fill(m.by)
		}
		all = append(all, one)
	}
	return all, nil
}

// find returns the files of the pattern, and the pattern of their keys.
func (o *Options) find() (files []match, key pattern, err error) {
	p, err := parsePattern(o.Certificate)
	if err != nil {
		return nil, nil, err
	}
	if p, err = p.resolved(); err != nil {
		return nil, nil, err
	}
	if key, err = parsePattern(o.Key); err != nil {
		return nil, nil, err
	}
	if key, err = key.resolved(); err != nil {
		return nil, nil, fmt.Errorf("key: %w", err)
	}
	files, err = p.find()
	return files, key, err
}

// setOwner sets the CUIT for which a certificate of a pattern is: the one in its name. If that cannot be
// read, it is the one that the file was for before, or the one that its path has in the place of a wildcard,
// so that requests for it learn that there is no ticket now.
func (o *Options) setOwner() {
	switch {
	case o.match == nil:
	case o.identity.CUIT.Valid():
		o.cuits = []wsfev1.CUIT{o.identity.CUIT}
	case len(o.cuits) == 0:
		o.cuits = o.earlierOwner()
	}
}

func (o *Options) earlierOwner() []wsfev1.CUIT {
	for _, p := range lent.All() {
		if p.options.match != nil && p.options.Certificate == o.Certificate {
			return p.options.cuits
		}
	}
	for _, text := range o.match.by {
		if cuit, err := wsfev1.ParseCUIT(text); err == nil {
			return []wsfev1.CUIT{cuit}
		}
	}
	return nil
}

// choose takes a certificate for each CUIT: the one that a block names it for, or else, of those that can be
// used, the one that expires last.
func (p *Prepared) choose(found []Options) {
	best := map[wsfev1.CUIT]int{}
	for i := range found {
		for _, cuit := range found[i].cuits {
			if other, twice := best[cuit]; !twice || found[i].precedes(&found[other]) {
				best[cuit] = i
			}
		}
	}
	for i := range found {
		o := &found[i]
		if at := slices.IndexFunc(o.cuits, func(cuit wsfev1.CUIT) bool { return best[cuit] != i }); at >= 0 {
			p.Spare = append(p.Spare, Spare{*o, o.spared(&found[best[o.cuits[at]]], o.cuits[at])})
			continue
		}
		p.Blocks = append(p.Blocks, *o)
	}
}

// precedes reports whether a block has a CUIT rather than another one. Of equal ones the first has it.
func (o *Options) precedes(other *Options) bool {
	switch {
	case o.match == nil || other.match == nil:
		return o.match == nil
	case (o.problem == nil) != (other.problem == nil):
		return o.problem == nil
	}
	return o.identity.Expires.After(other.identity.Expires)
}

// spared says why the certificate is not used.
func (o *Options) spared(used *Options, cuit wsfev1.CUIT) error {
	why := o.problem
	if why == nil {
		why = o.named(errors.New("it is not used"))
	}
	return fmt.Errorf("%w; the CUIT %s has another one, %s (%s), which is used: remove one of them, and reload", why, cuit, used.Certificate, used.identity)
}
