package evidence

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/qr"
)

// testAnswer approves testRequest.
const testAnswer = `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"Resultado":"A"},"FeDetResp":{"FECAEDetResponse":[
{"DocTipo":80,"DocNro":30000000007,"CbteDesde":5,"CbteHasta":5,"CbteFch":"20261121","Resultado":"A","CAE":"76470000000018","CAEFchVto":"20261202"}]}}`

// approvedBy is issued, with the body of the answer.
func approvedBy(upstream string) []*audit.Record {
	records := issued(upstream)
	records[1].Answer = []byte(testAnswer)
	return records
}

// testAddress is the text of the QR code of testRequest.
func testAddress(t *testing.T) string {
	t.Helper()
	address, err := qr.Content{
		Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, InvoiceRange: wsfev1.InvoiceRange{CbteDesde: 5, CbteHasta: 5}, CbteFch: "20261121",
		ImpTotal: wsfev1.MustAmount("1234.56"), MonId: "PES", DocTipo: 80, DocNro: 30000000007, Authorisation: "76470000000018",
	}.Address()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// TestPageHasTheQROfAnApprovedInvoice, with its picture.
func TestPageHasTheQROfAnApprovedInvoice(t *testing.T) {
	page := pageFor(t, approvedBy(real)...)
	say(t, page, "Datos del comprobante", "Código QR del comprobante (RG 4892)", testAddress(t), "Qué pasó")
	if !strings.Contains(page, `href="`+testAddress(t)+`"`) || strings.Count(page, "<svg") != 1 {
		t.Error("no link, or no picture")
	}
	asked := query(audit.DecisionForward, audit.OutcomeAnswered, granted)
	asked.Request = []byte(`{"Auth":{"Token":"hmac-sha256:00","Sign":"hmac-sha256:00","Cuit":20111111112},"FeCompConsReq":{"CbteTipo":6,"CbteNro":5,"PtoVta":1}}`)
	asked.Answer = []byte(`{"ResultGet":{"DocTipo":80,"DocNro":30000000007,"CbteDesde":5,"CbteHasta":5,"CbteFch":"20261121","ImpTotal":1234.56,"MonId":"PES",
"MonCotiz":1,"Resultado":"A","CodAutorizacion":"76470000000018","EmisionTipo":"CAE","PtoVta":1,"CbteTipo":6}}`)
	say(t, pageFor(t, asked), "Autorizado, según una consulta", "Código QR", testAddress(t))
	settled := settlement(0, "recovered", granted)
	settled.Answer = []byte(testAnswer)
	say(t, pageFor(t, append(unknown(), settled)...), "Código QR", testAddress(t))
}

// TestPageExplainsWhereThereIsNoQR: for a test invoice, for a range, for content that is not kept. An
// invoice that was not approved has not even the heading.
func TestPageExplainsWhereThereIsNoQR(t *testing.T) {
	test := approvedBy(audit.BuiltInUpstream)
	ranged := approvedBy(real)
	change := strings.NewReplacer(`"CbteHasta":5`, `"CbteHasta":9`)
	ranged[0].Request, ranged[1].Answer = []byte(change.Replace(testRequest)), []byte(change.Replace(testAnswer))
	ranged[0].Vouchers[0].CbteHasta, ranged[1].Vouchers[0].CbteHasta = 9, 9
	hidden := approvedBy(real)
	hidden[0].Request = []byte(strings.Replace(testRequest, `"DocTipo":80`, `"DocTipo":"hmac-sha256:ab"`, 1))
	masked := approvedBy(real)
	masked[1].Answer = []byte(strings.Replace(testAnswer, `"20261121"`, `"hmac-sha256:ab"`, 1))
	purged := approvedBy(real)
	for _, r := range purged {
		r.Presence, r.Request, r.Answer = audit.Purged, nil, nil
	}
	for want, all := range map[string][][]*audit.Record{
		"No se muestra: el comprobante es de prueba y no tiene validez fiscal.":    {test},
		"No se muestra: cada comprobante del rango lleva el suyo":                  {ranged},
		"No se muestra: faltan datos en lo que se conserva del pedido y de la res": {hidden, masked, purged},
	} {
		for _, records := range all {
			page := pageFor(t, records...)
			say(t, page, "Código QR del comprobante", want)
			sayNot(t, page, "fe/qr")
		}
	}
	sayNot(t, pageFor(t, refusal()), "Código QR")
	sayNot(t, pageFor(t, unknown()...), "Código QR")
}

// TestPictureOfAQRIsThatOfItsText: read by a program for bar codes where there is one; else its
// three finders are where they belong.
func TestPictureOfAQRIsThatOfItsText(t *testing.T) {
	picture := pictureOf(t, pageFor(t, approvedBy(real)...))
	if program, err := exec.LookPath("zbarimg"); err == nil {
		file := filepath.Join(t.TempDir(), "qr.png")
		var encoded bytes.Buffer
		if err := png.Encode(&encoded, picture); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, encoded.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := exec.CommandContext(t.Context(), program, "--quiet", "--raw", file).Output()
		if err != nil || strings.TrimSpace(string(read)) != testAddress(t) {
			t.Errorf("%v\n got %s\nwant %s", err, read, testAddress(t))
		}
	}
	side := picture.Bounds().Dx() / pixels
	for _, corner := range []image.Point{{quietZone, quietZone}, {side - quietZone - 7, quietZone}, {quietZone, side - quietZone - 7}} {
		var row string
		for x := range 7 {
			row += map[bool]string{true: "x", false: "."}[picture.GrayAt((corner.X+x)*pixels, (corner.Y+3)*pixels).Y == 0]
		}
		if row != "x.xxx.x" {
			t.Errorf("no finder at %v: %s", corner, row)
		}
	}
}

// pixels is the side of a module in pixels, and quietZone the white border of a code in modules, without
// which readers do not find it.
const (
	pixels    = 4
	quietZone = 4
)

var (
	svgBox = regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`)
	svgRun = regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`)
)

// pictureOf draws the one picture of a page.
func pictureOf(t *testing.T, page string) *image.Gray {
	t.Helper()
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	_, svg, _ := strings.Cut(page, "<svg")
	svg, _, _ = strings.Cut(svg, "</svg>")
	side := number(svgBox.FindStringSubmatch(svg)[1])
	picture := image.NewGray(image.Rect(0, 0, side*pixels, side*pixels))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	for _, run := range svgRun.FindAllStringSubmatch(svg, -1) {
		for x := range number(run[3]) * pixels {
			for y := range pixels {
				picture.SetGray(number(run[1])*pixels+x, number(run[2])*pixels+y, color.Gray{})
			}
		}
	}
	return picture
}
