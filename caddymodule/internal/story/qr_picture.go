package story

import (
	"fmt"
	"strings"

	barcode "github.com/boombuler/barcode/qr"

	"github.com/fielato/fielato/audit"
)

// QRCode is the QR code of an invoice (RG 4892/2020).
type QRCode struct {
	// Address is the text of the code; empty if there is none, and Missing then explains why.
	Address, Missing string
	// Side is the side of the picture with its border, in modules; Path draws the black ones.
	Side int
	Path string
}

// QROf returns the QR code of the invoice with this number. request is the record with the request, answer
// the one with the answer. isTest: the built-in service has authorised it.
func (l Lang) QROf(request, answer *audit.Record, number int64, isTest bool) (QRCode, error) {
	why := NoQRUnfit
	if isTest {
		why = NoQRTest
	} else {
		for _, q := range QRsOf(request, answer, false) {
			if q.CbteDesde > number || number > q.CbteHasta {
				continue
			}
			if q.Address != "" {
				return drawn(q.Address)
			}
			why = q.Missing
			break
		}
	}
	return QRCode{Missing: l.NoQR(why)}, nil
}

// quietZone is the white border of a QR code, in modules: without it readers do not find it.
const quietZone = 4

// drawn draws a QR code, as one path: lines would otherwise show between squares. Level M is what
// the printed codes of invoices have.
func drawn(text string) (QRCode, error) {
	code, err := barcode.Encode(text, barcode.M, barcode.Auto)
	if err != nil {
		return QRCode{}, fmt.Errorf("drawing a QR code: %w", err)
	}
	size := code.Bounds().Dx()
	black := func(x, y int) bool {
		if x >= size {
			return false
		}
		r, _, _, _ := code.At(x, y).RGBA()
		return r == 0
	}
	var path strings.Builder
	for y := range size {
		for x := 0; x < size; x++ {
			from := x
			for black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+quietZone, y+quietZone, x-from, x-from)
			}
		}
	}
	return QRCode{Address: text, Side: size + 2*quietZone, Path: path.String()}, nil
}
