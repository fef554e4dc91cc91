package clients_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/wsfev1"
)

var issuing = wsfev1.OperationByName("FECAESolicitar")

func newTable(tb testing.TB, rows ...clients.Row) *clients.Table {
	tb.Helper()
	table, err := clients.NewTable(rows)
	if err != nil {
		tb.Fatal(err)
	}
	return table
}

// TestATableIsRefused where it would not say what was meant, with the row, its line and what to write.
func TestATableIsRefused(t *testing.T) {
	good := clients.Row{Name: "shop", User: []string{"shop"}, Cuits: []string{"20-11111111-2"}, May: []string{"issue"}, Line: "Caddyfile:3"}
	with := func(change func(*clients.Row)) []clients.Row {
		row := good
		row.Line = "Caddyfile:9"
		change(&row)
		return []clients.Row{row}
	}
	for want, rows := range map[string][]clients.Row{
		`Caddyfile:9: client shop: nothing says who that is: give user, certificate`:                                   with(func(r *clients.Row) { r.User = nil }),
		`client "a b": give a name of letters, digits, dots, dashes and underscores`:                                   with(func(r *clients.Row) { r.Name = "a b" }),
		`client shop: write for which issuers: cuits with their numbers, or cuits * for all`:                           with(func(r *clients.Row) { r.Cuits = nil }),
		`client shop: write what it may do, such as may issue query tables, or may * for all`:                          with(func(r *clients.Row) { r.May = nil }),
		`client shop: may "isue": use issue, caea, query, tables, the name of an operation, or *; did you mean issue?`: with(func(r *clients.Row) { r.May = []string{"isue"} }),
		`client shop: cuits "20-11111111-3": give a number such as 20-11111111-2, or * for all`:                        with(func(r *clients.Row) { r.Cuits = []string{"20-11111111-3"} }),
		`client shop: cuits: * stands for all: leave the others out`:                                                   with(func(r *clients.Row) { r.Cuits = []string{"*", "20-11111111-2"} }),
		`client shop: pto_vta "0": give a number such as 3`:                                                            with(func(r *clients.Row) { r.PtoVta = []string{"0"} }),
		`client shop: max_amount "1.000,00": give an amount in pesos`:                                                  with(func(r *clients.Row) { r.MaxAmount = "1.000,00" }),
		`client shop: certificate "erp": give a subject such as CN=erp,O=Example`:                                      with(func(r *clients.Row) { r.Certificate = []string{"erp"} }),
		`client shop: certificate_key "abcd": give the SHA-256 of the public key in 64 hexadecimal digits`:             with(func(r *clients.Row) { r.CertificateKey = []string{"sha256:AB:CD"} }),
		`64 hexadecimal digits`:             with(func(r *clients.Row) { r.CertificateKey = []string{strings.Repeat("a", 66)} }),
		`client shop: mask is for a reader`: with(func(r *clients.Row) { r.Mask = true }),
		`reader shop: may is for a client`:  with(func(r *clients.Row) { r.Role = clients.RoleReader }),
		`Caddyfile:9: client shop is there twice (Caddyfile:3): give it another name`: append([]clients.Row{good}, with(func(*clients.Row) {})...),
		`Caddyfile:9: client erp: user "shop" is client shop's already (Caddyfile:3)`: append([]clients.Row{good}, with(func(r *clients.Row) { r.Name = "erp" })...),
	} {
		if _, err := clients.NewTable(rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// TestSetReadsWords, and says which words there are.
func TestSetReadsWords(t *testing.T) {
	row := clients.Row{Name: "shop"}
	for _, line := range []string{"user shop", "cuits 20-11111111-2 30-50001091-2", "pto_vta 4 3", "may tables query issue", "max_amount 1000.50"} {
		words := strings.Fields(line)
		if err := row.Set(words[0], words[1:]); err != nil {
			t.Fatal(err)
		}
	}
	want := "client shop user \"shop\" cuits 20111111112 30500010912 pto_vta 3 4 may issue query tables max_amount 1000.5\n"
	if table := newTable(t, row); table.Text() != want || table.Digest() != sha256.Sum256([]byte(want)) {
		t.Errorf("%s\nwant %s", table.Text(), want)
	}
	for want, words := range map[string][]string{
		`a client has no "cuit": use user, certificate,`: {"cuit", "20111111112"},
		`a client has no "mask"`:                         {"mask"},
		`max_amount takes one argument`:                  {"max_amount", "1", "2"},
		`pto_vta: give its argument behind it`:           {"pto_vta"},
	} {
		if err := new(clients.Row).Set(words[0], words[1:]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// TestIdentitiesOfCertificates: a key needs no authority, and a subject may be written with spaces.
func TestIdentitiesOfCertificates(t *testing.T) {
	key := []byte("a public key")
	sum := sha256.Sum256(key)
	table := newTable(t,
		clients.Row{Name: "bykey", CertificateKey: []string{"sha256:" + strings.ToUpper(hex.EncodeToString(sum[:]))}, Cuits: []string{"*"}, May: []string{"*"}},
		clients.Row{Name: "bysubject", Certificate: []string{"CN=erp, O=Example"}, Cuits: []string{"*"}, May: []string{"*"}},
	)
	for name, id := range map[string]clients.Identity{"bykey": {PublicKey: key}, "bysubject": {Subject: "CN=erp,O=Example"}} {
		if client, err := table.Client(&id); err != nil || client.Name != name {
			t.Errorf("%s: %v, %v", name, client, err)
		}
	}
	for _, id := range []clients.Identity{{}, {User: "CN=erp,O=Example"}, {Names: []string{"CN=erp,O=Example"}}, {PublicKey: []byte("another")}} {
		if client, err := table.Client(&id); err == nil {
			t.Errorf("%+v is %s", id, client.Name)
		}
	}
}

// manyClients returns a table of 10,000 clients and the identity of one of them.
func manyClients(tb testing.TB) (*clients.Table, *clients.Identity) {
	rows := make([]clients.Row, 10_000)
	for i := range rows {
		rows[i] = clients.Row{
			Name: fmt.Sprintf("c%d", i), User: []string{fmt.Sprintf("user%d", i)}, Cuits: []string{"20-11111111-2", "30-50001091-2"},
			PtoVta: []string{"1", "3", "4"}, May: []string{"issue", "query", "tables"}, MaxAmount: "1000000",
		}
	}
	return newTable(tb, rows...), &clients.Identity{User: "user7321", Subject: "CN=nobody", Names: []string{"nobody"}, PublicKey: []byte("key")}
}

func anInvoice() *wsfev1.FECAESolicitarRequest {
	request := new(wsfev1.FECAESolicitarRequest)
	request.Auth.Cuit, request.FeCAEReq.FeCabReq = 30500010912, wsfev1.FeCabReq{PtoVta: 3, CbteTipo: 6}
	request.FeCAEReq.FeDetReq.FECAEDetRequest = []wsfev1.FECAEDetRequest{{ImpTotal: amount("121.00"), MonId: "PES", MonCotiz: amount("1")}}
	return request
}

// TestADecisionAllocatesNothing with 10,000 clients.
func TestADecisionAllocatesNothing(t *testing.T) {
	table, id := manyClients(t)
	request := anInvoice()
	if n := testing.AllocsPerRun(100, func() {
		client, err := table.Client(id)
		if err != nil || client.Decide(issuing, request).Denies() {
			t.Fatal(client, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDecision(b *testing.B) {
	table, id := manyClients(b)
	request := anInvoice()
	b.ReportAllocs()
	for b.Loop() {
		client, err := table.Client(id)
		if err != nil || client.Decide(issuing, request).Denies() {
			b.Fatal(client, err)
		}
	}
}

// TestAClientIsFoundByTheDigestOfItsKey, for who does not have the key.
func TestAClientIsFoundByTheDigestOfItsKey(t *testing.T) {
	key := []byte("a public key")
	sum := sha256.Sum256(key)
	written, err := clients.ParseIdentity(clients.CertificateKey, "sha256:"+strings.ToUpper(hex.EncodeToString(sum[:])))
	if err != nil {
		t.Fatal(err)
	}
	table, err := clients.NewTable([]clients.Row{{Name: "erp", CertificateKey: []string{written}, Cuits: []string{clients.All}, May: []string{clients.All}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []clients.Identity{{PublicKey: key}, {KeyDigest: written}} {
		if client, err := table.Client(&id); err != nil || client.Name != "erp" {
			t.Errorf("%+v: %v", id, err)
		}
	}
	for _, id := range []clients.Identity{{KeyDigest: written[2:]}, {KeyDigest: written + "00"}, {KeyDigest: strings.Repeat("0", 64)}, {}} {
		if _, err := table.Client(&id); !errors.Is(err, clients.ErrNobody) {
			t.Errorf("%+v: %v", id, err)
		}
	}
}
