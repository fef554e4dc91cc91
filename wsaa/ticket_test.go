package wsaa_test

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

// The ticket of most tests lives for twelve hours and a minute, as the authority's do.
var (
	ticketBorn = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	ticketDies = ticketBorn.Add(43_260 * time.Second)
)

const ticketHolder wsfev1.CUIT = 20111111112

// ssoDocument returns a document in the authority's own form.
func ssoDocument(service string, born, dies time.Time, relations ...wsfev1.CUIT) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<sso version="2.0">
    <id src="CN=wsaahomo, O=AFIP, C=AR, SERIALNUMBER=CUIT 33693450239" dst="CN=wsfe, O=AFIP, C=AR" unique_id="1234567890" gen_time="%d" exp_time="%d"/>
    <operation type="login" value="granted">
        <login entity="33693450239" service="%s" uid="SERIALNUMBER=CUIT 20111111112, CN=fielato" authmethod="cms" regmethod="22">
            <relations>
`, born.Unix(), dies.Unix(), service)
	for _, r := range relations {
		fmt.Fprintf(&b, "                <relation key=\"%s\" reltype=\"4\"/>\n", r)
	}
	b.WriteString("            </relations>\n        </login>\n    </operation>\n</sso>\n")
	return b.String()
}

func tokenOf(document string) wsfev1.Secret {
	return wsfev1.Secret(base64.StdEncoding.EncodeToString([]byte(document)))
}

func goodDocument() string {
	return ssoDocument(wsaa.TicketService, ticketBorn, ticketDies, ticketHolder)
}

func TestATicketTellsWhatItSays(t *testing.T) {
	relations := []wsfev1.CUIT{ticketHolder, 30333333313, 27000000006}
	got, ok := wsaa.ReadTicket(tokenOf(ssoDocument("wsfe", ticketBorn, ticketDies, relations...)))
	want := &wsaa.Ticket{
		Generation: ticketBorn, Expiration: ticketDies, Service: "wsfe",
		Destination: "CN=wsfe, O=AFIP, C=AR", Relations: relations,
	}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, %v\nwant %+v", got, ok, want)
	}
}

func TestATicketIsReadInEveryFormOfBase64AndXML(t *testing.T) {
	whole := goodDocument()
	text := base64.StdEncoding.EncodeToString([]byte(whole))
	_, bare, _ := strings.Cut(whole, "?>")
	for name, token := range map[string]string{
		"without padding":     strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(whole+" ")), "="),
		"with padding":        base64.StdEncoding.EncodeToString([]byte(whole + " ")),
		"lines of 64":         text[:64] + "\r\n" + text[64:128] + "\n" + text[128:],
		"indented":            "\n\t  " + text[:100] + "\n\t  " + text[100:] + "\n",
		"without declaration": string(tokenOf(bare)),
		"on one line":         string(tokenOf(strings.ReplaceAll(whole, "\n", ""))),
		"other quotes":        string(tokenOf(strings.ReplaceAll(whole, `"`, `'`))),
		"other order":         string(tokenOf(strings.Replace(whole, `<id src="`, `<id gen="1" src="`, 1))),
		"with comments":       string(tokenOf("<!--a-->" + bare + "<!--b-->")),
		"with more elements":  string(tokenOf(strings.Replace(whole, "<relations>", "<note><login service='x'/></note><relations>", 1))),
		"character reference": string(tokenOf(strings.Replace(whole, `service="wsfe"`, `service="&#119;sfe"`, 1))),
		"of two namespaces":   string(tokenOf(strings.NewReplacer("<sso", `<sso xmlns:x="urn:x"`, "<id", `<x:id gen_time="1"/><id x:dst="a" x:gen_time="2"`).Replace(whole))),
	} {
		ticket, ok := wsaa.ReadTicket(wsfev1.Secret(token))
		if !ok {
			t.Errorf("%s: not readable", name)
			continue
		}
		if got := ticket.Refusal(ticketHolder, ticketBorn); got != "" {
			t.Errorf("%s: refused: %s", name, got)
		}
	}
}

