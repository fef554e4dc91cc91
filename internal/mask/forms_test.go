package mask_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"mime"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/xmlscan"
)

// each writes every byte of a text by a format.
func each(format string) func(string) string {
	return func(text string) string {
		var b strings.Builder
		for i := range len(text) {
			fmt.Fprintf(&b, format, text[i])
		}
		return b.String()
	}
}

// wide returns a text in UTF-16.
func wide(order binary.AppendByteOrder) func(string) string {
	return func(text string) string {
		var out []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, unit)
		}
		return string(out)
	}
}

// fullWidth writes letters as wide as Chinese ones.
func fullWidth(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return r
		}
		return r - '!' + '！'
	}, text)
}

// wordDump writes a text as xxd does, with four digits at a time.
func wordDump(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); at += 16 {
		line := text[at:min(at+16, len(text))]
		fmt.Fprintf(&b, "%08x: %s %s\n", at, folded(hex.EncodeToString([]byte(line)), 4, " "), line)
	}
	return b.String()
}

// folded breaks a text into lines.
func folded(text string, width int, between string) string {
	var b strings.Builder
	for ; len(text) > width; text = text[width:] {
		b.WriteString(text[:width] + between)
	}
	return b.String() + text
}

// forms are the ways in which programs write one text within another.
var forms = map[string]func(string) string{
	"plain":                  func(s string) string { return s },
	"small":                  strings.ToLower,
	"large":                  strings.ToUpper,
	"with blanks":            func(s string) string { return folded(s, 4, " ") },
	"in lines":               func(s string) string { return folded(s, 64, "\r\n") },
	"with tags":              func(s string) string { return folded(s, 20, "<>") },
	"of the other alphabet":  strings.NewReplacer("+", "-", "/", "_", "=", "").Replace,
	"query":                  url.QueryEscape,
	"percent":                each("%%%02x"),
	"percent u":              each("%%u%04X"),
	"pointer":                strings.NewReplacer("~", "~0", "/", "~1").Replace,
	"JSON":                   each(`\u%04x`),
	"JSON, slashes":          strings.NewReplacer("/", `\/`, "+", `\u002b`, "=", `\u003D`).Replace,
	"backslash x":            each(`\x%02X`),
	"backslash U":            each(`\U%08x`),
	"backslash u, braces":    each(`\u{%x}`),
	"octal":                  each(`\%03o`),
	"decimal entities":       each("&#%d;"),
	"decimal, no semicolon":  func(s string) string { return each("&#%d")(s) + " " },
	"decimal, zeros":         each("&#%07d;"),
	"hexadecimal entities":   each("&#x%x;"),
	"hexadecimal, large":     each("&#X%04X;"),
	"named entities":         strings.NewReplacer("+", "&plus;", "/", "&sol;", "=", "&equals;").Replace,
	"quoted-printable":       func(s string) string { return folded(strings.ReplaceAll(s, "=", "=3D"), 30, "=\r\n") },
	"quoted-printable, all":  each("=%02X"),
	"hexadecimal":            func(s string) string { return hex.EncodeToString([]byte(s)) },
	"hexadecimal, upper":     each("%02X"),
	"hexadecimal, colons":    each("%02x:"),
	"hexadecimal, dashes":    each("%02X-"),
	"hexadecimal, 0x":        each("0x%02x, "),
	"decimals":               each("%d, "),
	"decimals, three digits": each("%03d "),
	"hexadecimal, lines":     func(s string) string { return folded(hex.EncodeToString([]byte(s)), 32, "\n") },
	"base64":                 func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64, one later":      func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte("x" + s)) },
	"base64, two later":      func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("xy" + s)) },
	"base64, three later":    func(s string) string { return base64.URLEncoding.EncodeToString([]byte("¿x" + s)) },
	"base64, behind letters": func(s string) string { return "abc" + base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64, folded":         func(s string) string { return folded(base64.StdEncoding.EncodeToString([]byte(s)), 76, "\r\n") },
	"base64, punctuation":    func(s string) string { return folded(base64.StdEncoding.EncodeToString([]byte(s)), 9, ".") },
	"base64, commas":         func(s string) string { return folded(base64.URLEncoding.EncodeToString([]byte(s)), 11, `","`) },
	"base32":                 func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
	"base32, small":          func(s string) string { return strings.ToLower(base32.StdEncoding.EncodeToString([]byte("x" + s))) },
	"base32, lines":          func(s string) string { return folded(base32.StdEncoding.EncodeToString([]byte("xyz"+s)), 60, "\r\n") },
	"MIME words, base64":     func(s string) string { return mime.BEncoding.Encode("utf-8", "ñ"+s) },
	"MIME words, quoted":     func(s string) string { return mime.QEncoding.Encode("utf-8", "ñ"+s) },
	"code points":            each("U+%04X "),
	"octal numbers":          each("%03o "),
	"octal numbers, 0":       each("0%o, "),
	"hexadecimal, h":         each("%02xh "),
	"hexadecimal, H":         each("0%02XH, "),
	"full width":             fullWidth,
	"UTF-16LE":               wide(binary.LittleEndian),
	"UTF-16BE":               wide(binary.BigEndian),
}

