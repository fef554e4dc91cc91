package clients_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// The values that random rows and requests have, few enough to meet often.
var (
	someUsers = []string{"shop", "erp", "reports", "office"}
	someCuits = []wsfev1.CUIT{20111111112, 30500010912, 27000000006}
	someNames = []string{"CN=erp,O=Example", "CN=shop", `CN=a\,b`}
	someSANs  = []string{"shop.example.com", "erp@example.com"}
)

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// someTexts returns none, some or all of the values, or "*".
func someTexts[T any](r *rand.Rand, of []T, star bool) (texts []string) {
	if star && r.IntN(4) == 0 {
		return []string{clients.All}
	}
	for _, one := range of {
		if r.IntN(2) == 0 {
			texts = append(texts, fmt.Sprint(one))
		}
	}
	return texts
}

// randomRow returns a row that may be wrong.
func randomRow(r *rand.Rand, name string) clients.Row {
	row := clients.Row{
		Name: name, Cuits: someTexts(r, someCuits, true), PtoVta: someTexts(r, []int32{1, 2, 3}, true), CbteTipo: someTexts(r, []int32{1, 6}, true),
		May: someTexts(r, []string{"issue", "caea", "query", "tables", "FECompConsultar", "FECAESolicitar", "FECAEASolicitar"}, true),
	}
	switch r.IntN(4) {
	case 0:
		row.User = []string{pick(r, someUsers)}
	case 1:
		row.Certificate = []string{pick(r, someNames)}
	case 2:
		row.CertificateSAN = []string{pick(r, someSANs)}
	default:
		row.User, row.Ticket = []string{pick(r, someUsers)}, []string{pick(r, someNames)}
	}
	if r.IntN(3) == 0 {
		row.MaxAmount = pick(r, []string{"0", "100", "1000.5", "121000"})
	}
	return row
}

func randomIdentity(r *rand.Rand) clients.Identity {
	id := clients.Identity{}
	if r.IntN(2) == 0 {
		id.User = pick(r, append(someUsers, "mallory"))
	}
	if r.IntN(3) == 0 {
		id.Subject, id.Names = pick(r, append(someNames, "CN=mallory")), []string{pick(r, append(someSANs, "other"))}
	}
	if r.IntN(5) == 0 {
		id.Ticket = pick(r, someNames)
	}
	return id
}

// randomRequest returns a request of an operation, some of whose members are zero.
func randomRequest(r *rand.Rand, op *wsfev1.Operation) any {
	auth := wsfev1.Auth{Cuit: pick(r, append(someCuits, 0))}
	header := wsfev1.FeCabReq{PtoVta: r.Int32N(5), CbteTipo: pick(r, []int32{0, 1, 6, 11})}
	invoices := make([]wsfev1.FECAEDetRequest, 1+r.IntN(3))
	for i := range invoices {
		v := &invoices[i]
		v.ImpTotal, v.MonId = amount(pick(r, []string{"0", "100.00", "100.01", "121", "999999", "-5"})), pick(r, []string{"PES", "DOL", ""})
		if rate := pick(r, []string{"", "1", "1000.000001", "0", "-1"}); rate != "" {
			v.MonCotiz = amount(rate)
		}
	}
	request := wsfev1.WithAuth(op.NewRequest(), auth)
	switch q := request.(type) {
	case *wsfev1.FECAESolicitarRequest:
		q.FeCAEReq.FeCabReq, q.FeCAEReq.FeDetReq.FECAEDetRequest = header, invoices
	case *wsfev1.FECAEARegInformativoRequest:
		q.FeCAEARegInfReq.FeCabReq = header
		for _, v := range invoices {
			q.FeCAEARegInfReq.FeDetReq.FECAEADetRequest = append(q.FeCAEARegInfReq.FeDetReq.FECAEADetRequest, wsfev1.FECAEADetRequest{FECAEDetRequest: v})
		}
	case *wsfev1.FECompConsultarRequest:
		q.FeCompConsReq.PtoVta, q.FeCompConsReq.CbteTipo = header.PtoVta, header.CbteTipo
	case *wsfev1.FECompUltimoAutorizadoRequest:
		q.PtoVta, q.CbteTipo = header.PtoVta, header.CbteTipo
	case *wsfev1.FECAEASinMovimientoRequest:
		q.PtoVta = header.PtoVta
	}
	return request
}

