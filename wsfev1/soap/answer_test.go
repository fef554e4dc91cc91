package soap_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

var answered = regexp.MustCompile(`<(\w+)Response xmlns=`)

func TestAnswersAreWrittenByteForByteAsTheyAreRead(t *testing.T) {
	for name, body := range files(t, "answers") {
		op := operation(t, string(answered.FindSubmatch(body)[1]))
		answer, err := soap.Parse(op, body, "utf-8")
		if err != nil || len(answer.Findings) > 0 {
			t.Errorf("%s: %v, %v", name, err, brief(answer.Findings))
			continue
		}
		if got, err := soap.AppendAnswer(nil, answer.Version, op, answer.Body, answer.Info); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, body)
		}
	}
}

func TestEmptyListsOfErrorsAreLeftOut(t *testing.T) {
	answer := &wsfev1.FECAESolicitarAnswer{
		FeDetResp: &wsfev1.FeCAEDetResp{FECAEDetResponse: []wsfev1.FECAEDetResponse{{DetResponse: wsfev1.DetResponse{Observaciones: &wsfev1.Observaciones{}}}}},
	}
	answer.Errors, answer.Events = &wsfev1.Errors{}, &wsfev1.Events{}
	body, err := soap.AppendAnswer(nil, soap.V11, operation(t, "FECAESolicitar"), answer, soap.Info{})
	if err != nil || bytes.Contains(body, []byte("Errors")) || bytes.Contains(body, []byte("Events")) || bytes.Contains(body, []byte("Observaciones")) || bytes.Contains(body, []byte("Header")) {
		t.Errorf("%v: %s", err, body)
	}
}

func TestErrorsFollowEventsInTheIssuingOperationsAlone(t *testing.T) {
	for _, op := range wsfev1.Operations {
		answer, ok := op.NewAnswer().(interface {
			Fail(int32, string)
			Announce(*wsfev1.Events)
		})
		if !ok {
			continue
		}
		answer.Fail(600, "a")
		answer.Announce(&wsfev1.Events{Evt: []wsfev1.Evt{{Code: 1, Msg: "b"}}})
		body, err := soap.AppendAnswer(nil, soap.V12, op, answer, soap.Info{})
		if err != nil {
			t.Fatal(err)
		}
		last := bytes.Index(body, []byte("<Errors>")) > bytes.Index(body, []byte("<Events>"))
		if last != (op.Family == wsfev1.FamilyIssuing) {
			t.Errorf("%s: %s", op.Name, body)
		}
	}
}

func TestTextsThatNoXMLCanHoldAreReplaced(t *testing.T) {
	body, err := soap.AppendAnswer(nil, soap.V11, operation(t, "FEDummy"), &wsfev1.FEDummyAnswer{AppServer: "a\x00\x1B\xFFb", DbServer: "\uFFFE", AuthServer: "\r"}, soap.Info{})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := soap.Parse(operation(t, "FEDummy"), body, "")
	if err != nil {
		t.Fatalf("%v: %q", err, body)
	}
	if got := *answer.Body.(*wsfev1.FEDummyAnswer); got != (wsfev1.FEDummyAnswer{AppServer: "a\uFFFD\uFFFD\uFFFDb", DbServer: "\uFFFD", AuthServer: "\r"}) {
		t.Errorf("%+q", got)
	}
}

func TestARequestWithSuchATextIsNotWritten(t *testing.T) {
	op := operation(t, "FEParamGetCotizacion")
	for _, text := range []string{"\x00", "a\x1Fb", "\xFF", "\uFFFF"} {
		if body, err := soap.AppendRequest(nil, soap.V11, op, &wsfev1.FEParamGetCotizacionRequest{MonId: text}); !errors.Is(err, soap.ErrText) {
			t.Errorf("%q: %v, %s", text, err, body)
		}
	}
	if _, err := soap.AppendRequest(nil, soap.V11, op, &wsfev1.FEParamGetCotizacionRequest{MonId: "\uFFFD\r\n\t<"}); err != nil {
		t.Error(err)
	}
}

func TestAmountsOfAnswersHaveNoZerosAtTheirEnd(t *testing.T) {
	answer := &wsfev1.FECompConsultarAnswer{ResultGet: &wsfev1.FECompConsResult{}}
	answer.ResultGet.ImpTotal, answer.ResultGet.ImpNeto, answer.ResultGet.ImpIVA = wsfev1.MustAmount("122.00"), wsfev1.MustAmount("1.5e2"), wsfev1.MustAmount("220.50")
	body, err := soap.AppendAnswer(nil, soap.V11, operation(t, "FECompConsultar"), answer, soap.Info{})
	for _, want := range []string{"<ImpTotal>122</ImpTotal>", "<ImpNeto>150</ImpNeto>", "<ImpIVA>220.5</ImpIVA>", "<ImpTrib>0</ImpTrib>", "<FchServDesde />"} {
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%v: no %s in %s", err, want, body)
		}
	}
	if strings.Contains(string(body), "MonCotiz") {
		t.Errorf("a rate that nobody set: %s", body)
	}
}

