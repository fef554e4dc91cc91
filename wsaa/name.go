package wsaa

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"slices"
	"strings"
)

// keywords are the attributes of names that have a keyword, as Java writes it.
var keywords = map[string]string{
	"2.5.4.3": "CN", "2.5.4.4": "SURNAME", "2.5.4.5": "SERIALNUMBER", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST",
	"2.5.4.9": "STREET", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.12": "T", "2.5.4.42": "GIVENNAME", "2.5.4.43": "INITIALS",
	"2.5.4.44": "GENERATION", "2.5.4.46": "DNQUALIFIER", "0.9.2342.19200300.100.1.25": "DC",
	"0.9.2342.19200300.100.1.1": "UID", "1.2.840.113549.1.9.1": "EMAILADDRESS",
}

// javaName returns a distinguished name as the service writes it: the last part first, separated
// by a comma and a blank, with keywords in capitals.
func javaName(der []byte) (string, error) {
	parts, err := nameParts(der)
	if err != nil {
		return "", err
	}
	slices.Reverse(parts)
	var texts []string
	for _, part := range parts {
		var inner []string
		for _, a := range part {
			inner = append(inner, a.keyword+"="+quoted(a.value))
		}
		texts = append(texts, strings.Join(inner, " + "))
	}
	return strings.Join(texts, ", "), nil
}

// nameAttribute is one attribute of a name, with its keyword or its OID.
type nameAttribute struct{ keyword, value string }

// nameParts returns the parts of a name in DER.
func nameParts(der []byte) (parts [][]nameAttribute, err error) {
	var name pkix.RDNSequence
	if rest, err := asn1.Unmarshal(der, &name); err != nil || len(rest) > 0 {
		return nil, fmt.Errorf("the name of the certificate cannot be read: %w", err)
	}
	for _, set := range name {
		var part []nameAttribute
		for _, a := range set {
			keyword, ok := keywords[a.Type.String()]
			if !ok {
				keyword = "OID." + a.Type.String()
			}
			part = append(part, nameAttribute{keyword, fmt.Sprint(a.Value)})
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// quoted returns a value as it stands in a name.
func quoted(value string) string {
	if !strings.ContainsAny(value, ",+=\n<>#;\\\"") && strings.TrimSpace(value) == value {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// sameName reports whether a name in a client's text has the attributes of another, in any order
// and case.
func sameName(text string, attributes []nameAttribute) bool {
	var own []string
	for _, a := range attributes {
		own = append(own, strings.ToLower(a.keyword+"="+strings.Join(strings.Fields(a.value), " ")))
	}
	slices.Sort(own)
	return slices.Equal(own, readName(text))
}

// readName returns the attributes of a name in text, in lower case and sorted.
func readName(text string) (attributes []string) {
	for _, piece := range splitName(text) {
		keyword, value, _ := strings.Cut(piece, "=")
		value = strings.TrimSpace(value)
		if inner, ok := strings.CutPrefix(value, `"`); ok {
			value = strings.TrimSuffix(inner, `"`)
		}
		value = strings.Join(strings.Fields(unescaped(value)), " ")
		attributes = append(attributes, strings.ToLower(strings.TrimSpace(keyword)+"="+value))
	}
	slices.Sort(attributes)
	return attributes
}

// splitName splits a name at its commas and plus signs, but those that are quoted or escaped.
func splitName(text string) (pieces []string) {
	begin, inQuotes := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			inQuotes = !inQuotes
		case !inQuotes && (c == ',' || c == '+' || c == ';'):
			pieces = append(pieces, text[begin:i])
			begin = i + 1
		}
	}
	return append(pieces, text[begin:])
}

// unescaped removes the backslashes before characters.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
