package mask_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// cut cuts a text into pieces of so many bytes.
func cut(text string, size int) (pieces []string) {
	for ; len(text) > size; text = text[size:] {
		pieces = append(pieces, text[:size])
	}
	return append(pieces, text)
}

// listed writes each piece in a form, and commas between them.
func listed(pieces []string, format string) string {
	var b strings.Builder
	for i, piece := range pieces {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.NewReplacer("#", strconv.Itoa(i), "$", piece).Replace(format))
	}
	return b.String()
}

// codes returns the pieces of a list of numbers.
func codes(text string) (pieces []string) {
	for i := range len(text) {
		pieces = append(pieces, strconv.Itoa(int(text[i])))
	}
	return pieces
}

// splits are the ways in which a document has a text in pieces.
var splits = map[string]struct {
	pieces func(string) []string
	format string
	around string
}{
	"bytes of a buffer":     {codes, `$`, `{"type":"Buffer","data":[@]}`},
	"bytes, other numbers":  {codes, `$.0`, `[@]`},
	"bytes as texts":        {codes, `"$"`, `[@]`},
	"bytes by number":       {codes, `"#":$`, `{@}`},
	"bytes and words":       {codes, `{"c":$,"w":"uno"}`, `[@]`},
	"characters":            {func(s string) []string { return cut(s, 1) }, `"$"`, `[@]`},
	"characters, members":   {func(s string) []string { return cut(s, 1) }, `"a#":"$"`, `{@}`},
	"eight letters":         {func(s string) []string { return cut(s, 8) }, `"$"`, `[@]`},
	"eight in objects":      {func(s string) []string { return cut(s, 8) }, `{"Code":1,"Msg":"$"}`, `[@]`},
	"seven and two":         {func(s string) []string { return cut(s, 7) }, `["$"],[[]]`, `[@]`},
	"eleven, members":       {func(s string) []string { return cut(s, 11) }, `"m#":"$"`, `{@}`},
	"names":                 {func(s string) []string { return cut(s, 8) }, `"$":#`, `{@}`},
	"names within":          {func(s string) []string { return cut(s, 6) }, `{"$":null}`, `[@]`},
	"hexadecimal":           {func(s string) []string { return cut(hex.EncodeToString([]byte(s)), 8) }, `"$"`, `[@]`},
	"hexadecimal digits":    {func(s string) []string { return cut(hex.EncodeToString([]byte(s)), 2) }, `"$"`, `[@]`},
	"base64":                {func(s string) []string { return cut(base64.StdEncoding.EncodeToString([]byte(s)), 9) }, `"$"`, `[@]`},
	"percent":               {func(s string) []string { return cut(each("%%%02x")(s), 7) }, `"$"`, `[@]`},
	"escaped":               {func(s string) []string { return cut(s, 1) }, `"\u0020$"`, `[@]`},
	"with a date between":   {func(s string) []string { return cut(s, 8) }, `"$","20261120"`, `[@]`},
	"with a number between": {func(s string) []string { return cut(s, 8) }, `"$",20222222223`, `[@]`},
}

const around = `{"FeCabResp":{"Cuit":20111111112,"Resultado":"A"},"Errors":{"Err":@},"CAE":"86470000000001","Msg":"Aprobado"}`

// TestACredentialInPiecesIsFound, wherever consecutive values or names of a document make it up; what stands
// beside it stays.
func TestACredentialInPiecesIsFound(t *testing.T) {
	for name, split := range splits {
		for which, secret := range map[string]string{"Token": ticketToken, "Sign": ticketSign, "a part": ticketSign[20:60]} {
			pieces := split.pieces(secret)
			body := strings.ReplaceAll(around, "@", strings.ReplaceAll(split.around, "@", listed(pieces, split.format)))
			request := strings.ReplaceAll(body, "Errors", "Auth2")
			for how, kept := range map[string]func() ([]byte, bool){
				"answer":          func() ([]byte, bool) { return redactor().Mask(nil).Body([]byte(body), false, ticketToken, ticketSign) },
				"request":         func() ([]byte, bool) { return redactor().Mask(nil).Malformed([]byte(request), ticketToken, ticketSign) },
				"kept ticket":     func() ([]byte, bool) { return redactor().Credentials(ticketToken, ticketSign).Document([]byte(body)) },
				"known to be one": func() ([]byte, bool) { return redactor().Inspected([]byte(body), ticketToken, ticketSign) },
			} {
				if how == "known to be one" && name != "eight in objects" {
					continue // none of the shapes has it
				}
				got, ok := kept()
				if !ok || !jsontext.Value(got).IsValid() {
					t.Fatalf("%s, %s: %v %s", name, how, ok, got)
				}
				if left := longestLeft(string(got), pieces); left > 2 {
					t.Errorf("%s of %s, %s: %d pieces in a row are kept in %.600s", name, which, how, left, got)
				}
				for _, stays := range []string{`"Cuit":20111111112,"Resultado":"A"`, `"CAE":"86470000000001","Msg":"Aprobado"`} {
					if !strings.Contains(string(got), stays) {
						t.Errorf("%s of %s, %s: %s is gone from %.600s", name, which, how, stays, got)
					}
				}
			}
		}
	}
}

