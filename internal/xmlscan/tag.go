package xmlscan

import "bytes"

// startTag reads a start tag or an empty-element tag.
func (s *Scanner) startTag() *Error {
	if s.rooted && s.depth == 0 {
		return s.fail(Trailing, s.pos, "a second root element")
	}
	if s.depth == MaxDepth {
		return s.fail(Depth, s.pos, "elements lie too deep in each other")
	}
	e := &s.open[s.depth]
	at, err := s.name(s.pos+1, e)
	if err != nil {
		return err
	}
	s.attrs = s.attrs[:0]
	e.bindings = len(s.bindings)
	if at < len(s.data) && s.data[at] == '>' {
		at++
	} else if at, err = s.attributes(at); err != nil {
		return err
	}
	if err := s.resolve(e); err != nil {
		return err
	}
	s.depth++
	s.rooted = true
	s.pos = at
	s.local, s.space = e.local, e.space
	return nil
}

// name reads the name that begins at i and returns where it ends.
func (s *Scanner) name(i int, e *element) (int, *Error) {
	end := ncName(s.data, i)
	if end == i {
		if i == len(s.data) {
			return 0, s.cut()
		}
		return 0, s.fail(Syntax, i, "a name is expected")
	}
	e.prefix, e.local = nil, s.data[i:end]
	if end < len(s.data) && s.data[end] == ':' {
		from := end + 1
		if end = ncName(s.data, from); end == from {
			return 0, s.fail(Syntax, from, "a name is expected after its prefix")
		}
		e.prefix, e.local = s.data[i:from-1], s.data[from:end]
	}
	if end-i > MaxName {
		return 0, s.fail(Limit, i, "a name is too long")
	}
	e.raw = s.data[i:end]
	return end, nil
}

// endTag reads an end tag, which must close the innermost open element.
func (s *Scanner) endTag() *Error {
	if s.depth == 0 {
		return s.fail(Syntax, s.pos, "an end tag without a start tag")
	}
	raw := s.open[s.depth-1].raw
	i := s.pos + len("</")
	rest := s.data[i:]
	if !bytes.HasPrefix(rest, raw) {
		if bytes.HasPrefix(raw, rest) {
			return s.cut()
		}
		return s.fail(Syntax, i, "an end tag that is not that of its start tag")
	}
	i = s.skipSpace(i + len(raw))
	if i == len(s.data) {
		return s.cut()
	}
	if s.data[i] != '>' {
		return s.fail(Syntax, i, "an end tag that is not that of its start tag")
	}
	s.pos = i + 1
	s.leave()
	return nil
}

// leave closes the innermost open element, and with it what it declared.
func (s *Scanner) leave() {
	s.depth--
	e := &s.open[s.depth]
	s.local, s.space = e.local, e.space
	s.bindings = s.bindings[:e.bindings]
	s.attrs = s.attrs[:0]
}

func (s *Scanner) skipSpace(i int) int {
	for i < len(s.data) && class[s.data[i]]&space != 0 {
		i++
	}
	return i
}

// attributes reads the attributes that follow a name up to the end of the tag.
func (s *Scanner) attributes(i int) (int, *Error) {
	for {
		from := i
		i = s.skipSpace(i)
		switch {
		case i == len(s.data):
			return 0, s.cut()
		case s.data[i] == '>':
			return i + 1, nil
		case s.data[i] == '/':
			if i+1 == len(s.data) {
				return 0, s.cut()
			}
			if s.data[i+1] != '>' {
				return 0, s.fail(Syntax, i, "a slash within a tag")
			}
			s.closing = true
			return i + 2, nil
		case i == from:
			return 0, s.fail(Syntax, i, "white space is expected")
		}
		var err *Error
		if i, err = s.attribute(i); err != nil {
			return 0, err
		}
	}
}

// attribute reads one attribute and returns where it ends. A declaration of a namespace is
// bound; any other is kept.
func (s *Scanner) attribute(i int) (int, *Error) {
	at := i
	var name element
	i, err := s.name(i, &name)
	if err != nil {
		return 0, err
	}
	i = s.skipSpace(i)
	if i < len(s.data) && s.data[i] != '=' {
		return 0, s.fail(Syntax, i, "an attribute without a value")
	}
	i = s.skipSpace(i + 1)
	if i >= len(s.data) {
		return 0, s.cut()
	}
	value, i, err := s.value(i)
	if err != nil {
		return 0, err
	}
	switch {
	case len(name.prefix) == 0 && string(name.local) == "xmlns":
		return i, s.bind(at, nil, value)
	case string(name.prefix) == "xmlns":
		return i, s.bind(at, name.local, value)
	}
	if len(s.attrs) == MaxAttributes {
		return 0, s.fail(Limit, at, "an element has too many attributes")
	}
	s.marks |= Attribute
	s.attrs = append(s.attrs, Attr{
		Local: name.local, Start: i - 1 - len(value.raw), End: i - 1,
		prefix: name.prefix, value: value, at: at,
	})
	return i, nil
}

// value reads a value with its quotes and returns where it ends.
func (s *Scanner) value(i int) (textPiece, int, *Error) {
	mark := s.data[i]
	if class[mark]&quote == 0 {
		return textPiece{}, 0, s.fail(Syntax, i, "a value is not in quotes")
	}
	i++
	piece := textPiece{attribute: true}
	start := i
	for i < len(s.data) {
		c := s.data[i]
		if class[c]&(textStop|quote|space) == 0 {
			i++
			continue
		}
		switch c {
		case mark:
			piece.raw = s.data[start:i]
			return piece, i + 1, nil
		case '<':
			return piece, 0, s.fail(Syntax, i, "a tag within a value")
		}
		next, err := s.special(i, &piece)
		if err != nil {
			return piece, 0, err
		}
		i = next
	}
	return piece, 0, s.cut()
}
