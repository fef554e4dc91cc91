package mask_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
)

// crumbs are put into messages.
var crumbs = []string{
	"<", ">", "/", " ", "\n", "\r", "\t", "]]>", "&amp;", "&#65;", "<!---->", "<!-- nota -->", "<?p x?>", "<![CDATA[1]]>", "\ufeff", "\uffff", "\x01", "\xff", "ñ", "\u00a0", "\"", "'", ":", "s:", "=",
	` xmlns:a="urn:a"`, ` xmlns='urn:a'`, ` xmlns=""`, ` xmlns:s="urn:b"`, ` xmlns:xml="urn:c"`, ` xmlns:a="http://www.w3.org/2000/xmlns/"`, ` Token="x"`, ` nil="true"`, ` xmlns:a="` + ticketToken[:40] + `"`,
	` xmlns:` + ticketSign[:20] + `="urn:a"`, "a:", "1", "PES", ticketSign[:6], ticketSign[:30], ticketToken, "<Token>" + ticketToken + "</Token>", "<Token>otro</Token>", "<Sign/>", "<Cuit>20-11111111-2</Cuit>",
	"<Cuit>" + strings.Repeat("7", 30) + "</Cuit>", "<Auth>", "</Auth>", "<Auth/>", "<s:Header/>", "<s:Header></s:Header>", "<s:Header>1</s:Header>", "<Otro/>", "<Msg>", "</Msg>", "<Obs>", "</Obs>", "<Token>", "</Token>",
	"<Body>", "</Body>", "<Code>80</Code><Code>68</Code><Code>57</Code>",
	"<Token>" + leakToken + "</Token><Msg>" + leakToken + "</Msg>", "<s:Header><Msg>otro</Msg></s:Header>", "<Sign><Msg>1</Msg></Sign>", "<Auth><Cuit>" + strings.Repeat("7", 30) + "</Cuit></Auth>", "<Auth>otro</Auth>",
	"<Code>", "</Code>", "</s:Body>", "<s:Body>", "<a:Msg xmlns:a='urn:a'>1</a:Msg>", "<a:Msg>1</a:Msg>",
	"<Obs xmlns:b='urn:b'></Obs><b:Msg>1</b:Msg>", ` xmlns="urn:a" xmlns="urn:b"`, ` xmlns:` + strings.Repeat("n", 40) + `="urn:a"`, ` xmlns:b="` + strings.Repeat("QUJD", 10) + `"`,
}

// TestAPlainMessageIsHiddenAsAnyOther: wherever the short way hides a message, the long one does the same.
func TestAPlainMessageIsHiddenAsAnyOther(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	plain, others := 0, 0
	for range testrun.Size(t, 4000, 400_000) {
		request, answer := lotOf(1+random.IntN(2), true)
		message := []byte(request)
		isRequest := random.IntN(2) == 0
		if !isRequest {
			message = []byte(answer)
		}
		message = scatter(random, message)
		got, ok := redactor().Mask(nil).PlainXML(message, isRequest, ticketToken, ticketSign)
		if !ok {
			others++
			continue
		}
		plain++
		if want, ok := redactor().Mask(nil).WholeXML(message, isRequest, ticketToken, ticketSign); !ok || !bytes.Equal(got, want) {
			t.Fatalf("%v %v %q\nis kept as\n%q\nand not\n%q", isRequest, ok, message, got, want)
		}
	}
	if plain < others/8 || others < plain/8 {
		t.Errorf("%d messages were plain and %d others: this compares little", plain, others)
	}
}

// scatter changes some places of a message.
func scatter(random *rand.Rand, message []byte) []byte {
	for range random.IntN(4) {
		at := random.IntN(len(message))
		switch random.IntN(6) {
		case 0:
			message = slices.Delete(message, at, min(at+1+random.IntN(30), len(message)))
			if len(message) == 0 {
				return message
			}
			continue
		case 1: // anywhere
		case 2: // within a tag
			at += max(bytes.IndexByte(message[at:], '>'), 0)
		case 3: // at the end of a text, or between tags
			at += max(bytes.IndexByte(message[at:], '<'), 0)
		case 4: // at the beginning, where a header is
			at = max(bytes.Index(message, []byte("<s:Body>")), 0)
		default: // between tags
			at += bytes.Index(message[at:], []byte("><")) + 1
		}
		message = slices.Insert(message, at, []byte(crumbs[random.IntN(len(crumbs))])...)
	}
	return message
}

// FuzzPlainMessage is that test for any message.
func FuzzPlainMessage(f *testing.F) {
	request, answer := lotOf(1, true)
	f.Add([]byte(request), true)
	f.Add([]byte(answer), false)
	for _, crumb := range crumbs {
		f.Add([]byte(envelope("<FEDummy>"+crumb+"</FEDummy>")), true)
	}
	f.Fuzz(func(t *testing.T, message []byte, isRequest bool) {
		got, ok := redactor().Mask(nil).PlainXML(message, isRequest, ticketToken, ticketSign)
		if !ok {
			return
		}
		if want, ok := redactor().Mask(nil).WholeXML(message, isRequest, ticketToken, ticketSign); !ok || !bytes.Equal(got, want) {
			t.Fatalf("%v %q\nis kept as\n%q\nand not\n%q", ok, message, got, want)
		}
	})
}

// TestUsualMessagesArePlain: else they are hidden the long way, without anybody noticing.
func TestUsualMessagesArePlain(t *testing.T) {
	request, answer := lotOf(3, true)
	for name, message := range map[string]string{
		"as it is":        request,
		"with line feeds": strings.ReplaceAll(request, "><", ">\r\n  <"),
		"with a header":   strings.Replace(request, "<s:Body>", "<s:Header/><s:Body>", 1),
		"with prefixes":   strings.NewReplacer("<FECAESolicitar xmlns=", "<a:FECAESolicitar xmlns:a=", "</FECAESolicitar>", "</a:FECAESolicitar>", "<Auth>", "<a:Auth>", "</Auth>", "</a:Auth>").Replace(request),
	} {
		if _, ok := redactor().Mask(nil).PlainXML([]byte(message), true, ticketToken, ticketSign); !ok {
			t.Errorf("a request %s is not", name)
		}
	}
	if _, ok := redactor().Mask(nil).PlainXML([]byte(answer), false, ticketToken, ticketSign); !ok {
		t.Error("an answer is not")
	}
}