func TestTheHeaderHasTheTimeAsTheServiceWritesIt(t *testing.T) {
	for nanoseconds, want := range map[int64]string{
		123_456_789: "2026-11-22T15:00:00.1234567-03:00", 976_190_000: "2026-11-22T15:00:00.97619-03:00", 0: "2026-11-22T15:00:00-03:00",
	} {
		at := time.Date(2026, 11, 22, 18, 0, 0, int(nanoseconds), time.UTC)
		if got := soap.InfoAt("a", at, "b").Fecha; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestWhatIsNoAnswerIsAnError(t *testing.T) {
	good := string(files(t, "answers")["ultimo"])
	op := operation(t, "FECompUltimoAutorizado")
	for name, body := range map[string]string{
		"a page": "<html><body>Service Unavailable</body></html>", "nothing": "", "cut in the header": good[:300],
		"another operation": strings.ReplaceAll(good, "FECompUltimoAutorizado", "FECompConsultar"),
		"no body":           `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"/>`,
		"an empty body":     `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body/></s:Envelope>`,
	} {
		answer, err := soap.Parse(op, []byte(body), "")
		if _, ok := errors.AsType[*soap.Error](err); !ok {
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
	}
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"cut":               {good[:len(good)-100], []string{"shape.syntax /CbteNro"}},
		"cut at the end":    {good[:len(good)-1], []string{"shape.syntax"}},
		"no result":         {strings.ReplaceAll(good, "FECompUltimoAutorizadoResult", "Other"), []string{"shape.missing"}},
		"no number":         {strings.Replace(good, ">101<", ">x<", 1), []string{"shape.kind /CbteNro"}},
		"something after":   {good + "<a/>", []string{"shape.trailing"}},
		"an unknown member": {strings.Replace(good, "<CbteNro>", "<Other/><CbteNro>", 1), []string{}},
	} {
		answer, err := soap.Parse(op, []byte(c.body), "")
		if err != nil || !slices.Equal(brief(answer.Findings), c.want) {
			t.Errorf("%s: %v, %v, want %v", name, err, answer, c.want)
		}
	}
}

func TestMessagesOfAnotherTypeAreAnError(t *testing.T) {
	op := operation(t, "FEDummy")
	for _, message := range []any{nil, 1, wsfev1.FEDummyAnswer{}, (*wsfev1.FEDummyAnswer)(nil), &wsfev1.FECAESolicitarAnswer{}} {
		if _, err := soap.AppendAnswer(nil, soap.V11, op, message, soap.Info{}); !errors.Is(err, soap.ErrType) {
			t.Errorf("answer %T: %v", message, err)
		}
		if _, err := soap.AppendRequest(nil, soap.V11, op, message); !errors.Is(err, soap.ErrType) {
			t.Errorf("request %T: %v", message, err)
		}
	}
	if _, err := soap.AppendAnswer(nil, soap.V11, &wsfev1.Operation{}, &wsfev1.FEDummyAnswer{}, soap.Info{}); !errors.Is(err, soap.ErrType) {
		t.Error(err)
	}
}

// TestAnAnswerThatAClientMightReadDifferentlyIsNoted: none that the service has written is one.
func TestAnAnswerThatAClientMightReadDifferentlyIsNoted(t *testing.T) {
	for name, body := range files(t, "answers") {
		answer, err := soap.Parse(operation(t, string(answered.FindSubmatch(body)[1])), body, "utf-8")
		if err != nil || answer.Ambiguous != 0 {
			t.Errorf("%s: %v, %v", name, err, answer.Ambiguous)
		}
	}
	good := string(files(t, "answers")["solicitar-approved"])
	for name, c := range map[string]struct {
		old, with string
		want      soap.Constructs
	}{
		"nothing":              {"<CAE>", "<CAE>", 0},
		"a comment":            {"<CAE>7", "<CAE>7<!-- -->", soap.ConstructComment},
		"a section":            {"<CAE>71", "<CAE>7<![CDATA[1]]>", soap.ConstructSection},
		"null":                 {"<CAEFchVto>20261130</CAEFchVto>", `<CAEFchVto xsi:null="1"/>`, soap.ConstructAttribute | soap.ConstructNull},
		"an attribute":         {"<CAE>", `<CAE id="a">`, soap.ConstructAttribute},
		"a number with blanks": {"<CbteDesde>101", "<CbteDesde> 101", soap.ConstructNumber},
		"another namespace":    {"<CAE>", `<CAE xmlns="">1</CAE><CAE>`, soap.ConstructForeign},
		"another result":       {"<FECAESolicitarResult>", `<FECAESolicitarResult xmlns="urn:x"/><FECAESolicitarResult>`, soap.ConstructForeign},
		"a new member":         {"<CAE>", `<CAENuevo>1</CAENuevo><CAE>`, 0},
		"line ends":            {`"vigente"`, "\r\nvigente", 0},
	} {
		body := strings.Replace(good, c.old, c.with, 1)
		if answer, err := soap.Parse(operation(t, "FECAESolicitar"), []byte(body), "utf-8"); err != nil || len(answer.Findings) > 0 || answer.Ambiguous != c.want {
			t.Errorf("%s: %v, %+v, want %v", name, err, answer, c.want)
		}
	}
	fault := soap.AppendFault(nil, soap.V12, soap.Fault{Code: soap.Server, Text: "no"}) // it has xml:lang
	if answer, err := soap.Parse(operation(t, "FEDummy"), fault, "utf-8"); err != nil || answer.Ambiguous != 0 {
		t.Errorf("a fault: %v, %v", err, answer.Ambiguous)
	}
}
