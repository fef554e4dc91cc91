package cosignature

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Limits of a policy. The specification asks for 32 of each at least.
const (
	maxPolicy  = 1 << 20 // bytes
	maxMembers = 1000    // logs, witnesses and groups together
)

// none is the quorum of a policy that asks for no cosignature.
const none = "none"

// Policy says which witnesses have to sign a checkpoint: C2SP's tlog-policy.
type Policy struct {
	logs      []string // public keys, none: of any log
	witnesses []Witness
	quorum    *group // nil: no cosignature is needed
}

// Witness is a witness of a policy.
type Witness struct {
	Key *Verifier
	// URL is its submission prefix, empty if the policy does not say it.
	URL string
}

// group is signed by a checkpoint's witnesses if enough of its members are.
type group struct {
	witness   *Verifier // nil: a group of members
	threshold int
	members   []*group
	used      bool // it is the member of a group
}

// signed reports whether the group has signed, given who has.
func (g *group) signed(by func(*Verifier) bool) bool {
	if g.witness != nil {
		return by(g.witness)
	}
	n := 0
	for _, m := range g.members {
		if m.signed(by) {
			n++
		}
	}
	return n >= g.threshold
}

// NewPolicy returns the policy that asks for a number of witnesses among these, 0 for a majority.
func NewPolicy(witnesses []Witness, quorum int) (*Policy, error) {
	if quorum < 0 || quorum > len(witnesses) {
		return nil, fmt.Errorf("quorum: %d of %d witnesses cannot be reached: give a number from 1 to %d", quorum, len(witnesses), len(witnesses))
	}
	if quorum == 0 {
		quorum = len(witnesses)/2 + 1
	}
	p := &Policy{quorum: &group{threshold: quorum}}
	for _, w := range witnesses {
		if err := p.add(w); err != nil {
			return nil, err
		}
		p.quorum.members = append(p.quorum.members, &group{witness: w.Key})
	}
	return p, nil
}

// add adds a witness, which counts once.
func (p *Policy) add(w Witness) error {
	for _, other := range p.witnesses {
		if bytes.Equal(other.Key.key, w.Key.key) {
			return fmt.Errorf("witness: the key of %s is there twice: each witness counts once, remove one", w.Key.Name())
		}
	}
	p.witnesses = append(p.witnesses, w)
	return nil
}

// Witnesses returns the witnesses, in the order in which they were given.
func (p *Policy) Witnesses() []Witness { return p.witnesses }

// Satisfied reports whether enough witnesses have signed.
func (p *Policy) Satisfied(by func(*Verifier) bool) bool {
	return p.quorum == nil || p.quorum.signed(by)
}

// ReadPolicy reads a policy from a file.
func ReadPolicy(path string) (*Policy, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxPolicy+1))
	if err != nil {
		return nil, err
	}
	p, err := ParsePolicy(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// ParsePolicy reads a policy. Errors name the line.
func ParsePolicy(text []byte) (*Policy, error) {
	if len(text) > maxPolicy {
		return nil, fmt.Errorf("the policy has more than %d bytes", maxPolicy)
	}
	r := policyReader{policy: &Policy{}, named: map[string]*group{}}
	for number, line := range strings.Split(string(text), "\n") {
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("line %d of the policy: %w", number+1, err)
		}
	}
	if !r.asked {
		return nil, errors.New("the policy has no line quorum, which names the witness or group that has to sign")
	}
	return r.policy, nil
}

// policyReader reads a policy line by line.
type policyReader struct {
	policy *Policy
	named  map[string]*group
	asked  bool // the line quorum was read
}

// line reads one line.
func (r *policyReader) line(line string) error {
	if i := strings.IndexFunc(line, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }); i >= 0 {
		return fmt.Errorf("it has the control character %q", line[i])
	}
	words := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' })
	if len(words) == 0 || words[0][0] == '#' {
		return nil
	}
	if len(r.policy.logs)+len(r.named) >= maxMembers {
		return fmt.Errorf("it has more than %d logs, witnesses and groups", maxMembers)
	}
	switch keyword := words[0]; {
	case keyword == "log" && (len(words) == 2 || len(words) == 3):
		return r.log(words[1])
	case keyword == "witness" && (len(words) == 3 || len(words) == 4):
		return r.witness(words[1], words[2], strings.Join(words[3:], ""))
	case keyword == "group" && len(words) >= 4:
		return r.group(words[1], words[2], words[3:])
	case keyword == "quorum" && len(words) == 2:
		return r.quorum(words[1])
	}
	return errors.New("write log <vkey> [<url>], witness <name> <vkey> [<url>], group <name> <number>|any|all <name>..., or quorum <name>|none")
}

func (r *policyReader) log(key string) error {
	v, err := note.NewVerifier(key)
	if err != nil {
		return errors.New("this is not the public key of a log: one has the form <name>+<hash>+<key>")
	}
	if slices.ContainsFunc(r.policy.logs, func(other string) bool { return keyBytes(other) == keyBytes(key) }) {
		return fmt.Errorf("the key of the log %s is there twice", v.Name())
	}
	r.policy.logs = append(r.policy.logs, key)
	return nil
}

// keyBytes returns the key in a public key that was read before, behind its name and hash.
func keyBytes(key string) string { return strings.SplitN(key, "+", 3)[2] }

func (r *policyReader) witness(name, key, url string) error {
	v, err := ParseVerifier(key)
	if err != nil {
		return err
	}
	if err := r.policy.add(Witness{Key: v, URL: url}); err != nil {
		return err
	}
	return r.name(name, &group{witness: v})
}

func (r *policyReader) name(name string, g *group) error {
	if r.named[name] != nil || name == none {
		return fmt.Errorf("the name %q is taken", name)
	}
	r.named[name] = g
	return nil
}

func (r *policyReader) group(name, threshold string, members []string) error {
	g := &group{}
	for _, member := range members {
		m := r.named[member]
		switch {
		case m == nil:
			return fmt.Errorf("no line before it has the witness or group %q", member)
		case m.used:
			return fmt.Errorf("%q is the member of a group already: each counts once", member)
		}
		m.used = true
		g.members = append(g.members, m)
	}
	switch threshold {
	case "any":
		g.threshold = 1
	case "all":
		g.threshold = len(members)
	default:
		n, err := strconv.Atoi(threshold)
		if err != nil || strconv.Itoa(n) != threshold || n < 1 || n > len(members) {
			return fmt.Errorf("%q of %d members: write any, all or a number from 1 to %d", threshold, len(members), len(members))
		}
		g.threshold = n
	}
	return r.name(name, g)
}

func (r *policyReader) quorum(name string) error {
	if r.asked {
		return errors.New("there is a line quorum already")
	}
	r.asked = true
	if name == none {
		return nil
	}
	if r.policy.quorum = r.named[name]; r.policy.quorum == nil {
		return fmt.Errorf("no line before it has the witness or group %q", name)
	}
	return nil
}
