package clientscmd

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/wsfev1"
)

// question is what check asks: whether somebody may send a request.
type question struct {
	user, certificate, key, ticket string
	names                          []string
	cuit                           wsfev1.CUIT
	ptoVta, cbteTipo               int32
	amount                         string

	set      *pflag.FlagSet
	op       *wsfev1.Operation
	identity clients.Identity
	// written has the identities as a row has them.
	written clients.Row
	total   wsfev1.Amount // not sent without --amount
}

func (q *question) bind(set *pflag.FlagSet) {
	q.set = set
	set.StringVar(&q.user, "user", "", "The user that the authentication in front has found")
	set.StringVar(&q.certificate, "certificate", "", "The subject of the client certificate, such as CN=erp,O=Example")
	set.StringArrayVar(&q.names, "certificate-san", nil, "An alternative name of the client certificate; may be repeated")
	set.StringVar(&q.key, "certificate-key", "", "The SHA-256 of the public key of the client certificate, in hexadecimal")
	set.StringVar(&q.ticket, "ticket", "", "The subject of the certificate that got the access ticket")
	cli.CUITVar(set, &q.cuit, "The issuer")
	set.Int32Var(&q.ptoVta, "pto-vta", 0, "The point of sale (default: any that the client may use)")
	set.Int32Var(&q.cbteTipo, "cbte-tipo", 0, "The type of voucher (default: any that the client may use)")
	set.StringVar(&q.amount, "amount", "", "The total of the invoice, in pesos (default: any that the client may issue)")
}

// read checks the flags and the name of the operation.
func (q *question) read(operation string) error {
	if q.op = wsfev1.OperationByName(operation); q.op == nil {
		return fmt.Errorf("OPERATION %q: no such operation; names are exact, such as FECAESolicitar", operation)
	}
	if err := q.readIdentity(); err != nil {
		return err
	}
	if q.op.Family != wsfev1.FamilyHealth {
		if q.cuit == 0 {
			return errors.New("name the issuer with --cuit")
		}
		if err := cli.CheckCUIT(q.cuit); err != nil {
			return err
		}
	}
	ptoVta, cbteTipo, lot := places(q.op.NewRequest())
	for _, flag := range []struct {
		name   string
		named  bool
		number int64
		most   int64
	}{
		{"pto-vta", ptoVta != nil, int64(q.ptoVta), 99_999}, {"cbte-tipo", cbteTipo != nil, int64(q.cbteTipo), 999}, {"amount", lot != nil, 1, 1},
	} {
		switch {
		case !q.set.Changed(flag.name):
		case !flag.named:
			return fmt.Errorf("a request of %s names nothing of the kind: leave --%s out", q.op.Name, flag.name)
		case flag.number < 1 || flag.number > flag.most:
			return fmt.Errorf("--%s %d: give a number from 1 to %d", flag.name, flag.number, flag.most)
		}
	}
	if q.amount == "" {
		return nil
	}
	total, err := wsfev1.ParseAmount(q.amount)
	if err != nil || total.Sign() < 0 || !total.Exact() {
		return fmt.Errorf("--amount %q: give an amount with a point before its decimals and no thousands mark, such as 1000.50", q.amount)
	}
	q.total = total
	return nil
}

// operationNames are the names of all operations.
func operationNames() (names []string) {
	for _, op := range wsfev1.Operations {
		names = append(names, op.Name)
	}
	return names
}

// readIdentity takes over what was proven.
func (q *question) readIdentity() (err error) {
	normal := func(kind clients.Kind, text string, into *string, list *[]string) {
		if text == "" || err != nil {
			return
		}
		var one string
		if one, err = clients.ParseIdentity(kind, text); err != nil {
			return
		}
		*into, *list = one, append(*list, one)
	}
	normal(clients.User, q.user, &q.identity.User, &q.written.User)
	normal(clients.Certificate, q.certificate, &q.identity.Subject, &q.written.Certificate)
	normal(clients.CertificateKey, q.key, &q.identity.KeyDigest, &q.written.CertificateKey)
	normal(clients.Ticket, q.ticket, &q.identity.Ticket, &q.written.Ticket)
	for _, name := range q.names {
		var one string
		normal(clients.CertificateSAN, name, &one, &q.written.CertificateSAN)
		q.identity.Names = append(q.identity.Names, one)
	}
	if err == nil && identities(&q.written) == "" {
		return errors.New("say who sends the request: give --user, --certificate, --certificate-san, --certificate-key or --ticket")
	}
	return err
}

// request returns the request that the question is about. What it leaves open has a value that the row allows, if
// there is one.
func (q *question) request(row *clients.Row) any {
	request := wsfev1.WithAuth(q.op.NewRequest(), wsfev1.Auth{Cuit: q.cuit})
	ptoVta, cbteTipo, lot := places(request)
	if ptoVta != nil {
		*ptoVta = orFirst(q.ptoVta, row.PtoVta)
	}
	if cbteTipo != nil {
		*cbteTipo = orFirst(q.cbteTipo, row.CbteTipo)
	}
	if lot != nil && q.total.Sent() {
		lot(wsfev1.FECAEDetRequest{ImpTotal: q.total, MonId: "PES"})
	}
	return request
}

// orFirst returns a number, or else the first that a row allows.
func orFirst(number int32, allowed []string) int32 {
	if number != 0 || len(allowed) == 0 {
		return max(number, 1)
	}
	first, err := strconv.ParseInt(allowed[0], 10, 32)
	if err != nil { // it is *
		return 1
	}
	return int32(first)
}

// places returns where a request names a point of sale and a type of voucher, nil where it names none, and what
// adds an invoice, nil for a request without invoices.
func places(request any) (ptoVta, cbteTipo *int32, add func(wsfev1.FECAEDetRequest)) {
	switch r := request.(type) {
	case *wsfev1.FECAESolicitarRequest:
		list := &r.FeCAEReq.FeDetReq.FECAEDetRequest
		add = func(invoice wsfev1.FECAEDetRequest) { *list = append(*list, invoice) }
	case *wsfev1.FECAEARegInformativoRequest:
		list := &r.FeCAEARegInfReq.FeDetReq.FECAEADetRequest
		add = func(invoice wsfev1.FECAEDetRequest) {
			*list = append(*list, wsfev1.FECAEADetRequest{FECAEDetRequest: invoice})
		}
	case *wsfev1.FECompConsultarRequest:
		return &r.FeCompConsReq.PtoVta, &r.FeCompConsReq.CbteTipo, nil
	case *wsfev1.FECompUltimoAutorizadoRequest:
		return &r.PtoVta, &r.CbteTipo, nil
	case *wsfev1.FECAEASinMovimientoRequest:
		return &r.PtoVta, nil, nil
	}
	if lot := wsfev1.LotOf(request); lot != nil {
		return &lot.Header.PtoVta, &lot.Header.CbteTipo, add
	}
	return nil, nil, nil
}
