package redact

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// secrecy is how the value that follows is treated.
type secrecy uint8

const (
	public secrecy = iota
	// unknown is a member that the interface does not have, in a request of no known shape.
	unknown
	// holder is an object that holds credentials.
	holder
	// number is what stands beside the credentials: a figure, not a text.
	number
	// secret is a credential, or whatever stands in its place.
	secret
)

// cuitText is the longest text that can be meant for a CUIT: eleven digits, two dashes.
const cuitText = `"20-11111111-2"`

// hides reports whether a scalar is not to be kept.
func (s secrecy) hides(raw jsontext.Value) bool {
	switch s {
	case public:
		return false
	case unknown:
		return raw.Kind() == '"' && len(raw) > len(`""`)+maxName
	case number:
		return raw.Kind() == '"' && len(raw) > len(cuitText)
	}
	return raw.Kind() != 'n'
}

// of returns the secrecy of the member with this name.
func (s secrecy) of(name string) secrecy {
	if s == secret || s == number {
		return secret
	}
	if known, ok := secretMembers[foldName(name)]; ok && (known != number || s == holder) {
		return known
	}
	if s == holder {
		return secret
	}
	return public
}

// secretMembers are, by folded name, the members that are credentials, those that hold them,
// and those beside them that are none. It is read off the types: a new credential is redacted
// as soon as it is marked.
var secretMembers = func() map[string]secrecy {
	members := map[string]secrecy{}
	var visit func(*wsfev1.Shape)
	visit = func(s *wsfev1.Shape) {
		holds := false
		for i := range s.Members {
			holds = holds || s.Members[i].Secret
		}
		for i := range s.Members {
			m := &s.Members[i]
			name := foldName(m.Name)
			switch {
			case m.Secret:
				members[name] = secret
			case holds:
				members[name] = number
			}
			for j := range m.Shape.Members {
				if m.Shape.Members[j].Secret {
					members[name] = holder
				}
			}
			visit(m.Shape)
		}
	}
	for _, op := range wsfev1.Operations {
		visit(op.Request)
	}
	return members
}()

// interfaceElements has how the elements of the interface are treated, by the secrecy of the element
// around them.
var interfaceElements = func() map[string][secret + 1]secrecy {
	elements := map[string][secret + 1]secrecy{}
	for name := range interfaceNames {
		var within [secret + 1]secrecy
		for outer := range within {
			within[outer] = secrecy(outer).of(name)
		}
		elements[name] = within
	}
	return elements
}()

// interfaceNames are the names of all members that requests and answers have, and their
// errors.
var interfaceNames = func() map[string]bool {
	names := map[string]bool{}
	eachMember(func(name string, _ *wsfev1.Shape) { names[name] = true })
	return names
}()

// eachMember calls do for each member of requests and answers, at any depth.
func eachMember(do func(name string, s *wsfev1.Shape)) {
	var visit func(*wsfev1.Shape)
	visit = func(s *wsfev1.Shape) {
		for ; s.Kind == wsfev1.KindList; s = s.Item {
		}
		for i := range s.Members {
			do(s.Members[i].Name, s.Members[i].Shape)
			visit(s.Members[i].Shape)
		}
	}
	for _, op := range wsfev1.Operations {
		visit(op.Request)
		visit(op.Answer)
	}
}