// loses reports whether a form cannot stand around another: it loses letters, or their case.
func loses(form string) bool {
	return form == "small" || form == "large" || form == "with tags" || form == "of the other alphabet"
}

// alone reports whether a form is looked for in no other: its letters are none of ASCII.
func alone(form string) bool { return form == "full width" }

// parts reports whether an outer form puts blanks where they end what an inner one is made of, such as a number of a list.
func parts(outer, inner string) bool {
	return (outer == "with blanks" || outer == "in lines") && slices.ContainsFunc([]string{"decimals", "octal numbers", "hexadecimal, H", "base32"}, func(form string) bool { return strings.Contains(inner, form) })
}

// ticketToken is a Token as the login service makes them, and ticketSign a Sign.
var ticketToken, ticketSign = func() (string, string) {
	random := rand.New(rand.NewPCG(7, 8))
	sign := make([]byte, 128)
	for i := range sign {
		sign[i] = byte(random.Uint32())
	}
	document := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<sso version="2.0"><id src="CN=wsaa, O=EXAMPLE, C=AR" dst="CN=wsfe, O=EXAMPLE, C=AR" unique_id="%d" gen_time="1795000000" exp_time="1795043200"/>`+
		`<operation type="login" value="granted"><login entity="33000000001" service="wsfe" uid="SERIALNUMBER=CUIT 20111111112, CN=example" authmethod="cms" regmethod="22"/></operation></sso>`, random.Uint32())
	return base64.StdEncoding.EncodeToString([]byte(document)), base64.StdEncoding.EncodeToString(sign)
}()

// places are where a service may quote something.
var places = []string{"$", "no vale: $", "token=$&sign=x", `{"Token":"$"}`, "<Token>$</Token>", "…$…", "Token: $\r\nHost: x", "ñ$ñ", "($)"}

// TestACredentialIsFoundInAnyForm, alone and in any other. Each pair of forms has one of the texts, and each form all
// of them.
func TestACredentialIsFoundInAnyForm(t *testing.T) {
	document, err := base64.StdEncoding.DecodeString(ticketToken)
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{ticketToken, ticketSign, ticketSign[:40], ticketToken[len(ticketToken)-44:], string(document)}
	credentials := redactor().Credentials(ticketToken, ticketSign)
	names := slices.Sorted(maps.Keys(forms))
	for i, outer := range names {
		for j, inner := range names {
			if loses(outer) && inner != "plain" || alone(inner) && outer != "plain" || parts(outer, inner) {
				continue
			}
			for k := range testrun.Whole(t, 1, len(secrets)) {
				secret := secrets[(i+j+k)%len(secrets)]
				if secret == string(document) && (inner == "of the other alphabet" || outer == "of the other alphabet" || strings.HasPrefix(inner, "MIME") && outer == "query") {
					continue // it is none in base64; blanks are pluses
				}
				text := strings.ReplaceAll("no vale: $ para esto", "$", forms[outer](forms[inner](secret)))
				if !credentials.In(text) {
					t.Errorf("%s in %s is not found in %q", inner, outer, text)
				}
			}
		}
	}
}

// TestACredentialIsFoundInADump, by the column of its letters.
func TestACredentialIsFoundInADump(t *testing.T) {
	credentials := redactor().Credentials(ticketToken, ticketSign)
	for _, secret := range []string{ticketToken, ticketSign, ticketSign[:40]} {
		for _, dump := range []string{hex.Dump([]byte(secret)), wordDump(secret)} {
			if !credentials.In(dump) {
				t.Errorf("%q", dump)
			}
		}
	}
}

// TestNothingElseIsTakenForACredential: what services, gateways and clients write.
func TestNothingElseIsTakenForACredential(t *testing.T) {
	credentials := redactor().Credentials(ticketToken, ticketSign, "t", "example-token")
	for _, text := range []string{
		"", "A", "86470000000001", "20261120120000", "application/json; charset=utf-8", "Thu, 20 Nov 2026 12:00:00 GMT", "dial tcp 192.0.2.7:443: connect: connection refused",
		"10063: Factura individual, DocTipo: 80, DocNro 20222222223 no se encuentra registrado en los padrones de ARCA", `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6}}`,
		`<?xml version="1.0" encoding="UTF-8" standalone="yes"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"/>`,
		"SERIALNUMBER=CUIT 20111111112, CN=example", "ValidacionDeToken: No apareció CUIT en lista de relaciones: 20111111112", "a%20b%3D&amp;aacute;\\u00e1=3D", strings.Repeat("Zm9v", 400),
		"el token del ejemplo", hex.EncodeToString(make([]byte, 200)), "hmac-sha256:00112233445566778899aabbccddeeff", ticketToken[:11], "4bf92f3577b34da6a3ce929d0e0e4736",
	} {
		if credentials.In(text) {
			t.Errorf("%q", text)
		}
	}
}

