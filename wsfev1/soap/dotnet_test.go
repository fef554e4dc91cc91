package soap_test

import (
	"encoding/base64"
	"flag"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestDotNetReadsWhatWeRead generates requests in every way that comes to mind of writing and of
// miswriting one. Mono reads them with the classes that its wsdl makes from our description. It reads
// a message that may be sent as it came as we have, and one that is written anew as we mean it.
//
//	FIELATO_TEST_LONG=50 go test ./wsfev1/soap -run DotNetReadsWhat -timeout 2h -v -rapid.seed 1
func TestDotNetReadsWhatWeRead(t *testing.T) {
	oracle := startOracle(t)
	began := time.Now()
	count := tally{}
	n := testrun.Size(t, 3_000, 20_000)
	campaign, err := strconv.ParseUint(flag.Lookup("rapid.seed").Value.String(), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		g := &messages{r: rand.New(rand.NewPCG(campaign, uint64(i)))}
		op, body, charset := g.message()
		oracle.compare(t, op, body, charset, count)
		if t.Failed() {
			t.Fatalf("message %d", i)
		}
	}
	t.Logf("%d messages in %v: %v", n, time.Since(began).Round(time.Second), count)
	for _, read := range []string{"as it came", "anew", "refused"} {
		if count[read] < n/20 {
			t.Errorf("only %d of %d were %s", count[read], n, read)
		}
	}
}

// tally counts what became of the messages.
type tally map[string]int

// compare reads a message here and there.
func (o *oracle) compare(t *testing.T, op *wsfev1.Operation, body []byte, charset string, count tally) {
	t.Helper()
	req := readAs(op, body, charset)
	if req == nil || len(req.Findings) > 0 {
		count["refused"]++
		return
	}
	want := canonical(req)
	if req.Ambiguous == 0 {
		count["as it came"]++
		if got := o.read(t, op, body); got != want {
			t.Errorf("%s\nis read as\n%s\nand here as\n%s", body, got, want)
		}
	} else {
		count["anew"]++
	}
	wire, err := soap.AppendRequest(nil, soap.V11, op, req.Body)
	if err != nil {
		t.Errorf("%v of %s", err, body)
		return
	}
	if got := o.read(t, op, wire); got != want {
		t.Errorf("%s\nis sent as\n%s\nand read as\n%s\nand here as\n%s", body, wire, got, want)
	}
	if again := readAs(op, wire, "utf-8"); len(again.Findings) > 0 || again.Ambiguous&^req.Ambiguous&^soap.ConstructNumber != 0 || canonical(again) != want {
		t.Errorf("%s\nis sent as\n%s\nwhich has %v and %v", body, wire, brief(again.Findings), again.Ambiguous)
	}
}

// readAs reads a message of an operation, named by the action. It returns nil for any other text.
func readAs(op *wsfev1.Operation, body []byte, charset string) *soap.Request {
	e, err := soap.Open(body, charset)
	if err != nil {
		return nil
	}
	routed, err := e.Route(soap.ActionPrefix + op.Name)
	if err != nil || routed != op {
		return nil
	}
	return e.Decode(op)
}

// read asks the oracle what it reads.
func (o *oracle) read(t *testing.T, op *wsfev1.Operation, body []byte) string {
	t.Helper()
	o.line = append(append(o.line[:0], op.Name...), ' ')
	o.line = append(base64.StdEncoding.AppendEncode(o.line, body), '\n')
	if _, err := o.in.Write(o.line); err != nil {
		t.Fatal(err)
	}
	line, err := o.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, &o.stderr)
	}
	return strings.TrimSuffix(line, "\n")
}

