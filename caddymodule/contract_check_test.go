package caddymodule_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// expected is one member of a line of answerTable.
type expected struct {
	name     string
	optional bool
	// kind is s, n, { or [.
	kind  byte
	inner []expected
}

// parseLine reads a line of answerTable up to its end or to a closing bracket,
// and returns what follows.
func parseLine(t testing.TB, line string) (members []expected, rest string) {
	t.Helper()
	for {
		line = strings.TrimLeft(line, " ")
		if line == "" || line[0] == '}' || line[0] == ']' {
			return members, line
		}
		end := strings.IndexAny(line, ":{[")
		if end < 0 {
			t.Fatalf("the table is wrong at %q", line)
		}
		m := expected{name: strings.TrimSuffix(line[:end], "?"), kind: line[end]}
		m.optional = len(m.name) < end
		line = line[end+1:]
		if m.kind == ':' {
			m.kind, line = line[0], line[1:]
		} else {
			m.inner, line = parseLine(t, line)
			line = line[1:]
		}
		members = append(members, m)
	}
}

func tableOf(t testing.TB, operation string) []expected {
	t.Helper()
	line, known := answerTable[operation]
	if !known {
		t.Fatalf("the table has no line for %s", operation)
	}
	members, _ := parseLine(t, line)
	return members
}

// checkAnswer holds every member of an answer against the operation's line.
func checkAnswer(t testing.TB, operation string, body []byte) {
	t.Helper()
	checkObject(t, operation, body, tableOf(t, operation))
}

func checkObject(t testing.TB, path string, value jsontext.Value, members []expected) {
	t.Helper()
	var object map[string]jsontext.Value
	if err := json.Unmarshal(value, &object); err != nil {
		t.Errorf("%s: not an object: %s", path, value)
		return
	}
	for _, m := range members {
		got, there := object[m.name]
		delete(object, m.name)
		switch {
		case there:
			checkMember(t, path+"/"+m.name, got, m)
		case !m.optional:
			t.Errorf("%s/%s is missing", path, m.name)
		}
	}
	for name := range object {
		t.Errorf("%s/%s is not in the contract", path, name)
	}
}

func checkMember(t testing.TB, path string, value jsontext.Value, m expected) {
	t.Helper()
	if want := map[byte]jsontext.Kind{'s': '"', 'n': '0', '{': '{', '[': '['}[m.kind]; value.Kind() != want {
		t.Errorf("%s: kind %v, want %v", path, value.Kind(), want)
		return
	}
	switch m.kind {
	case '{':
		checkObject(t, path, value, m.inner)
	case '[':
		var items []jsontext.Value
		if err := json.Unmarshal(value, &items); err != nil {
			t.Fatal(err)
		}
		if len(items) == 0 {
			t.Errorf("%s is empty", path)
		}
		for i, item := range items {
			checkObject(t, fmt.Sprintf("%s/%d", path, i), item, m.inner)
		}
	}
}

// canned are the values of a canned answer that the gateway reads.
var canned = map[string]string{
	"CbteFch": `"20261110"`, "CantReg": "1", "Concepto": "1", "DocTipo": "99", "DocNro": "0",
	"Resultado": `"A"`, "CbteDesde": "1", "CbteHasta": "1", "CAE": `"86470000000001"`, "CAEA": `"36470000000001"`,
	"CodAutorizacion": `"86470000000001"`, "Cuit": "20111111112", "PtoVta": "1", "CbteTipo": "6", "Periodo": "202611", "Orden": "2",
}

// fill writes an answer with every member of the operation's line but Errors.
// Blanks and escapes stand where a re-encoding would not put them.
func fill(t testing.TB, operation string) string {
	t.Helper()
	return fillObject(tableOf(t, operation))
}

func fillObject(members []expected) string {
	var parts []string
	for _, m := range members {
		if m.name == "Errors" {
			continue
		}
		var value string
		switch m.kind {
		case '{':
			value = fillObject(m.inner)
		case '[':
			value = "[" + fillObject(m.inner) + "]"
		case 'n':
			value = "7"
		default:
			value = `"Observaci\u00f3n \/ ñ"`
		}
		if given, ok := canned[m.name]; ok && (given[0] == '"') == (m.kind == 's') && (m.kind == 's' || m.kind == 'n') {
			value = given
		}
		parts = append(parts, fmt.Sprintf("%q : %s", m.name, value))
	}
	return "{ " + strings.Join(parts, " ,\t") + " }"
}

// TestContractTableHasEachOperationOnce guards the table itself.
func TestContractTableHasEachOperationOnce(t *testing.T) {
	if len(answerTable) != 22 {
		t.Errorf("%d operations, want the 20 and the 2 extensions", len(answerTable))
	}
	for operation, line := range answerTable {
		members, rest := parseLine(t, line)
		if rest != "" || len(members) == 0 {
			t.Errorf("%s: %d members, rest %q", operation, len(members), rest)
		}
	}
}
