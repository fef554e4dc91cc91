package main

import (
	"bytes"
	"fmt"
	"strconv"
)

// series is a numbering: an issuer of its own, so that nothing waits for another.
type series struct {
	cuit int64
	next int64 // the number of the next invoice
}

// firstCuit is the issuer of the first series. Each further series has the next higher number.
const firstCuit = 20111111000

// newSeries returns the n-th series, at its first number.
func newSeries(n int) *series { return &series{cuit: firstCuit + int64(n), next: 1} }

// appendLot appends a FECAESolicitar of the next invoices of the series, class B for
// final consumers, which add up.
func (s *series) appendLot(b []byte, invoices int) []byte {
	b = strconv.AppendInt(append(b, `{"Auth":{"Token":"any-token","Sign":"any-sign","Cuit":`...), s.cuit, 10)
	b = strconv.AppendInt(append(b, `},"FeCAEReq":{"FeCabReq":{"CantReg":`...), int64(invoices), 10)
	b = append(b, `,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[`...)
	for i := range int64(invoices) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":`...), s.next+i, 10)
		b = strconv.AppendInt(append(b, `,"CbteHasta":`...), s.next+i, 10)
		b = append(b, `,"ImpTotal":121.00,"ImpTotConc":0,"ImpNeto":100.00,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21.00,`+
			`"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]}}`...)
	}
	return append(b, `]}}}`...)
}

// checkApproved returns the mistake in the answer to a lot of the next invoices, if there is one:
// each must be approved, under its own number and with a CAE. It searches for texts because a
// parser would take processor time from the target.
func (s *series) checkApproved(f *form, answer []byte, invoices int) error {
	last := strconv.AppendInt([]byte(f.number), s.next+int64(invoices)-1, 10)
	switch {
	case bytes.Count(answer, []byte(f.approved)) != invoices+1: // the lot's own and each invoice's
		return fmt.Errorf("not approved: %.300s", answer)
	case !bytes.Contains(answer, last) || bytes.Count(answer, []byte(f.number)) != invoices:
		return fmt.Errorf("the answer is about other numbers than %d to %d: %.300s", s.next, s.next+int64(invoices)-1, answer)
	case bytes.Count(answer, []byte(f.code)) != invoices:
		return fmt.Errorf("an invoice has no CAE: %.300s", answer)
	}
	return nil
}
