package fill

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// lot is a FECAESolicitar of these invoices.
func lot(cbteTipo int, invoices ...string) string {
	return fmt.Sprintf(` {"FeCAEReq" : {"FeDetReq":{"FECAEDetRequest": [ %s ]} , "FeCabReq":{"CantReg":%d,"PtoVta":1,"CbteTipo":%d}},`+
		`"Auth":{"Token":"t","Sign":"s","Cuit":20111111112}}`, strings.Join(invoices, " , "), len(invoices), cbteTipo)
}

func decoded(t testing.TB, operation, body string) *validate.Request {
	t.Helper()
	request, findings := validate.Decode(wsfev1.OperationByName(operation), []byte(body), validate.ARCA)
	if len(findings) > 0 {
		t.Fatalf("%s: %+v", body, findings)
	}
	return request
}

func source(t testing.TB, table string, defaults ...int32) *Source {
	t.Helper()
	var read *Table
	if table != "" {
		var err error
		if read, err = parseTable(strings.NewReader(table)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := NewSource(read, defaults)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOnlyWhatIsMissingIsFilledIn, in the document too, all other bytes of which stay.
func TestOnlyWhatIsMissingIsFilledIn(t *testing.T) {
	s := source(t, "80,30500010912,6\n99,0,5", 4, 1)
	const one = `"CondicionIVAReceptorId":`
	for name, c := range map[string]struct {
		cbteTipo       int
		invoices, want []string
		header         string
		codes          string
	}{
		"by the table": {6, []string{`{"DocTipo":99 }`}, []string{`{"DocTipo":99 ,` + one + `5}`}, "table=1", CodeFilled},
		"a null":       {6, []string{`{ "CondicionIVAReceptorId" : null, "DocTipo":99}`}, []string{`{ "CondicionIVAReceptorId" : 5, "DocTipo":99}`}, "table=1", CodeFilled},
		"an escaped name": {
			6,
			[]string{`{"\u0043ondicionIVAReceptorId":null,"DocTipo":99}`},
			[]string{`{"\u0043ondicionIVAReceptorId":5,"DocTipo":99}`},
			"table=1", CodeFilled,
		},
		"nothing at all":   {6, []string{`{}`}, []string{`{` + one + `4}`}, "default=1", CodeFilled},
		"by the default":   {1, []string{`{"DocTipo":80,"DocNro":20222222223}`}, []string{`{"DocTipo":80,"DocNro":20222222223,` + one + `1}`}, "default=1", CodeFilled},
		"what came stays":  {6, []string{`{"DocTipo":99,` + one + `4}`}, nil, "", ""},
		"a zero came":      {6, []string{`{"DocTipo":99,` + one + `0}`}, nil, "", ""},
		"none for 49":      {49, []string{`{"DocTipo":80,"DocNro":20222222223}`}, nil, "", ""},
		"an unknown type":  {999, []string{`{"DocTipo":99}`}, nil, "", ""},
		"unfit":            {6, []string{`{"DocTipo":80,"DocNro":30500010912}`}, nil, "", CodeUnfit},
		"no invoices":      {6, nil, nil, "", ""},
		"fits class ALEY":  {51, []string{`{"DocTipo":80,"DocNro":30500010912}`}, []string{`{"DocTipo":80,"DocNro":30500010912,` + one + `6}`}, "table=1", CodeFilled},
		"unfit in class A": {1, []string{`{"DocTipo":99}`}, nil, "", CodeUnfit},
		"a lot": {
			6,
			[]string{`{"DocTipo":99}`, `{"DocTipo":99,` + one + `4}`, `{"DocTipo":96,"DocNro":1}`, `{"DocTipo":80,"DocNro":30500010912}`, `{"DocTipo":99,"Iva":{"AlicIva":[]}}`},
			[]string{`{"DocTipo":99,` + one + `5}`, `{"DocTipo":99,` + one + `4}`, `{"DocTipo":96,"DocNro":1,` + one + `4}`, `{"DocTipo":80,"DocNro":30500010912}`, `{"DocTipo":99,"Iva":{"AlicIva":[]},` + one + `5}`},
			"table=2; default=1", CodeFilled + " " + CodeFilled + " " + CodeUnfit + " " + CodeFilled,
		},
	} {
		t.Run(name, func(t *testing.T) {
			body := lot(c.cbteTipo, c.invoices...)
			request := decoded(t, "FECAESolicitar", body)
			got := s.Fill(request)
			var codes []string
			if got != nil {
				for _, f := range got.Findings {
					codes = append(codes, f.Code)
				}
			}
			if strings.Join(codes, " ") != c.codes {
				t.Errorf("found %q", codes)
			}
			if c.want == nil {
				if got != nil && got.Request != nil {
					t.Fatalf("filled %+v", got)
				}
				return
			}
			document, err := got.Document([]byte(body))
			want := lot(c.cbteTipo, c.want...)
			if err != nil || string(document) != want {
				t.Fatalf("%v\n%s, want\n%s", err, document, want)
			}
			if header := got.String(); header != "CondicionIVAReceptorId; "+c.header {
				t.Errorf("the header is %q", header)
			}
			checkSame(t, got, request, body, want)
		})
	}
}

// checkSame compares the completed request with the one read from the document, and the request that
// came with itself read again.
func checkSame(t *testing.T, got *Completed, came *validate.Request, body, want string) {
	t.Helper()
	for request, document := range map[*validate.Request]string{got.Request: want, came: body} {
		read := wsfev1.LotOf(decoded(t, request.Operation.Name, document).Body)
		in := wsfev1.LotOf(request.Body)
		if in.Len() != read.Len() {
			t.Fatalf("%d invoices", in.Len())
		}
		for i := range in.Len() {
			a, b := in.Invoice(i).CondicionIVAReceptorId, read.Invoice(i).CondicionIVAReceptorId
			if (a == nil) != (b == nil) || a != nil && *a != *b || in.Invoice(i).DocNro != read.Invoice(i).DocNro {
				t.Errorf("invoice %d is %+v, and %+v in the document", i, in.Invoice(i), read.Invoice(i))
			}
		}
	}
}

func TestReportedInvoicesAreFilledIn(t *testing.T) {
	const body = `{"Auth":{"Token":"t","Sign":"s","Cuit":20111111112},"FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,"PtoVta":3,"CbteTipo":6},` +
		`"FeDetReq":{"FECAEADetRequest":[{"DocTipo":99,"CAEA":"36470000000005"}]}}}`
	request := decoded(t, "FECAEARegInformativo", body)
	got := source(t, "", 5).Fill(request)
	document, err := got.Document([]byte(body))
	want := strings.Replace(body, `000005"}`, `000005","CondicionIVAReceptorId":5}`, 1)
	if err != nil || string(document) != want {
		t.Fatalf("%v\n%s", err, document)
	}
	checkSame(t, got, request, body, want)
	if f := got.Findings[0]; f.Pointer != "/FeCAEARegInfReq/FeDetReq/FECAEADetRequest/0/CondicionIVAReceptorId" || f.Expected != "5" || f.Severity != validate.OBS {
		t.Errorf("%+v", f)
	}
}

func TestNothingElseIsFilledIn(t *testing.T) {
	const body = `{"Auth":{"Token":"t","Sign":"s","Cuit":20111111112},"PtoVta":1,"CbteTipo":6}`
	if got := source(t, "", 5).Fill(decoded(t, "FECompUltimoAutorizado", body)); got != nil {
		t.Errorf("%+v", got)
	}
	if got := (*Source)(nil).Fill(decoded(t, "FECAESolicitar", lot(6, `{"DocTipo":99}`))); got != nil {
		t.Errorf("%+v", got)
	}
}

// TestADocumentOfAnotherRequestIsNotWritten.
func TestADocumentOfAnotherRequestIsNotWritten(t *testing.T) {
	got := source(t, "", 5).Fill(decoded(t, "FECAESolicitar", lot(6, `{"DocTipo":99}`)))
	for _, body := range []string{
		"", "{", "[]", `{}`, `{"FeCAEReq":{}}`, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":{}}}}`,
		lot(6), lot(6, `{}`, `{}`), lot(6, `{"CondicionIVAReceptorId":4}`), lot(6, `{"CondicionIVAReceptorId":0}`),
	} {
		if document, err := got.Document([]byte(body)); err == nil {
			t.Errorf("%s became %s", body, document)
		}
	}
}

func TestDefaultsThatMeanNothingAreRefused(t *testing.T) {
	for _, defaults := range [][]int32{nil, {2}, {0}, {-1}, {5, 5}, {5, 4}, {1, 6}, {5, 1, 13}} {
		if _, err := NewSource(nil, defaults); err == nil {
			t.Errorf("%v is a source", defaults)
		}
	}
	for _, defaults := range [][]int32{{5}, {1}, {5, 1}, {1, 5}, {4, 5, 1}, {4, 6, 5}} {
		if _, err := NewSource(nil, defaults); err != nil {
			t.Errorf("%v: %v", defaults, err)
		}
	}
}

// TestALargeLotHasABoundedNumberOfFindings, and the last one tells that there are more.
func TestALargeLotHasABoundedNumberOfFindings(t *testing.T) {
	invoices := make([]string, validate.MaxFindings+2)
	for i := range invoices {
		invoices[i] = `{"DocTipo":99}`
	}
	got := source(t, "", 5).Fill(decoded(t, "FECAESolicitar", lot(6, invoices...)))
	if n := len(got.Findings); n != validate.MaxFindings || got.FromDefault != len(invoices) ||
		strings.Count(got.Findings[n-1].Text, validate.TextOfMore) != 1 {
		t.Errorf("%d findings, the last one %+v", n, got.Findings[n-1])
	}
}