func amount(text string) wsfev1.Amount {
	a, err := wsfev1.ParseAmount(text)
	if err != nil {
		panic(err)
	}
	return a
}

// oracleRows returns the names of the rows that an identity leads to.
func oracleRows(rows []clients.Row, id *clients.Identity) (found []string) {
	for i := range rows {
		row := &rows[i]
		if slices.Contains(row.User, id.User) || slices.Contains(row.Certificate, id.Subject) || slices.Contains(row.Ticket, id.Ticket) ||
			slices.ContainsFunc(row.CertificateSAN, func(san string) bool { return slices.Contains(id.Names, san) }) {
			found = append(found, row.Name)
		}
	}
	return found
}

// oracleAllows decides by the texts of a row, one right after the other.
func oracleAllows(row *clients.Row, op *wsfev1.Operation, request any) bool {
	if op.Name == "FEDummy" {
		return true
	}
	lists := func(list []string, value string, noneIsAll bool) bool {
		return len(list) == 0 && noneIsAll || slices.Contains(list, "*") || slices.Contains(list, value)
	}
	number := func(n int32) string { return strconv.Itoa(int(n)) }
	subject := wsfev1.SubjectOf(request)
	word := map[wsfev1.Family]string{"issuing": "issue", "caea": "caea", "query": "query", "table": "tables"}[op.Family]
	if !lists(row.Cuits, subject.Cuit.String(), false) || !lists(row.May, op.Name, false) && !lists(row.May, word, false) {
		return false
	}
	named := op.Family == "issuing" || op.Name == "FECompConsultar" || op.Name == "FECompUltimoAutorizado"
	if (named || strings.HasPrefix(op.Name, "FECAEASinMovimiento")) && !lists(row.PtoVta, number(subject.PtoVta), true) {
		return false
	}
	if named && !lists(row.CbteTipo, number(subject.CbteTipo), true) {
		return false
	}
	lot := wsfev1.LotOf(request)
	for i := range lot.Len() {
		if row.MaxAmount == "" {
			break
		}
		invoice := lot.Invoice(i)
		most, _ := new(big.Rat).SetString(row.MaxAmount)
		total, _ := new(big.Rat).SetString(invoice.ImpTotal.String())
		if invoice.MonId != "PES" {
			rate, ok := new(big.Rat).SetString(invoice.MonCotiz.String())
			if !ok || rate.Sign() <= 0 {
				return false
			}
			total.Mul(total, rate)
		}
		if total.Cmp(most) > 0 || total.Sign() < 0 {
			return false
		}
	}
	return true
}

// TestTheTableAgreesWithAnOracle about random tables, identities and requests of every operation.
func TestTheTableAgreesWithAnOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 1))
	allowed, denied, nobody := 0, 0, 0
	for decisions := 0; decisions < testrun.Size(t, 20_000, 1_200_000); {
		var rows []clients.Row
		var table *clients.Table
		for i := range 1 + r.IntN(4) {
			row := randomRow(r, "client"+strconv.Itoa(i))
			if made, err := clients.NewTable(append(rows, row)); err == nil {
				rows, table = append(rows, row), made
			}
		}
		for range 200 {
			if table == nil {
				break
			}
			decisions++
			id, op := randomIdentity(r), pick(r, wsfev1.Operations)
			request := randomRequest(r, op)
			found := oracleRows(rows, &id)
			client, err := table.Client(&id)
			switch {
			case len(found) != 1:
				nobody++
				if err == nil || errors.Is(err, clients.ErrSeveral) != (len(found) > 1) {
					t.Fatalf("%+v is %v, %v; the oracle says %v\n%s", id, client, err, found, table.Text())
				}
				continue
			case err != nil || client.Name != found[0]:
				t.Fatalf("%+v is %v, %v; the oracle says %v\n%s", id, client, err, found, table.Text())
			}
			row := &rows[slices.IndexFunc(rows, func(row clients.Row) bool { return row.Name == client.Name })]
			denial, want := client.Decide(op, request), oracleAllows(row, op, request)
			if denial.Denies() == want {
				t.Fatalf("%s %+v: %+v; the oracle says %v\n%s", op.Name, request, denial, want, row)
			}
			if want {
				allowed++
			} else {
				denied++
			}
		}
	}
	if min(allowed, denied, nobody) < 1000 {
		t.Errorf("%d allowed, %d denied, %d by nobody: the campaign says little", allowed, denied, nobody)
	}
}
