package validatetest

import (
	"bytes"
	"embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// Valid holds a valid request of each kind, as valid/<name>.json: its operation and its body.
//
//go:embed valid/*.json
var Valid embed.FS

// Node is a JSON value whose numbers keep their digits: map[string]Node, []Node or
// jsontext.Value.
type Node any

// readNode reads one value.
func readNode(t testing.TB, dec *jsontext.Decoder) Node {
	t.Helper()
	kind := dec.PeekKind()
	if kind != '{' && kind != '[' {
		value, err := dec.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		return value.Clone()
	}
	mustRead := func() jsontext.Token {
		token, err := dec.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	mustRead()
	defer mustRead()
	if kind == '[' {
		list := []Node{}
		for dec.PeekKind() != ']' {
			list = append(list, readNode(t, dec))
		}
		return list
	}
	object := map[string]Node{}
	for dec.PeekKind() != '}' {
		name := mustRead().String()
		object[name] = readNode(t, dec)
	}
	return object
}

// NodeOf reads a text that is one value.
func NodeOf(t testing.TB, text string) Node {
	t.Helper()
	return readNode(t, jsontext.NewDecoder(strings.NewReader(text)))
}

// WriteNode writes a value, the members of objects by their names.
func WriteNode(out *bytes.Buffer, n Node) {
	switch n := n.(type) {
	case map[string]Node:
		out.WriteByte('{')
		for i, name := range slices.Sorted(maps.Keys(n)) {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(strconv.Quote(name) + ":")
			WriteNode(out, n[name])
		}
		out.WriteByte('}')
	case []Node:
		out.WriteByte('[')
		for i, item := range n {
			if i > 0 {
				out.WriteByte(',')
			}
			WriteNode(out, item)
		}
		out.WriteByte(']')
	case jsontext.Value:
		out.Write(n)
	}
}

// Changed returns a valid request with changes: the operation and the
// body.
//
//	ImpTotal=121.02                member of the first invoice; the value is JSON
//	Iva/AlicIva/0/Importe=21.02    a member further inside
//	1:ImpTotal=5                   member of the invoice at position 1
//	#PtoVta=0                      member of the header
//	/PtoVta=0                      JSON Pointer from the top
//	-Iva  -1:Iva  -#…  -/…         takes a member away
//	Opcionales/Opcional*3          the items of a list three times over
//	x3                             three copies of the first invoice, in sequence
//
// A space within a text is written \u0020. Changes are made in their order.
func Changed(t testing.TB, where, template string, changes []string) (operation string, body []byte) {
	t.Helper()
	text, err := Valid.ReadFile("valid/" + template + ".json")
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	file := NodeOf(t, string(text)).(map[string]Node)
	if err := jsontextUnquote(file["operation"], &operation); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	r := &requestNode{t: t, where: where, root: file["request"].(map[string]Node)}
	for _, change := range changes {
		r.change(change)
	}
	var out bytes.Buffer
	WriteNode(&out, r.root)
	return operation, out.Bytes()
}

func jsontextUnquote(n Node, to *string) error {
	text, err := jsontext.AppendUnquote(nil, []byte(n.(jsontext.Value)))
	*to = string(text)
	return err
}

// requestNode is a request that is being changed.
type requestNode struct {
	t     testing.TB
	where string
	root  map[string]Node
}

// lot returns the two objects of an issuing request.
func (r *requestNode) lot() (header, details map[string]Node, list string) {
	r.t.Helper()
	for name, list := range map[string]string{"FeCAEReq": "FECAEDetRequest", "FeCAEARegInfReq": "FECAEADetRequest"} {
		if lot, ok := r.root[name].(map[string]Node); ok {
			return lot["FeCabReq"].(map[string]Node), lot["FeDetReq"].(map[string]Node), list
		}
	}
	r.t.Fatalf("%s: the request has no lot", r.where)
	return nil, nil, ""
}

func (r *requestNode) change(change string) {
	r.t.Helper()
	if n, err := strconv.Atoi(strings.TrimPrefix(change, "x")); err == nil && change[0] == 'x' {
		r.copies(n)
		return
	}
	path, value, set := strings.Cut(change, "=")
	path, remove := strings.CutPrefix(path, "-")
	path, times, repeat := strings.Cut(path, "*")
	if set == remove && !repeat {
		r.t.Fatalf("%s: %q is no change", r.where, change)
	}
	var at Node
	switch path[0] {
	case '/':
		at, path = r.root, path[1:]
	case '#':
		header, _, _ := r.lot()
		at, path = header, path[1:]
	default:
		_, details, list := r.lot()
		position := 0
		if before, after, ok := strings.Cut(path, ":"); ok {
			position, _ = strconv.Atoi(before)
			path = after
		}
		at = details[list].([]Node)[position]
	}
	steps := strings.Split(path, "/")
	for _, step := range steps[:len(steps)-1] {
		at = r.step(at, step)
	}
	last := steps[len(steps)-1]
	if repeat {
		n, _ := strconv.Atoi(times)
		at.(map[string]Node)[last] = slices.Repeat(r.step(at, last).([]Node), n)
		return
	}
	r.set(at, last, value, remove)
}

func (r *requestNode) step(at Node, step string) Node {
	r.t.Helper()
	switch at := at.(type) {
	case map[string]Node:
		if next, ok := at[step]; ok {
			return next
		}
	case []Node:
		if i, err := strconv.Atoi(step); err == nil && i < len(at) {
			return at[i]
		}
	}
	r.t.Fatalf("%s: there is no %s", r.where, step)
	return nil
}

func (r *requestNode) set(at Node, last, value string, remove bool) {
	r.t.Helper()
	switch at := at.(type) {
	case map[string]Node:
		if remove {
			delete(at, last)
			return
		}
		at[last] = NodeOf(r.t, value)
	case []Node:
		i, err := strconv.Atoi(last)
		if err != nil || i >= len(at) || remove {
			r.t.Fatalf("%s: %s cannot be changed", r.where, last)
		}
		at[i] = NodeOf(r.t, value)
	default:
		r.t.Fatalf("%s: %s is within no object", r.where, last)
	}
}

// copies makes a lot of n invoices out of the first, with consecutive numbers.
func (r *requestNode) copies(n int) {
	r.t.Helper()
	header, details, list := r.lot()
	var text bytes.Buffer
	WriteNode(&text, details[list].([]Node)[0])
	all := make([]Node, n)
	for i := range all {
		invoice := NodeOf(r.t, text.String()).(map[string]Node)
		first, _ := strconv.Atoi(string(invoice["CbteDesde"].(jsontext.Value)))
		number := jsontext.Value(strconv.Itoa(first + i))
		invoice["CbteDesde"], invoice["CbteHasta"] = number, number
		all[i] = invoice
	}
	details[list], header["CantReg"] = all, jsontext.Value(strconv.Itoa(n))
}