// TestAnyFormsOfAnyCredentialAreHidden: of forms within each other, at any place of an answer, nothing is left.
func TestAnyFormsOfAnyCredentialAreHidden(t *testing.T) {
	var names []string
	for name := range forms {
		names = append(names, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), 33, 600).Draw(t, "credential")
		token := base64.StdEncoding.EncodeToString(raw)
		from := rapid.IntRange(0, len(token)-32).Draw(t, "from")
		part := token[from:]
		if rapid.Bool().Draw(t, "cut") {
			part = part[:rapid.IntRange(32, len(part)).Draw(t, "to")]
		}
		wrapped, trace := part, ""
		for i := range rapid.IntRange(1, 3).Draw(t, "forms") {
			name := rapid.SampledFrom(names).Draw(t, "form")
			if i > 0 && (loses(name) || strings.Contains(trace, "full width")) || parts(name, trace) {
				continue
			}
			wrapped, trace = forms[name](wrapped), trace+" "+name
		}
		if len(wrapped) > 1<<20 {
			t.Skip("longer than an answer")
		}
		text := strings.ReplaceAll(rapid.SampledFrom(places).Draw(t, "place"), "$", wrapped)
		if got := redactor().Text(text, "another one of them", token); !strings.HasPrefix(got, "hmac-sha256:") {
			t.Fatalf("%q of %q in%s stays in %q", part, token, trace, text)
		}
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return // no JSON holds it
		}
		for name, body := range map[string]string{"text": `{"Errors":{"Err":[{"Msg":$}]}}`, "name": `{"a":{$:1}}`, "list": `{"x":[[$]]}`} {
			for _, known := range []bool{true, false} {
				kept, ok := redactor().Mask(nil).Body([]byte(strings.ReplaceAll(body, "$", string(quoted))), known && name == "text", token)
				if ok && strings.Contains(string(kept), string(quoted)) {
					t.Fatalf("%q of %q in%s stays as a %s in %q", part, token, trace, name, kept)
				}
			}
		}
		for name, message := range map[string]string{"text": "<a><Msg>$</Msg></a>", "attribute": `<a b="$"/>`, "comment": "<a><!--$--></a>"} {
			written := string(xmlscan.AppendText(nil, text))
			if name == "comment" {
				written = strings.ReplaceAll(text, "--", "")
			}
			kept, ok := redactor().Mask(nil).XML([]byte(strings.ReplaceAll(message, "$", written)), "utf-8", false, token)
			if ok && strings.Contains(string(kept), written) {
				t.Fatalf("%q of %q in%s stays as a %s in %q", part, token, trace, name, kept)
			}
		}
	})
}

// TestHostileTextTakesLinearTime: twice the text takes about twice as long, and never four times, whatever else the
// machine does. The best of several tries counts.
func TestHostileTextTakesLinearTime(t *testing.T) {
	for name, part := range map[string]string{
		"entities of entities": "&#x26;amp;", "percent": "%25", "deep percent": "25", "backslashes": `\`, "hexadecimal": "41", "of itself": "3431", "base64": "QUFB", "base32": "MFRGGZDF",
		"zeros": "AAAA", "nearly": ticketToken[:11] + "!", "blanks": " a", "NUL": "\x00a", "0x": "0x", "h": "41h ", "equals": "=3D", "braces": `\u{`, "ampersands": "&", "code points": "U+0055", "words": "?= =?a?q?",
		"names": "&CounterClockwiseContourIntegral", "octal": "061 ", "wide": "＆", "punctuation": "QUF.",
	} {
		t.Run(name, func(t *testing.T) {
			short := strings.Repeat(part, 48<<10/len(part))
			if name == "deep percent" {
				short = "%" + short
			}
			best := 0.0
			for range 8 {
				once, twice := took(short), took(short+short)
				if ratio := float64(twice) / float64(once); best == 0 || ratio < best {
					best = ratio
				}
				if best <= 3 {
					return
				}
			}
			t.Errorf("twice the text takes %.1f times as long", best)
		})
	}
}

// took returns how long a text is looked through.
func took(text string) time.Duration {
	credentials := redactor().Credentials(ticketToken, ticketSign)
	credentials.In("what is looked for is prepared now")
	began := time.Now()
	credentials.In(text)
	return time.Since(began)
}
