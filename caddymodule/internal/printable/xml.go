package printable

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// markup indents a message, an element a line, in UTF-8. Behind an element stand the codes of the
// findings about it, and about what it lacks.
type markup struct {
	out  strings.Builder
	scan xmlscan.Scanner
	text []byte
	// about are the findings without a place so far, by the pointers of their elements and of all
	// around these.
	about map[string][]*audit.Finding
	// placed are those that have one.
	placed map[*audit.Finding]bool

	open []markupElement
	// inline: the line has a start tag and perhaps text, but no element after it.
	inline bool
}

// markupElement is an element that is open.
type markupElement struct {
	// pointer is the JSON Pointer of the element's counterpart in JSON. shape is nil for an element without
	// one.
	pointer string
	shape   *wsfev1.Shape
	// items counts the elements of each name within it.
	items map[string]int
}

// IndentXML returns a message of SOAP as people read it. charset comes from its media type, empty for none.
// It reports false if the message is not XML.
func IndentXML(message []byte, charset, operation string, findings []audit.Finding) (string, bool) {
	text, _, err := xmlscan.Decode(message, charset)
	if err != nil {
		return "", false
	}
	m := &markup{text: text, about: map[string][]*audit.Finding{}, placed: map[*audit.Finding]bool{}}
	m.expect(findings)
	m.scan.Reset(text, nil)
	var request *wsfev1.Shape
	op := wsfev1.OperationByName(operation)
	if op != nil {
		request = op.Request
	}
	for {
		at := m.scan.Pos()
		kind, err := m.scan.Next()
		if err != nil {
			return "", false
		}
		m.between(at, m.scan.Offset())
		raw := OneLine(strings.Join(strings.Fields(string(text[m.scan.Offset():m.scan.Pos()])), " "))
		switch kind {
		case xmlscan.EOF:
			m.out.WriteByte('\n')
			return m.out.String(), true
		case xmlscan.Start:
			m.start(raw, request, operation)
		case xmlscan.Text:
			if !m.scan.Blank() {
				m.out.WriteString(raw)
			}
		case xmlscan.End:
			m.end(raw)
		}
	}
}

// expect notes each finding at its element and at all around it.
func (m *markup) expect(findings []audit.Finding) {
	for i := range findings {
		f := &findings[i]
		if !strings.HasPrefix(f.Pointer, "/") || strings.Count(f.Pointer, "/") > xmlscan.MaxDepth {
			continue
		}
		for pointer := f.Pointer; pointer != ""; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
			m.about[pointer] = append(m.about[pointer], f)
		}
		m.about[""] = append(m.about[""], f)
	}
}

// between writes what stands between two tokens: the declaration, comments, instructions.
func (m *markup) between(from, to int) {
	if gap := bytes.TrimSpace(m.text[from:to]); len(gap) > 0 {
		m.newLine()
		m.out.WriteString(OneLine(string(gap)))
	}
}

func (m *markup) newLine() {
	if m.out.Len() > 0 {
		m.out.WriteString("\n" + strings.Repeat("  ", len(m.open)))
	}
	m.inline = false
}

func (m *markup) start(tag string, request *wsfev1.Shape, operation string) {
	m.newLine()
	m.out.WriteString(tag)
	name := string(m.scan.Local())
	e := markupElement{items: map[string]int{}}
	if n := len(m.open); n > 0 {
		e.pointer, e.shape = m.open[n-1].child(name)
	}
	if e.shape == nil && name == operation {
		e.pointer, e.shape = "", request
	}
	m.open = append(m.open, e)
	m.inline = true
}

// child returns the JSON Pointer and the shape of an element within e.
func (e markupElement) child(name string) (string, *wsfev1.Shape) {
	if e.shape == nil {
		return "", nil
	}
	i, ok := e.shape.Member([]byte(name))
	if !ok {
		return "", nil
	}
	pointer, shape := e.pointer+"/"+name, e.shape.Members[i].Shape
	if shape.Kind == wsfev1.KindList {
		pointer, shape = pointer+"/"+strconv.Itoa(e.items[name]), shape.Item
		e.items[name]++
	}
	return pointer, shape
}

func (m *markup) end(tag string) {
	e := m.open[len(m.open)-1]
	m.open = m.open[:len(m.open)-1]
	if tag != "" { // an empty-element tag has no end of its own
		if !m.inline {
			m.newLine()
		}
		m.out.WriteString(tag)
	}
	m.inline = false
	if e.shape == nil {
		return
	}
	for _, f := range m.about[e.pointer] {
		if !m.placed[f] {
			m.placed[f] = true
			m.place(f, strings.TrimPrefix(f.Pointer, e.pointer))
		}
	}
}

// place writes the code of a finding. missing is the way from the element to the one that it is
// about, which is absent.
func (m *markup) place(f *audit.Finding, missing string) {
	m.out.WriteString("  <!-- " + OneLine(f.Code) + " " + OneLine(f.Action))
	if missing != "" {
		m.out.WriteString(" " + OneLine(missing))
	}
	m.out.WriteString(" -->")
}
