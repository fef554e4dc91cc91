package cosigned

import (
	"errors"
	"fmt"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/internal/cosignature"
)

// Settings are the witnesses of a trail, and how many have to sign.
type Settings struct {
	// Witnesses are the parties that cosign the checkpoints.
	Witnesses []Options
	// Quorum is how many of them must have signed a checkpoint, 0 for a majority.
	Quorum int
	// File is the path of a policy, in place of Witnesses and Quorum. It is empty for none.
	File string
	// Require: the trail is not opened for exchanges before a quorum has signed.
	Require bool
}

// Policy says who cosigns, and who has to.
type Policy struct {
	witnesses []*Witness
	rule      *cosignature.Policy
	// require: the trail is not opened for exchanges before a quorum has signed.
	require bool
}

// Resolve reads the settings of a trail. It returns nil if there is no witness.
func (s Settings) Resolve() (*Policy, error) {
	switch {
	case s.File != "" && len(s.Witnesses) > 0:
		return nil, errors.New("witness_policy: the file names the witnesses: remove witness, or witness_policy")
	case s.File != "" && s.Quorum != 0:
		return nil, errors.New("witness_policy: the file has a line quorum: remove quorum, or witness_policy")
	case s.File != "":
		return s.fromFile()
	case len(s.Witnesses) == 0 && s.Quorum != 0:
		return nil, errors.New("quorum: there is no witness: add one with witness, or remove quorum")
	case len(s.Witnesses) == 0 && s.Require:
		return nil, errors.New("require_witnesses: there is no witness: add one with witness, or remove require_witnesses")
	case len(s.Witnesses) == 0:
		return nil, nil
	}
	p := &Policy{require: s.Require}
	var named []cosignature.Witness
	for _, one := range s.Witnesses {
		w, err := one.resolve()
		if err != nil {
			return nil, err
		}
		if err := p.add(w); err != nil {
			return nil, err
		}
		named = append(named, cosignature.Witness{Key: w.verifier})
	}
	var err error
	p.rule, err = cosignature.NewPolicy(named, s.Quorum)
	return p, err
}

// add adds a witness. Its name labels metrics.
func (p *Policy) add(w *Witness) error {
	for _, other := range p.witnesses {
		if other.Name() == w.Name() {
			return fmt.Errorf("witness: two witnesses have the name %s: each counts once, remove one of them", w.Name())
		}
	}
	p.witnesses = append(p.witnesses, w)
	return nil
}

// fromFile reads the policy in the file. A witness without URL cannot be asked.
func (s Settings) fromFile() (*Policy, error) {
	path, err := directive.ResolvePath(s.File)
	if err != nil {
		return nil, fmt.Errorf("witness_policy: %w", err)
	}
	p := &Policy{require: s.Require}
	if p.rule, err = cosignature.ReadPolicy(path); err != nil {
		return nil, fmt.Errorf("witness_policy: %w", err)
	}
	for _, named := range p.rule.Witnesses() {
		if named.URL == "" {
			return nil, fmt.Errorf("witness_policy: %s: the witness %s has no URL: write witness <name> <vkey> <url>", path, named.Key.Name())
		}
		w, err := Options{Key: named.Key.String(), URL: named.URL}.resolve()
		if err != nil {
			return nil, fmt.Errorf("witness_policy: %s: %w", path, err)
		}
		if err := p.add(w); err != nil {
			return nil, fmt.Errorf("witness_policy: %s: %w", path, err)
		}
	}
	if len(p.witnesses) == 0 {
		return nil, fmt.Errorf("witness_policy: %s names no witness: add a line witness <name> <vkey> <url>, or remove witness_policy", path)
	}
	return p, nil
}

// satisfied reports whether a quorum is among those that have signed, by public key.
func (p *Policy) satisfied(signed func(key string) bool) bool {
	return p.rule.Satisfied(func(v *cosignature.Verifier) bool { return signed(v.String()) })
}
