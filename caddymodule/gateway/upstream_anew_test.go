package gateway_test

import (
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// ambiguous are lots of two invoices that a service on .NET reads otherwise than they are meant, if it is
// given them as they come. Each has the same opcional in both, and no Tributos.
func ambiguous(s *caddytest.Site, version soap.Version, first int64) map[string]string {
	const list = `<Opcionales><Opcional><Id>91</Id><Valor>a</Valor></Opcional></Opcionales>`
	message := s.Message(version, "FECAESolicitar", caddytest.LotText(0, first, 2))
	message = strings.ReplaceAll(message, "</FECAEDetRequest>", list+"</FECAEDetRequest>")
	const spaces = ` xmlns:o="http://www.w3.org/1999/XMLSchema-instance" xmlns:p="http://www.w3.org/2000/10/XMLSchema-instance" xmlns:e="http://www.w3.org/2003/05/soap-encoding"`
	message = strings.Replace(message, "<soap:Body", "<soap:Body"+spaces, 1)
	shared := func(id, reference string) string {
		at := strings.LastIndex(message, list)
		return strings.Replace(message[:at], list, strings.Replace(list, "<Opcionales>", "<Opcionales "+id+">", 1), 1) + "<Opcionales " + reference + "/>" + message[at+len(list):]
	}
	null := func(null string) string {
		return strings.ReplaceAll(message, list, "<Tributos "+null+"/>"+list)
	}
	return map[string]string{
		"href":           shared(`id="a"`, `href="#a"`),
		"enc:ref":        shared(`e:id="a"`, `e:ref="#a"`),
		"null of 1999":   null(`o:null="1"`),
		"nil of 2000":    null(`p:nil="true"`),
		"null of 2001":   null(`xsi:null=" true "`),
		"nil":            null(`xsi:nil="1"`),
		"a comment":      strings.ReplaceAll(message, "<Id>91<", "<Id>9<!-- -->1<"),
		"text between":   strings.ReplaceAll(message, list, "text"+list),
		"another type":   strings.ReplaceAll(message, "<Opcionales>", `<Opcionales xsi:type="ArrayOfTributo">`),
		"a wrong member": strings.ReplaceAll(message, list, "<Tributos xmlns=''><Tributo/></Tributos>"+list),
		"ISO-8859-1":     strings.Replace(message, "utf-8", "ISO-8859-1", 1),
	}
}

var (
	attribute = regexp.MustCompile(` (?:\w+:)?(?:href|ref|id|null|nil|type)=`)
	comment   = regexp.MustCompile(`<!--|>text<|xmlns=""|8859`)
)

// TestWhatTheServiceGetsIsWhatWasJudged: a message that it might read differently is written anew. The
// record has both, the meaning and the reason; a repeat in another form is one.
func TestWhatTheServiceGetsIsWhatWasJudged(t *testing.T) {
	service := newSOAPService(t)
	s := caddytest.Start(t, toSOAP(service.URL), caddytest.Exactly...)
	next := int64(1)
	for _, version := range soapVersions {
		for name := range ambiguous(s, version, next) {
			t.Run(version.String()+" "+name, func(t *testing.T) {
				message := ambiguous(s, version, next)[name]
				lot := wantLot(t, next)
				next += 2
				got := s.Send(version, "FECAESolicitar", message)
				if got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "approved" {
					t.Fatalf("%d %v\n%s\n%s", got.Status, got.Header, message, got.Body)
				}
				sent, header := service.Last()
				if attribute.Match(sent) || comment.Match(sent) {
					t.Errorf("the service got\n%s", sent)
				}
				if media := header.Get("Content-Type"); !strings.HasPrefix(media, strings.TrimSuffix(version.MediaType(), "; charset=utf-8")) || !strings.Contains(media, "charset=utf-8") {
					t.Errorf("as %s", media)
				}
				wantAnew(t, s, version, message, sent, lot)
				if again := s.Post("FECAESolicitar", lot); again.Header.Get("Wsfev1-Outcome") != "replayed" {
					t.Errorf("the same in JSON: %v\n%s", again.Header, again.Body)
				}
			})
		}
	}
}

// wantLot returns a lot in JSON with the opcional of ambiguous.
func wantLot(t *testing.T, first int64) string {
	t.Helper()
	return strings.ReplaceAll(caddytest.LotText(0, first, 2), `"Iva":`, `"Opcionales":{"Opcional":[{"Id":"91","Valor":"a"}]},"Iva":`)
}

// wantAnew looks at the records of the last exchange.
func wantAnew(t *testing.T, s *caddytest.Site, version soap.Version, message string, sent []byte, lot string) {
	t.Helper()
	op := wsfev1.OperationByName("FECAESolicitar")
	records := s.Records()
	outcome := records[len(records)-1]
	intent := records[outcome.Intent]
	if outcome.Kind != audit.KindOutcome || !strings.Contains(outcome.Detail, "sent anew") {
		t.Errorf("%v %q", outcome.Kind, outcome.Detail)
	}
	if kept := restored(string(intent.Client.Request)); kept != message {
		t.Errorf("the record has the client's message as\n%s", kept)
	}
	if kept := restored(string(outcome.Service.Request)); kept != string(sent) {
		t.Errorf("the record has the service's message as\n%s\nand it got\n%s", kept, sent)
	}
	e, err := soap.Open(sent, "")
	if err != nil || e.Version != version {
		t.Fatal(err)
	}
	got := e.Decode(op)
	want, findings := validate.Decode(op, []byte(lot), validate.ARCA)
	recorded, _ := validate.Decode(op, intent.Request, validate.ARCA)
	if len(findings)+len(got.Findings) > 0 || got.Ambiguous != 0 || invoicesIn(t, got.Body) != invoicesIn(t, want.Body) {
		t.Errorf("%v, %v, %v: the service got\n%s", findings, got.Findings, got.Ambiguous, sent)
	}
	if invoicesIn(t, recorded.Body) != invoicesIn(t, want.Body) {
		t.Errorf("the record has\n%s", intent.Request)
	}
	if auth := wsfev1.AuthOf(got.Body); auth.Token != caddytest.Token || auth.Sign != caddytest.Sign {
		t.Errorf("the service got other credentials")
	}
}

// restored returns a message of a record with the credentials that it hides.
func restored(kept string) string {
	return strings.NewReplacer(textBetween(kept, "<Token>", "<"), caddytest.Token, textBetween(kept, "<Sign>", "<"), caddytest.Sign).Replace(kept)
}

// invoicesIn returns the invoices of a request as text.
func invoicesIn(t *testing.T, body any) string {
	t.Helper()
	text, err := json.Marshal(body.(*wsfev1.FECAESolicitarRequest).FeCAEReq)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestALostAnswerToWhatWasSentAnewIsFoundOut, by a service that reads as .NET does.
func TestALostAnswerToWhatWasSentAnewIsFoundOut(t *testing.T) {
	for _, version := range soapVersions {
		service := newSOAPService(t)
		service.reads = asDotNet
		s := caddytest.Start(t, toSOAP(service.URL), caddytest.Exactly...)
		next := int64(1)
		for name := range ambiguous(s, version, next) {
			service.failOnce(func(w http.ResponseWriter, carryOut func() []byte) {
				carryOut()
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Errorf("taking the connection: %v", err)
					return
				}
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Le")
				_ = conn.(*net.TCPConn).SetLinger(0)
				_ = conn.Close()
			})
			message := ambiguous(s, version, next)[name]
			next += 2
			if got := s.Send(version, "FECAESolicitar", message); got.Header.Get("Wsfev1-Outcome") != "recovered" || len(parsed(t, "FECAESolicitar", got).Findings) > 0 {
				t.Errorf("%s %s: %d %v\n%s", version, name, got.Status, got.Header, got.Body)
			}
		}
	}
}

var (
	emptyReference = regexp.MustCompile(`<(Opcionales) [\w:]+ef="#a"/>`)
	nulled         = regexp.MustCompile(`<Tributos [^>]*/>`)
)

// asDotNet changes a message as .NET reads it: a reference is an empty list, a null nothing.
func asDotNet(message []byte) []byte {
	return nulled.ReplaceAll(emptyReference.ReplaceAll(message, []byte("<$1/>")), nil)
}

// TestWhatTheClientGetsIsWhatWasRead: an answer that it might read differently is written anew too. The
// record has what came.
func TestWhatTheClientGetsIsWhatWasRead(t *testing.T) {
	for name, change := range map[string]func(answer string) string{
		"a comment in the code": func(answer string) string { return strings.Replace(answer, "<CAE>", "<CAE><!-- 1 -->", 1) },
		"another namespace":     func(answer string) string { return strings.Replace(answer, "<CAE>", `<CAE xmlns="">1</CAE><CAE>`, 1) },
		"a null":                func(answer string) string { return strings.Replace(answer, "<CAE>", `<CAE xsi:nil="false">`, 1) },
		"a section": func(answer string) string {
			return strings.Replace(answer, "<Resultado>A<", "<Resultado><![CDATA[A]]><", 1)
		},
	} {
		for _, version := range soapVersions {
			service := newSOAPService(t)
			s := caddytest.Start(t, toSOAP(service.URL), caddytest.Exactly...)
			var came string
			service.failOnce(func(w http.ResponseWriter, carryOut func() []byte) {
				came = change(string(carryOut()))
				w.Header().Set("Content-Type", version.MediaType())
				_, _ = io.WriteString(w, came)
			})
			got := s.Call(version, "FECAESolicitar", caddytest.Invoice(1))
			answer := parsed(t, "FECAESolicitar", got)
			if issued(t, got) == "" || answer.Ambiguous != 0 || answer.Version != version {
				t.Errorf("%s: %v\n%s", name, got.Header, got.Body)
			}
			if r := s.Last(); string(r.Service.Answer) != came || string(r.Client.Answer) != string(got.Body) || r.Vouchers[0].Code != issued(t, got) {
				t.Errorf("%s: the record has %+v\n%s", name, r.Vouchers, r.Service.Answer)
			}
		}
	}
}