// TestDotNetReadsTheseOtherwise are the constructs, one by one. If .NET reads one at all, it reads another
// meaning than ours, or only its sources show that it reads the same. None is sent as it came.
func TestDotNetReadsTheseOtherwise(t *testing.T) {
	oracle := startOracle(t)
	const nulls = `xmlns:a="http://www.w3.org/1999/XMLSchema-instance" xmlns:b="http://www.w3.org/2000/10/XMLSchema-instance" xmlns:e="http://www.w3.org/2003/05/soap-encoding"`
	for content, c := range map[string]struct {
		found soap.Constructs
		// differs: .NET reads something else than we do.
		differs bool
	}{
		`<Iva id="i"><AlicIva><Id>5</Id></AlicIva></Iva></FECAEDetRequest><FECAEDetRequest><Iva href="#i"/>`:                                                      {soap.ConstructAttribute | soap.ConstructReference, true},
		`<Iva e:id="i"><AlicIva><Id>5</Id></AlicIva></Iva></FECAEDetRequest><FECAEDetRequest><Iva e:ref="#i" xmlns:e="http://www.w3.org/2003/05/soap-encoding"/>`: {soap.ConstructAttribute | soap.ConstructReference, true},
		`<Iva a:null="1"/>`:                        {soap.ConstructAttribute | soap.ConstructNull, false},
		`<Iva b:null=" true "/>`:                   {soap.ConstructAttribute | soap.ConstructNull, false},
		`<Iva xsi:null="1"/>`:                      {soap.ConstructAttribute | soap.ConstructNull, false},
		`<Iva xsi:nil="true"/>`:                    {soap.ConstructAttribute | soap.ConstructNull, false},
		`<Iva b:nil="true"/>`:                      {soap.ConstructAttribute | soap.ConstructNull, true},
		`<PeriodoAsoc xsi:nil="true"/>`:            {soap.ConstructAttribute | soap.ConstructNull, true},
		`<DocNro>1<!-- -->1</DocNro>`:              {soap.ConstructComment, true},
		`<MonId>P<?p?>ES</MonId>`:                  {soap.ConstructInstruction, true},
		`<DocNro><![CDATA[11]]></DocNro>`:          {soap.ConstructSection, false},
		`<DocNro> 1 </DocNro>`:                     {soap.ConstructNumber, false},
		`<DocNro>+1</DocNro>`:                      {soap.ConstructNumber, false},
		`<DocNro>&#49;</DocNro>`:                   {soap.ConstructNumber, false},
		`<ImpTotal>1.21E2</ImpTotal>`:              {soap.ConstructNumber, false},
		`<ImpTotal>931569.09999999998</ImpTotal>`:  {soap.ConstructNumber, false},
		`<MonId>PES</MonId>text`:                   {soap.ConstructTextBetween, false},
		`<MonID>PES</MonID>`:                       {soap.ConstructUnknown, false},
		`<MonId xmlns="">PES</MonId>`:              {soap.ConstructForeign, false},
		"<MonId>P\r\nES</MonId>":                   {soap.ConstructLineEnd, false},
		`<MonId xsi:type="xsi:string">PES</MonId>`: {soap.ConstructAttribute, false},
	} {
		op := operation(t, "FECAESolicitar")
		body := lots(`<FECAEDetRequest ` + nulls + `>` + content + `</FECAEDetRequest>`)
		req := readAs(op, body, "")
		if len(req.Findings) > 0 || req.Ambiguous != c.found {
			t.Errorf("%s: %v, %v, want %v", content, brief(req.Findings), req.Ambiguous, c.found)
			continue
		}
		if there, here := oracle.read(t, op, body), canonical(req); (there != here) != c.differs {
			t.Errorf("%s is read as\n%s\nand here as\n%s", content, there, here)
		}
		oracle.compare(t, op, body, "", tally{})
	}
}

// TestWhatClientsWriteIsSentAsItCame but for the forms that have something of it.
func TestWhatClientsWriteIsSentAsItCame(t *testing.T) {
	want := map[string]soap.Constructs{
		"blanks":           soap.ConstructNumber,
		"residue":          soap.ConstructNumber,
		"empty-and-nil":    soap.ConstructAttribute | soap.ConstructNull,
		"bom":              soap.ConstructEncoding,
		"cdata":            soap.ConstructSection | soap.ConstructComment | soap.ConstructInstruction,
		"latin1":           soap.ConstructEncoding,
		"windows-1252":     soap.ConstructEncoding,
		"utf-16":           soap.ConstructEncoding,
		"exponents":        soap.ConstructNumber,
		"references":       soap.ConstructNumber,
		"typed":            soap.ConstructAttribute,
		"unknown-elements": soap.ConstructUnknown | soap.ConstructForeign | soap.ConstructHeaderBlock,
	}
	for name, body := range files(t, "requests") {
		if got := read(t, body).Ambiguous; got != want[name] {
			t.Errorf("%s: %v, want %v", name, got, want[name])
		}
	}
}