func TestWhatIsNoTicketIsNotJudged(t *testing.T) {
	whole := goodDocument()
	swap := func(old, instead string) wsfev1.Secret {
		if !strings.Contains(whole, old) {
			t.Fatalf("the document has no %s", old)
		}
		return tokenOf(strings.Replace(whole, old, instead, 1))
	}
	login := whole[strings.Index(whole, "<login"):strings.Index(whole, "</operation>")]
	_, bare, _ := strings.Cut(whole, "?>")
	deep := strings.Repeat("<a>", 100_000) + strings.Repeat("</a>", 100_000)
	laughs := `<!DOCTYPE sso [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>`
	for name, token := range map[string]wsfev1.Secret{
		"nothing":               "",
		"random text":           "token",
		"not base64":            "!!!" + tokenOf(whole),
		"padding within":        tokenOf("a") + tokenOf(whole),
		"only padding":          "====",
		"text":                  tokenOf("hello"),
		"text before":           tokenOf("x" + whole),
		"text after":            tokenOf(whole + "x"),
		"JSON":                  tokenOf(`{"sso":{}}`),
		"bytes":                 tokenOf("\x00\xff\xfe"),
		"another root":          tokenOf("<ticket>" + whole[strings.Index(whole, "<id"):strings.Index(whole, "</sso>")] + "</ticket>"),
		"a root around it":      tokenOf("<a>" + bare + "</a>"),
		"two roots":             tokenOf(whole + "<sso/>"),
		"an empty sso":          tokenOf("<sso/>"),
		"cut":                   tokenOf(whole[:len(whole)-5]),
		"badly nested":          swap("</login>", "</logout>"),
		"no id":                 swap("<id ", "<ids "),
		"two ids":               swap("<operation", `<id gen_time="1" exp_time="2"/><operation`),
		"no birth":              swap("gen_time", "gentime"),
		"no death":              swap("exp_time", "exptime"),
		"two deaths":            swap("exp_time", `exp_time="9999999999" exp_time`),
		"two destinations":      swap("dst=", `dst="a" dst=`),
		"birth as a date":       swap(fmt.Sprint(ticketBorn.Unix()), "2026-11-20T12:00:00"),
		"birth before 1970":     swap(fmt.Sprint(ticketBorn.Unix()), "-1"),
		"death after 9999":      swap(fmt.Sprint(ticketDies.Unix()), "253402300800"),
		"death beyond all":      swap(fmt.Sprint(ticketDies.Unix()), "99999999999999999999999"),
		"no login":              tokenOf(strings.NewReplacer("<login", "<logins", "</login", "</logins").Replace(whole)),
		"no service":            swap(`service="wsfe"`, ""),
		"two services":          swap(`service="wsfe"`, `service="wsfe" service="x"`),
		"two logins":            tokenOf(strings.Replace(whole, login, login+login, 1)),
		"key is no number":      swap(`key="20111111112"`, `key="20-11111111-2"`),
		"key is too long":       swap(`key="20111111112"`, `key="99999999999999999999"`),
		"two keys":              swap("key=", `key="1" key=`),
		"no key":                swap(`key=`, `kee=`),
		"a namespace":           swap("<sso", `<sso xmlns="urn:x"`),
		"a document type":       swap("<sso", "<!DOCTYPE sso><sso"),
		"entities":              tokenOf(laughs + strings.Replace(bare, "CN=wsfe", "&b;", 1)),
		"an entity from afar":   tokenOf(`<!DOCTYPE sso [<!ENTITY x SYSTEM "file:///etc/passwd">]>` + bare),
		"an unknown entity":     swap("CN=wsfe", "&wsfe;"),
		"another character set": swap("UTF-8", "ISO-8859-1"),
		"an instruction":        swap("<operation", "<?php x?><operation"),
		"nested without end":    tokenOf(strings.Replace(whole, "<operation", deep+"<operation", 1)),
		"more than a mebibyte":  tokenOf(whole + strings.Repeat(" ", 1<<20)),
	} {
		if ticket, ok := wsaa.ReadTicket(token); ok || ticket != nil {
			t.Errorf("%s: reads as %+v", name, ticket)
		}
	}
}