// longestLeft returns how many consecutive pieces a body still has, as texts or numbers.
func longestLeft(body string, pieces []string) (longest int) {
	json := jsontext.NewDecoder(strings.NewReader(body), jsontext.AllowDuplicateNames(true))
	left := map[string]int{}
	for {
		kind, n := json.StackIndex(json.StackDepth())
		token, err := json.ReadToken()
		if err != nil {
			break
		}
		if _, err := strconv.Atoi(token.String()); kind == '{' && n%2 == 0 && err == nil {
			continue // the name is an index
		}
		left[strings.TrimSuffix(strings.TrimSpace(token.String()), ".0")]++
	}
	run := 0
	for _, piece := range pieces {
		if run++; left[piece] == 0 {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// TestACredentialInPiecesOfFindingsIsFound: each finding quotes a name or a value.
func TestACredentialInPiecesOfFindingsIsFound(t *testing.T) {
	pointers, texts := []string{"/FeCAEReq/FeCabReq/PtoVta"}, []string{"4.00"}
	for _, piece := range cut(strings.NewReplacer("+", "", "/", "", "=", "").Replace(ticketSign), 8) {
		pointers, texts = append(pointers, "/Auth/0/"+piece), append(texts, piece)
	}
	var ofPointers, ofTexts []*string
	for i := range pointers {
		ofPointers, ofTexts = append(ofPointers, &pointers[i]), append(ofTexts, &texts[i])
	}
	redactor().Credentials(ticketToken, ticketSign).Together(ofPointers, ofTexts)
	if pointers[0] != "/FeCAEReq/FeCabReq/PtoVta" || texts[0] != "4.00" {
		t.Errorf("%q, %q", pointers[0], texts[0])
	}
	for i := range pointers[2:] { // the last three letters are no part that counts
		if !strings.HasPrefix(pointers[i+1], "/Auth/0/hmac-sha256:") || !strings.HasPrefix(texts[i+1], "hmac-sha256:") {
			t.Errorf("%q, %q are kept", pointers[i+1], texts[i+1])
		}
	}
}

// TestManyPiecesTakeLinearTime.
func TestManyPiecesTakeLinearTime(t *testing.T) {
	for name, part := range map[string]string{
		"of a credential": listed(cut(ticketToken, 1), `"$"`), "nearly": `"` + ticketToken[:6] + `","x","` + ticketToken[6:10] + `"`, "of bytes": listed(codes(ticketSign), "$"),
		"escaped": `"%25","25","41"`, "some": `"` + ticketSign[:40] + `","uno","dos","tres","cuatro","1"`, "names": `{"` + ticketSign[:8] + `":1},{"x":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(part+",", 8<<10/len(part)+1)
			took := func(list string) time.Duration {
				body := []byte(`{"a":[` + list + `1]}`)
				began := time.Now()
				if _, ok := redactor().Body(body, ticketToken, ticketSign); !ok {
					t.Fatal("not kept")
				}
				return time.Since(began)
			}
			best := 0.0
			for range 8 {
				if ratio := float64(took(text+text)) / float64(took(text)); best == 0 || ratio < best {
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

// TestACredentialInPiecesOfAMessageIsFound: in XML.
func TestACredentialInPiecesOfAMessageIsFound(t *testing.T) {
	const message = `<Envelope><Body><FeCabResp><Cuit>20111111112</Cuit><Resultado>A</Resultado></FeCabResp>@<CAE>86470000000001</CAE></Body></Envelope>`
	for name, format := range map[string]string{
		"elements": "<a>$</a>", "items": "<Err><Code>1</Code><Msg>$</Msg></Err>", "with CDATA": "<a><![CDATA[$]]></a>", "comments": "<!--$-->", "names": "<$/>", "attributes": `<a b="$"/>`,
	} {
		for _, size := range []int{1, 7} {
			pieces := cut(strings.NewReplacer("+", "", "/", "", "=", "").Replace(ticketSign), size)
			if name == "names" {
				for i := range pieces {
					pieces[i] = "_" + pieces[i]
				}
			}
			written := strings.ReplaceAll(listed(pieces, format), ",", "")
			for _, request := range []bool{false, true} {
				got, ok := redactor().Mask(nil).XML([]byte(strings.ReplaceAll(message, "@", written)), "utf-8", request, ticketToken, ticketSign)
				if !ok {
					continue // it is not kept at all
				}
				run := 0
				for _, piece := range pieces {
					if run++; !strings.Contains(string(got), strings.ReplaceAll(format, "$", piece)) {
						run = 0
					}
					if run > 2 {
						t.Fatalf("%s of %d letters are kept in %s", name, size, got)
					}
				}
				if !strings.Contains(string(got), "<CAE>86470000000001</CAE>") || !strings.Contains(string(got), "<Resultado>A</Resultado>") {
					t.Errorf("%s of %d letters: too much is gone: %s", name, size, got)
				}
			}
		}
	}
}

// TestACredentialInAnElementOfANumberIsFound.
func TestACredentialInAnElementOfANumberIsFound(t *testing.T) {
	message := "<FeCabReq><PtoVta>" + ticketSign + "</PtoVta></FeCabReq>"
	if kept, ok := redactor().Mask(nil).XML([]byte(message), "utf-8", true, ticketSign); !ok || strings.Contains(string(kept), ticketSign) {
		t.Errorf("%v: %s", ok, kept)
	}
}

// TestAnAnswerWithoutCredentialsStays as it is, whatever its pieces are.
func TestAnAnswerWithoutCredentialsStays(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `{"Id":%d,"Desc":"Factura %c","FchDesde":"20100917","FchHasta":"NULL","Mas":["A",%d]},`, i, 'A'+i%26, i%256)
	}
	body := `{"ResultGet":{"CbteTipo":[` + strings.TrimSuffix(b.String(), ",") + `]}}`
	for _, known := range []bool{true, false} {
		if got, ok := redactor().Mask(nil).Body([]byte(body), known, ticketToken, ticketSign); !ok || string(got) != body {
			t.Errorf("became %.300s", got)
		}
	}
	if got, ok := redactor().Credentials(ticketToken, ticketSign).Document([]byte(body)); !ok || string(got) != body {
		t.Errorf("became %.300s", got)
	}
}

// TestWhatStandsBesideACredentialHidesNoneOfIt: a credential is found in any form, whatever other texts and
// numbers the document has.
func TestWhatStandsBesideACredentialHidesNoneOfIt(t *testing.T) {
	var names []string
	for name := range forms {
		names = append(names, name)
	}
	others := rapid.SampledFrom([]string{`"A"`, `1`, `"20261120"`, `"%41%2541"`, `"&amp;#65;"`, `"deadbeef"`, `"\\u0041\\"`, `"x"`, `"0x"`, `"=41=\r\n"`, `"QUFB"`, `80`, `"A\u0000B"`, `"ñandú"`, `"~1"`, `null`, `{"b":"c"}`})
	rapid.Check(t, func(t *rapid.T) {
		text := "no: " + forms[rapid.SampledFrom(names).Draw(t, "form")](ticketSign[:60]) + " x"
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return // no JSON holds it
		}
		list := rapid.SliceOfN(others, 0, 8).Draw(t, "before")
		list = append(append(list, string(quoted)), rapid.SliceOfN(others, 0, 8).Draw(t, "after")...)
		body := `{"Msg":[` + strings.Join(list, ",") + `]}`
		for _, known := range []bool{true, false} {
			if kept, ok := redactor().Mask(nil).Body([]byte(body), known, ticketToken, ticketSign); !ok || strings.Contains(string(kept), string(quoted)) {
				t.Fatalf("%v: %s", ok, kept)
			}
		}
	})
}
