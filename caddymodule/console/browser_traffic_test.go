package console_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// place is a gateway with a trail of mixed traffic, and consoles to look at it.
type place struct {
	*caddytest.Site
	// console is the one that this machine may see; guarded asks for a password; masked hides the
	// documents of receivers; hostile shows a trail that is full of hostile texts, and outage one of an outage that
	// ended at outageEnded.
	console, guarded, masked, hostile, outage string
	outageEnded                               time.Time

	// These are addresses of records.
	approved, refused, lot, soap, recovered, open, malformed, outside, changed, named, dollars string

	// cae is the CAE of approved.
	cae string
}

// newPlace starts the gateway, and sends it the traffic.
func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{Site: caddytest.NewSite(t)}
	base := func() string { return "http://" + caddytest.FreeAddress(t) }
	guarded, masked, hostile, outage := base(), base(), base(), base()
	p.console, p.guarded, p.masked, p.hostile, p.outage = p.URL+"/consola", guarded+"/consola", masked+"/consola", hostile+"/consola", outage+"/consola"
	var outageStore string
	outageStore, p.outageEnded = outageTrail(t)
	next := "wsfev1_console\n\twsfev1_backend {\n\t\tledger sqlite " + filepath.Join(t.TempDir(), "ledger.db") + "\n" + lostAnswers + "\t}"
	options := append([]string{"recover within 300ms", "replay on"}, p.Audit())
	p.Load(p.Config(strings.Join(options, "\n\t\t"), next) +
		another(guarded, caddytest.Accounts("wsfev1_console", "contadora")) +
		another(masked, "wsfev1_console {\n mask\n }") +
		another(outage, "wsfev1_console {\n audit sqlite "+outageStore+"\n }") +
		another(hostile, "wsfev1_console {\n audit sqlite "+hostileTrail(t)+"\n }\n respond /elsewhere `<!DOCTYPE html>`"))
	p.send()
	return p
}

// another is a further site of the configuration, beside the gateway's.
func another(address, directives string) string {
	return fmt.Sprintf("%s {\n\tbind %s\n\t%s\n}\n", address, caddytest.Loopback, directives)
}

// lostAnswers are the faults of the service: the first answer to each of two issuers is lost, and of another one the
// gateway cannot find out anything.
var lostAnswers = fmt.Sprintf(`		fault drop {
			operation FECAESolicitar
			cuit %[1]s
			count 1
			commit yes
		}
		fault drop {
			operation FECAESolicitar
			cuit %[3]s
			count 1
			commit yes
		}
		fault drop {
			operation FECAESolicitar FECompConsultar FECompUltimoAutorizado
			cuit %[2]s
			commit no
		}
`, caddytest.IssuerOf(2), caddytest.IssuerOf(4), caddytest.IssuerOf(bookkeeper))

// send sends one exchange of each kind.
func (p *place) send() {
	p.T.Helper()
	post := func(body, outcome string) (record string, answer caddytest.Response) {
		p.T.Helper()
		answer = p.Post("FECAESolicitar", body)
		if got := answer.Header.Get("Wsfev1-Outcome"); got != outcome {
			p.T.Fatalf("an exchange that was to be %s was %s: %s", outcome, got, answer.Body)
		}
		return answer.Header.Get("Wsfev1-Record"), answer
	}
	var answer caddytest.Response
	p.approved, answer = post(caddytest.Invoice(1), "approved")
	p.cae = strings.Trim(answer.At(p.T, "/FeDetResp/FECAEDetResponse/0/CAE"), `"`)
	p.refused, _ = post(strings.Replace(caddytest.Invoice(2), `"ImpTotal":121.00`, `"ImpTotal":120.00`, 1), "refused")
	p.lot, _ = post(caddytest.LotText(0, 1, 3), "approved")
	p.soap = p.Call(soap.V12, "FECAESolicitar", caddytest.Invoice(2)).Header.Get("Wsfev1-Record")
	p.recovered, _ = post(caddytest.LotText(2, 1, 1), "recovered")
	p.open, _ = post(caddytest.LotText(4, 1, 1), "unknown")
	p.malformed, _ = post(caddytest.InvoiceOf(3, `,"<b>Observación</b>":"`+hostileText+`"`), "malformed")
	for number := 3; number < 9; number++ {
		p.changed, _ = post(caddytest.Invoice(number), "approved")
	}
	named := strings.Replace(caddytest.Invoice(9), `"DocTipo":99,"DocNro":0`, `"DocTipo":80,"DocNro":30000000007`, 1)
	p.named, _ = post(strings.Replace(named, `"CondicionIVAReceptorId":5`, `"CondicionIVAReceptorId":4`, 1), "approved")
	p.dollars, _ = post(strings.Replace(caddytest.LotText(8, 1, 1), `"PES","MonCotiz":1,`, `"DOL","MonCotiz":1400.5,"CanMisMonExt":"N",`, 1), "approved")
	p.Post("FECompUltimoAutorizado", caddytest.LastText(0))
	p.outside = p.Post("NoExiste", "{}").Header.Get("Wsfev1-Record") // a record without an operation
}

// exchange is the address of the page of a record.
func exchange(record string) string { return "/exchange/" + record }
