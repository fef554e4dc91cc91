package evidence

import (
	"testing"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// TestFormatsOfAccountants: each value as it stands on paper in Argentina.
func TestFormatsOfAccountants(t *testing.T) {
	amount := wsfev1.MustAmount
	for _, c := range []struct{ got, want string }{
		{moneyText(amount("1234.56"), "PES"), "$ 1.234,56"},
		{moneyText(amount("121"), "PES"), "$ 121,00"},
		{moneyText(amount("1234567.5"), "DOL"), "1.234.567,50 (Dólar Estadounidense)"},
		{moneyText(amount("0.005"), "PES"), "$ 0,005"},
		{moneyText(amount("-1000"), ""), "-1.000,00"},
		{moneyText(amount("1e2"), "XYZ"), "100,00 (moneda XYZ)"},
		{moneyText(amount("12345678901234567890.12"), "PES"), "$ 12345678901234567890.12"}, // as it was sent
		{cuitText(20111111112), "20-11111111-2"},
		{cuitText(123), "123"},
		{voucherName(6), "Factura B"},
		{voucherName(3), "Nota de Crédito A"},
		{voucherName(4), "Recibo A"},
		{voucherName(63), "Liquidación A"},
		{voucherName(206), "Factura de Crédito Electrónica MiPyME (FCE) B"},
		{voucherName(777), "Comprobante de tipo 777"},
		{numberText(1, 5), "0001-00000005"},
		{numberText(12345, 99999999), "12345-99999999"},
		{rangeText(1, 5, 9), "0001-00000005 a 0001-00000009"},
		{documentText(80, 30000000007), "CUIT 30-00000000-7"},
		{documentText(86, 20111111112), "CUIL 20-11111111-2"},
		{documentText(96, 12345678), "DNI 12.345.678"},
		{documentText(96, -123), "DNI -123"},
		{documentText(99, 0), "Consumidor final, sin identificar"},
		{documentText(99, 12), "Doc. (Otro) 12"},
		{documentText(94, 12), "Pasaporte 12"},
		{documentText(80, 23000000000), "Sujeto no categorizado"},
		{documentText(55, 12), "Documento de tipo 55, 12"},
		{conditionName(1), "IVA Responsable Inscripto"},
		{conditionName(3), "código 3, que no está en la tabla"},
		{dayText("20261202"), "02/12/2026"},
		{dayText("20261301"), "20261301"},
		{momentText(time.Date(2026, 11, 22, 18, 4, 5, 999, time.UTC)), "22/11/2026 15:04:05 (hora argentina)"},
		{durationText(350 * time.Millisecond), "0,35 s"},
		{durationText(time.Microsecond), "menos de 0,01 s"},
		{durationText(12*time.Second + 40*time.Millisecond), "12,04 s"},
		{durationText(time.Minute - time.Millisecond), "1 min"},
		{durationText(2*time.Minute + 5*time.Second), "2 min 5 s"},
		{durationText(26*time.Hour + 3*time.Second), "1 d 2 h 3 s"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestEveryTypeOfVoucherHasASingularName that begins with a capital letter.
func TestEveryTypeOfVoucherHasASingularName(t *testing.T) {
	for _, cbteTipo := range wsfev1.VoucherTypes() {
		switch name := voucherName(cbteTipo); name[:min(len(name), 6)] {
		case "Factur", "Nota d", "Recibo", "Compro", "Otro c", "Cuenta", "Liquid":
		default:
			t.Errorf("type %d: %q", cbteTipo, name)
		}
	}
}