func TestATicketActsForTenThousandAndNoMore(t *testing.T) {
	many := make([]wsfev1.CUIT, 10_001)
	for i := range many {
		many[i] = 20_000_000_000 + wsfev1.CUIT(i)
	}
	ticket, ok := wsaa.ReadTicket(tokenOf(ssoDocument("wsfe", ticketBorn, ticketDies, many[:10_000]...)))
	if !ok {
		t.Fatal("10,000 relations are not read")
	}
	for _, cuit := range []wsfev1.CUIT{many[0], many[5_000], many[9_999]} {
		if got := ticket.Refusal(cuit, ticketBorn); got != "" {
			t.Errorf("%s: %s", cuit, got)
		}
	}
	if got := ticket.Refusal(many[10_000], ticketBorn); got == "" {
		t.Error("a CUIT that is not among 10,000 is not refused")
	}
	crowded := strings.ReplaceAll(ssoDocument("wsfe", ticketBorn, ticketDies, many...), "                ", "")
	if _, ok := wsaa.ReadTicket(tokenOf(crowded)); ok {
		t.Error("10,001 relations are read")
	}
}

// FuzzReadTicket reads hostile documents and hostile base64: whatever is read is
// within its bounds, reads the same in other base64, and is spoken of in plain text.
func FuzzReadTicket(f *testing.F) {
	whole := goodDocument()
	for _, document := range []string{
		"", "<sso/>", whole, whole[:len(whole)/2], strings.Replace(whole, "<sso", "<!DOCTYPE a [<!ENTITY b 'c'>]><sso", 1),
		`<sso><id gen_time="0" exp_time="253402300799"/><operation><login service="&#x202e;&#10;"/></operation></sso>`,
		`<sso><id gen_time="1" exp_time="1"/><operation><login service="wsfe"><relations><relation key="1"/></relations></login></operation></sso>`,
	} {
		f.Add(document, true)
		f.Add(document, false)
	}
	f.Add(string(tokenOf(whole)), false)
	f.Fuzz(func(t *testing.T, text string, encode bool) {
		token := wsfev1.Secret(text)
		if encode {
			token = tokenOf(text)
		}
		ticket, ok := wsaa.ReadTicket(token)
		if ok != (ticket != nil) {
			t.Fatalf("%v, yet %+v", ok, ticket)
		}
		if encode {
			broken := wsfev1.Secret("\n " + strings.TrimRight(token.Reveal(), "=") + "\r\n")
			if again, _ := wsaa.ReadTicket(broken); !reflect.DeepEqual(again, ticket) {
				t.Fatalf("reads as %+v, and in other base64 as %+v", ticket, again)
			}
		}
		if !ok {
			return
		}
		if ticket.Generation.Unix() < 0 || ticket.Expiration.Year() > 9999 || len(ticket.Relations) > 10_000 {
			t.Fatalf("out of bounds: %+v", ticket)
		}
		for _, now := range []time.Time{ticket.Generation, ticket.Expiration, ticketBorn} {
			msg := ticket.Refusal(ticketHolder, now)
			if len(msg) > 600 || !utf8.ValidString(msg) || strings.ContainsFunc(msg, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("the text is not plain: %q", msg)
			}
		}
	})
}

func BenchmarkReadTicket(b *testing.B) {
	for _, n := range []int{1, 100, 1_000, 10_000} {
		relations := make([]wsfev1.CUIT, n)
		for i := range relations {
			relations[i] = 20_000_000_000 + wsfev1.CUIT(i)
		}
		token := tokenOf(ssoDocument("wsfe", ticketBorn, ticketDies, relations...))
		b.Run(fmt.Sprintf("relations/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(token)))
			for b.Loop() {
				if _, ok := wsaa.ReadTicket(token); !ok {
					b.Fatal("not readable")
				}
			}
		})
	}
	b.Run("opaque", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := wsaa.ReadTicket("dG9rZW4="); ok {
				b.Fatal("readable")
			}
		}
	})
}
