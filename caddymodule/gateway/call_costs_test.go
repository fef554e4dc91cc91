package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1/soap"
)

// hostileCall is a lot of these invoices as a message.
func hostileCall(invoices string) string {
	return `<s:Envelope xmlns:s="` + soap.V11.Namespace() + `"><s:Body><FECAESolicitar xmlns="` + soap.Namespace + `">` +
		`<Auth><Token>dG9rZW4=</Token><Sign>c2lnbg==</Sign><Cuit>20111111112</Cuit></Auth><FeCAEReq><FeCabReq><CantReg>9998</CantReg><PtoVta>1</PtoVta><CbteTipo>6</CbteTipo></FeCabReq>` +
		`<FeDetReq>` + invoices + `</FeDetReq></FeCAEReq></FECAESolicitar></s:Body></s:Envelope>`
}

// TestACallCostsWhatItsMessageIsWorth is TestARequestCostsWhatItsBodyIsWorth for SOAP, with what
// XML alone has.
func TestACallCostsWhatItsMessageIsWorth(t *testing.T) {
	part := testrun.Whole(t, 16, 1) // of what a message may hold
	invoice := func(content string) string { return "<FECAEDetRequest>" + content + "</FECAEDetRequest>" }
	const label = `<Opcionales><Opcional id="o"><Id>91</Id><Valor>`
	s := caddytest.Start(t, "respond 503", "max_body 8MiB")
	server := s.Server()
	for name, message := range map[string]string{
		"the longest lot":        hostileCall(strings.Repeat("<FECAEDetRequest/>", 9998)),
		"too many invoices":      hostileCall(strings.Repeat("<FECAEDetRequest/>", 400_000/part)),
		"huge amounts":           hostileCall(strings.Repeat(invoice("<ImpTotal>1E308</ImpTotal><ImpNeto>1E-308</ImpNeto>"), 9998)),
		"long amounts":           hostileCall(invoice("<ImpTotal>1" + strings.Repeat("0", 6_000_000/part) + "</ImpTotal>")),
		"references to texts":    hostileCall(invoice(label+strings.Repeat("x", 3_000_000/part)+"</Valor></Opcional></Opcionales>") + strings.Repeat(invoice(`<Opcionales><Opcional href="#o"/></Opcionales>`), 9000)),
		"references to lists":    hostileCall(invoice(`<Iva id="i">`+strings.Repeat("<AlicIva/>", 9000)+"</Iva>") + strings.Repeat(invoice(`<Iva href="#i"/>`), 9000)),
		"references in a circle": hostileCall(strings.Repeat(`<FECAEDetRequest id="a"><Iva href="#b"/></FECAEDetRequest><FECAEDetRequest href="#a" id="b"/>`, 4000)),
		"labels":                 hostileCall(each(60_000/part, `<FECAEDetRequest id="%d"/>`)),
		"attributes":             hostileCall(strings.Repeat("<a "+each(60, ` b%d="c"`)+"/>", 7000/part)),
		"namespaces":             hostileCall(strings.Repeat("<a "+each(100, ` xmlns:b%d="c"`)+"><b1:a/></a>", 4000/part)),
		"prefixes":               hostileCall(strings.Repeat(`<x:a xmlns:x="urn:a" x:b="1"><x:a/></x:a>`, 150_000/part)),
		"depth":                  hostileCall(strings.Repeat(strings.Repeat("<a>", 58)+strings.Repeat("</a>", 58), 15_000/part)),
		"references":             hostileCall(invoice("<MonId>" + strings.Repeat("&#x41;&amp;", 600_000/part) + "</MonId>")),
		"comments":               hostileCall(strings.Repeat("<!---->", 1_000_000/part)),
		"sections":               hostileCall(invoice("<MonId>" + strings.Repeat("<![CDATA[a]]>", 550_000/part) + "</MonId>")),
		"unknown elements":       hostileCall(strings.Repeat("<a>b</a>", 900_000/part)),
		"duplicates":             hostileCall(invoice(strings.Repeat("<MonId>PES</MonId>", 400_000/part))),
		"long credentials":       strings.Replace(hostileCall(strings.Repeat(invoice("<MonId>"+strings.Repeat("ab", 96)+"</MonId>"), 250)), "dG9rZW4=", each(700_000/part, "%08x"), 1),
		"tickets in all places":  hostileCall(strings.Repeat("<Token>"+strings.Repeat("ab", 96)+"</Token>", 30_000/part)),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := testrun.ProcessorTime()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/wsfev1/service.asmx", strings.NewReader(message))
			r.Header.Set("Content-Type", soap.V11.MediaType())
			w := httptest.NewRecorder()
			server.ServeHTTP(w, r)
			took := testrun.ProcessorTime() - began
			runtime.ReadMemStats(&after)
			allocated := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d bytes: %v, %d MB allocated; status %d, %d bytes", len(message), took, allocated>>20, w.Code, w.Body.Len())
			if took > 10*time.Second/time.Duration(min(part, 4)) {
				t.Errorf("%d bytes take %v", len(message), took)
			}
			if limit := uint64(64*len(message) + 64<<20); allocated > limit {
				t.Errorf("%d bytes allocate %d, more than %d", len(message), allocated, limit)
			}
		})
	}
}
