package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/internal/cosignature"
)

// WitnessFlags are the flags that ask for the signatures of witnesses.
type WitnessFlags struct {
	keys   []string
	quorum int
	policy string
}

// BindWitnesses adds the flags to set.
func (f *WitnessFlags) BindWitnesses(set *pflag.FlagSet) {
	set.StringArrayVar(&f.keys, "witness", nil, "The public key of a witness that has to have signed the checkpoint, NAME+HASH+KEY, or a file that holds it; repeat it for more")
	set.IntVar(&f.quorum, "quorum", 0, "How many of the witnesses have to have signed (default: more than half of them)")
	set.StringVar(&f.policy, "policy", "", "A file that says which witnesses have to have signed, in place of --witness and --quorum (C2SP tlog-policy)")
}

// Witnesses judges the signatures of witnesses.
type Witnesses struct {
	policy *cosignature.Policy // nil: none was asked for
}

// Read reads the keys, or the policy.
func (f *WitnessFlags) Read() (*Witnesses, error) {
	switch {
	case f.policy != "" && len(f.keys) > 0:
		return nil, errors.New("--policy names the witnesses: leave --witness out, or --policy")
	case f.policy != "" && f.quorum != 0:
		return nil, errors.New("--policy has a line quorum: leave --quorum out, or --policy")
	case f.policy != "":
		policy, err := cosignature.ReadPolicy(f.policy)
		if err != nil {
			return nil, fmt.Errorf("--policy: %w", err)
		}
		return &Witnesses{policy}, nil
	case len(f.keys) == 0 && f.quorum != 0:
		return nil, errors.New("--quorum is of witnesses: give their keys with --witness")
	case len(f.keys) == 0:
		return &Witnesses{}, nil
	}
	var all []cosignature.Witness
	for _, text := range f.keys {
		key, err := parseWitness(text)
		if err != nil {
			return nil, fmt.Errorf("--witness: %w", err)
		}
		all = append(all, cosignature.Witness{Key: key})
	}
	policy, err := cosignature.NewPolicy(all, f.quorum)
	if err != nil {
		return nil, err
	}
	return &Witnesses{policy}, nil
}

// parseWitness reads a public key, or a file with one.
func parseWitness(flag string) (*cosignature.Verifier, error) {
	key, wrong := cosignature.ParseVerifier(strings.TrimSpace(flag))
	if wrong == nil {
		return key, nil
	}
	content, err := os.ReadFile(flag)
	if err != nil {
		return nil, wrong // which does not quote the text: it may be a private key
	}
	if key, err = cosignature.ParseVerifier(strings.TrimSpace(string(content))); err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return key, nil
}

// Asked reports whether signatures of witnesses were asked for.
func (w *Witnesses) Asked() bool { return w.policy != nil }

// Judge says who has signed a checkpoint over so many records, of a log with this public key. It returns nil for no
// checkpoint.
func (w *Witnesses) Judge(signed []byte, records uint64, log string) (*view.Witnessed, error) {
	if signed == nil {
		return nil, nil
	}
	verdict, err := w.policy.Judge(signed, log)
	switch {
	case errors.Is(err, cosignature.ErrOtherLog):
		return nil, err
	case err != nil: // a line is not by the key that it names
		return nil, fmt.Errorf("%w: %w", ErrUnwitnessed, err)
	}
	return view.WitnessedOf(verdict, records), nil
}

// ErrUnwitnessed: the witnesses that were asked for have not signed.
var ErrUnwitnessed = errors.New("the witnesses that were asked for have not signed it")

// Check returns an error if signatures were asked for and are not there.
func (w *Witnesses) Check(found *view.Witnessed) error {
	if !w.Asked() || found != nil && found.Satisfied {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrUnwitnessed, found)
}
