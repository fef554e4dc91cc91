package qrcode

import (
	"fmt"
	"strings"

	barcode "github.com/boombuler/barcode/qr"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// Drawn is the QR code of an invoice (RG 4892/2020) with its picture.
type Drawn struct {
	// Address is the text of the code; empty if there is none, and Missing then explains why.
	Address, Missing string
	// Side is the side of the picture with its border, in modules; Path draws the black ones.
	Side int
	Path string
}

// Of returns the QR code of the invoice with this number. request is the record with the request, answer
// the one with the answer. isTest: the built-in service has authorised it.
func Of(l story.Lang, request, answer *audit.Record, number int64, isTest bool) (Drawn, error) {
	why := Unfit
	if isTest {
		why = Test
	} else {
		for _, q := range All(request, answer, false) {
			if q.CbteDesde > number || number > q.CbteHasta {
				continue
			}
			if q.Address != "" {
				return draw(q.Address)
			}
			why = q.Missing
			break
		}
	}
	return Drawn{Missing: why.In(l)}, nil
}

// quietZone is the white border of a QR code, in modules: without it readers do not find it.
const quietZone = 4

// draw draws a QR code, as one path: lines would otherwise show between squares. Level M is what
// the printed codes of invoices have.
func draw(text string) (Drawn, error) {
	code, err := barcode.Encode(text, barcode.M, barcode.Auto)
	if err != nil {
		return Drawn{}, fmt.Errorf("drawing a QR code: %w", err)
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
	return Drawn{Address: text, Side: size + 2*quietZone, Path: path.String()}, nil
}
