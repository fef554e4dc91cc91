package backend_test

import (
	"fmt"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// TestTheFirstInvoicesOfALotAreKept where a later one is refused: each is found under its own code, and the numbers from
// the refused one on are free.
func TestTheFirstInvoicesOfALotAreKept(t *testing.T) {
	const size = 250
	service := newService(t)
	next := int64(1)
	for _, approved := range []int{0, 1, 2, 17, 249, 250} {
		t.Run(fmt.Sprint(approved), func(t *testing.T) {
			request := lotRequest(issuer, 1, 6, next, size)
			details := request.FeCAEReq.FeDetReq.FECAEDetRequest
			for i := range details {
				details[i].DocNro = next*1000 + int64(i)
			}
			if approved < size {
				details[approved].CbteFch = "20261301"
			}
			answer := answerOf(t, service, "FECAESolicitar", request).(*wsfev1.FECAESolicitarAnswer)
			for i, d := range answer.FeDetResp.FECAEDetResponse {
				query := &wsfev1.FECompConsultarRequest{Auth: ticket(issuer), FeCompConsReq: wsfev1.FeCompConsReq{CbteTipo: 6, CbteNro: next + int64(i), PtoVta: 1}}
				found := answerOf(t, service, "FECompConsultar", query).(*wsfev1.FECompConsultarAnswer).ResultGet
				switch kept := i < approved; {
				case kept != (d.Resultado == wsfev1.Aprobado) || kept != (d.CAE != "") || kept != (found != nil):
					t.Fatalf("invoice %d of the lot is answered %+v and found as %+v", i, d, found)
				case kept && (found.CodAutorizacion != d.CAE || found.CbteDesde != next+int64(i) || found.DocNro != next*1000+int64(i)):
					t.Fatalf("invoice %d was answered %+v and is found as %+v", i, d, found)
				}
			}
			next += int64(approved)
			last := answerOf(t, service, "FECompUltimoAutorizado", &wsfev1.FECompUltimoAutorizadoRequest{Auth: ticket(issuer), PtoVta: 1, CbteTipo: 6})
			if got := last.(*wsfev1.FECompUltimoAutorizadoAnswer).CbteNro; got != next-1 {
				t.Errorf("the series ends at %d, want %d", got, next-1)
			}
		})
	}
}
