package xmlscan

import (
	"bytes"
	"strings"
)

// comment passes over a comment.
func (s *Scanner) comment() *Error {
	from := s.pos + len("<!--")
	length := bytes.Index(s.data[from:], []byte("--"))
	if length < 0 || from+length+2 == len(s.data) {
		return s.cut()
	}
	end := from + length
	if s.data[end+2] != '>' {
		return s.fail(Syntax, end, "two hyphens within a comment")
	}
	s.pos = end + len("-->")
	s.marks |= Comment
	return s.characters(from, end)
}

// instruction passes over a processing instruction.
func (s *Scanner) instruction() *Error {
	var target element
	from, err := s.name(s.pos+len("<?"), &target)
	if err != nil {
		return err
	}
	if strings.EqualFold(string(target.raw), "xml") || target.prefix != nil {
		return s.fail(Syntax, s.pos, "an XML declaration that is not at the beginning")
	}
	length := bytes.Index(s.data[from:], []byte("?>"))
	if length < 0 {
		return s.cut()
	}
	if length > 0 && class[s.data[from]]&space == 0 {
		return s.fail(Syntax, from, "white space is expected")
	}
	s.pos = from + length + len("?>")
	s.marks |= Instruction
	return s.characters(from, from+length)
}

// declaration reads the XML declaration, if there is one. Its encoding was looked at before the
// document was decoded, and any is accepted here.
func (s *Scanner) declaration() *Error {
	rest := s.data[s.pos:]
	const begin = "<?xml"
	if !bytes.HasPrefix(rest, []byte(begin)) || len(rest) == len(begin) || class[rest[len(begin)]]&space == 0 {
		return nil
	}
	end := bytes.Index(rest, []byte("?>"))
	if end < 0 {
		return s.cut()
	}
	d, ok := readDeclaration(rest[len(begin):end])
	if !ok || d.version != "1.0" {
		return s.fail(Syntax, s.pos, "an XML declaration that is not one of XML 1.0")
	}
	s.pos += end + len("?>")
	if d.encoding != "" && !strings.EqualFold(d.encoding, "utf-8") {
		s.marks |= Declared
	}
	return nil
}

// declaration has the pseudo-attributes of an XML declaration.
type declaration struct{ version, encoding, standalone string }

// readDeclaration reads what stands between "<?xml" and "?>".
func readDeclaration(text []byte) (d declaration, ok bool) {
	seen := 0 // of version, encoding and standalone, which stand in this order
	for {
		trimmed := bytes.TrimLeft(text, " \t\r\n")
		if len(trimmed) == 0 {
			return d, seen > 0
		}
		if len(trimmed) == len(text) {
			return d, false // no white space before it
		}
		name, rest, found := bytes.Cut(trimmed, []byte("="))
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if !found || len(rest) < 2 || rest[0] != '"' && rest[0] != '\'' {
			return d, false
		}
		value, after, found := bytes.Cut(rest[1:], rest[:1])
		if !found {
			return d, false
		}
		text = after
		switch string(bytes.TrimRight(name, " \t\r\n")) {
		case "version":
			d.version, ok = string(value), seen == 0
			seen = 1
		case "encoding":
			d.encoding, ok = string(value), seen == 1 && ncName(value, 0) == len(value)
			seen = 2
		case "standalone":
			d.standalone, ok = string(value), (seen == 1 || seen == 2) && (string(value) == "yes" || string(value) == "no")
			seen = 3
		default:
			ok = false
		}
		if !ok {
			return d, false
		}
	}
}
