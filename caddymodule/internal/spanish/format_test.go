package spanish

import (
	"testing"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// TestFormatsOfAccountants: each value as it stands on paper in Argentina.
func TestFormatsOfAccountants(t *testing.T) {
	amount := wsfev1.MustAmount
	for _, c := range []struct{ got, want string }{
		{Money(amount("1234.56"), "PES"), "$ 1.234,56"},
		{Money(amount("121"), "PES"), "$ 121,00"},
		{Money(amount("1234567.5"), "DOL"), "1.234.567,50 (Dólar Estadounidense)"},
		{Money(amount("0.005"), "PES"), "$ 0,005"},
		{Money(amount("-1000"), ""), "-1.000,00"},
		{Money(amount("1e2"), "XYZ"), "100,00 (moneda XYZ)"},
		{Money(amount("12345678901234567890.12"), "PES"), "$ 12345678901234567890.12"}, // as it was sent
		{CUIT(20111111112), "20-11111111-2"},
		{CUIT(123), "123"},
		{Voucher(6), "Factura B"},
		{Voucher(3), "Nota de Crédito A"},
		{Voucher(4), "Recibo A"},
		{Voucher(63), "Liquidación A"},
		{Voucher(206), "Factura de Crédito Electrónica MiPyME (FCE) B"},
		{Voucher(777), "Comprobante de tipo 777"},
		{Number(1, 5), "0001-00000005"},
		{Number(12345, 99999999), "12345-99999999"},
		{Numbers(1, 5, 9), "0001-00000005 a 0001-00000009"},
		{Document(80, 30000000007), "CUIT 30-00000000-7"},
		{Document(86, 20111111112), "CUIL 20-11111111-2"},
		{Document(96, 12345678), "DNI 12.345.678"},
		{Document(96, -123), "DNI -123"},
		{Document(99, 0), "Consumidor final, sin identificar"},
		{Document(99, 12), "Doc. (Otro) 12"},
		{Document(94, 12), "Pasaporte 12"},
		{Document(80, 23000000000), "Sujeto no categorizado"},
		{Document(55, 12), "Documento de tipo 55, 12"},
		{Condition(1), "IVA Responsable Inscripto"},
		{Condition(3), "código 3, que no está en la tabla"},
		{Day("20261202"), "02/12/2026"},
		{Day("20261301"), "20261301"},
		{Moment(time.Date(2026, 11, 22, 18, 4, 5, 999, time.UTC)), "22/11/2026 15:04:05 (hora argentina)"},
		{Duration(350 * time.Millisecond), "0,35 s"},
		{Duration(time.Microsecond), "menos de 0,01 s"},
		{Duration(12*time.Second + 40*time.Millisecond), "12,04 s"},
		{Duration(time.Minute - time.Millisecond), "1 min"},
		{Duration(2*time.Minute + 5*time.Second), "2 min 5 s"},
		{Duration(26*time.Hour + 3*time.Second), "1 d 2 h 3 s"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestEveryTypeOfVoucherHasASingularName that begins with a capital letter.
func TestEveryTypeOfVoucherHasASingularName(t *testing.T) {
	for _, cbteTipo := range wsfev1.VoucherTypes() {
		switch name := Voucher(cbteTipo); name[:min(len(name), 6)] {
		case "Factur", "Nota d", "Recibo", "Compro", "Otro c", "Cuenta", "Liquid":
		default:
			t.Errorf("type %d: %q", cbteTipo, name)
		}
	}
}
