package mask

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

// hidesText is hides for the text of an element.
func (s secrecy) hidesText(text []byte) bool {
	switch s {
	case public:
		return false
	case unknown:
		return len(text) > maxName
	case number:
		return len(text) > len(cuitText)
	}
	return true
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

// member is the rule for members of a name.
type member struct {
	name string
	// within is how a value is treated, by the secrecy of what the member stands in.
	within [secret + 1]secrecy
	// number: it is a number wherever the interface has it.
	number bool
}

// members are the members of requests and answers by their names, and of errors too.
var members = func() map[string]*member {
	all := map[string]*member{}
	eachMember(func(name string, s *wsfev1.Shape) {
		number := s.Kind == wsfev1.KindInteger || s.Kind == wsfev1.KindAmount
		if before := all[name]; before != nil {
			before.number = before.number && number
			return
		}
		m := &member{name: name, number: number}
		for outer := range m.within {
			m.within[outer] = secrecy(outer).of(name)
		}
		all[name] = m
	})
	return all
}()

// memberOf returns the member of a name, nil if the interface has none.
func memberOf(name []byte) *member {
	if m := quickly[place(name)]; m != nil && m.name == string(name) {
		return m
	}
	return members[string(name)]
}

// quickly has most of the members by the places of their names. It is asked for each name of a document, which
// takes a third of the time that a map does.
var quickly = func() (most [places]*member) {
	for name, m := range members {
		most[place([]byte(name))] = m
	}
	return most
}()

// places is how many there are: so many that nearly no two names share one.
const places = 1 << 10

func place(name []byte) int {
	n := len(name)
	if n == 0 {
		return 0
	}
	return (int(name[0])*7 + int(name[n-1])*61 + int(name[n/2])*131 + int(name[n-n/3-1])*17 + n*257) % places
}

// in is of for a member of this name, nil if the interface has none.
func (s secrecy) in(known *member, name []byte) secrecy {
	if known != nil {
		return known.within[s]
	}
	return s.of(string(name))
}

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
