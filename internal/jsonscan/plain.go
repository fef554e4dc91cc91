package jsonscan

// Plain reads a document that is JSON of ASCII without an escape, as nearly all requests are. Its methods take one
// value after the other. Once one is not as the reader expects it, or is not plain, nothing more is read, and Done
// tells so: the reader then leaves the whole document to a decoder, which knows what to make of it.
//
// Names that an object has twice are not looked for.
type Plain struct {
	text []byte
	at   int
	// depth is in how many objects and lists the next value is.
	depth  int
	failed bool
}

// maxPlainDepth bounds the stack. No request of the contract comes near it.
const maxPlainDepth = 32

// NewPlain returns a reader of a document, which must not change while it is read.
func NewPlain(text []byte) *Plain { return &Plain{text: text} }

// Done reports whether the document has ended, and all of it was as the reader expected.
func (p *Plain) Done() bool {
	p.blanks()
	return !p.failed && p.at == len(p.text)
}

// Object takes an object. member is called for each of its members, with the name as it is written, that is, in its
// quotes. It takes the value.
func (p *Plain) Object(member func(name []byte)) {
	for more := p.open('{', '}'); more; more = p.more('}') {
		if name := p.name(); !p.failed {
			member(name)
		}
	}
}

// List takes a list. item is called for each of its items, and takes it.
func (p *Plain) List(item func()) {
	for more := p.open('[', ']'); more; more = p.more(']') {
		item()
	}
}

// Value takes any value, and returns its text; nil if it is not plain.
func (p *Plain) Value() []byte {
	p.blanks()
	from := p.at
	switch c := p.next(); {
	case c == '{':
		for more := p.open('{', '}'); more; more = p.more('}') {
			p.name()
			p.Value()
		}
	case c == '[':
		for more := p.open('[', ']'); more; more = p.more(']') {
			p.Value()
		}
	case c == '"':
		p.quoted()
	case c == '-' || '0' <= c && c <= '9':
		p.at += NumberLen(p.text[p.at:])
		p.failed = p.failed || p.at == from
	default:
		p.word()
	}
	if p.failed {
		return nil
	}
	return p.text[from:p.at]
}

// open takes the bracket that begins an object or a list. It reports whether something is in it.
func (p *Plain) open(begin, end byte) bool {
	p.blanks()
	if p.failed || p.depth == maxPlainDepth || !p.take(begin) {
		p.failed = true
		return false
	}
	p.blanks()
	if p.take(end) {
		return false
	}
	p.depth++
	return true
}

// more takes what stands behind a member or an item. It reports whether another one follows.
func (p *Plain) more(end byte) bool {
	p.blanks()
	switch {
	case p.failed:
	case p.take(','):
		return true
	case p.take(end):
		p.depth--
	default:
		p.failed = true
	}
	return false
}

// name takes the name of a member, and the colon.
func (p *Plain) name() []byte {
	p.blanks()
	name := p.quoted()
	p.blanks()
	if !p.take(':') {
		p.failed = true
	}
	return name
}

// quoted takes a text, and returns it with its quotes.
func (p *Plain) quoted() []byte {
	from := p.at
	if p.take('"') {
		for i, c := range p.text[p.at:] {
			if c == '"' {
				p.at += i + 1
				return p.text[from:p.at]
			}
			if c < ' ' || c == '\\' || c > '~' {
				break
			}
		}
	}
	p.failed = true
	return nil
}

// word takes null, true or false.
func (p *Plain) word() {
	for _, word := range []string{"null", "true", "false"} {
		if end := p.at + len(word); end <= len(p.text) && string(p.text[p.at:end]) == word {
			p.at = end
			return
		}
	}
	p.failed = true
}

// next returns the next byte, 0 at the end of the document.
func (p *Plain) next() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// take takes a byte, if it is the next one.
func (p *Plain) take(c byte) bool {
	if p.next() != c {
		return false
	}
	p.at++
	return true
}

func (p *Plain) blanks() {
	for p.at < len(p.text) {
		if c := p.text[p.at]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return
		}
		p.at++
	}
}
