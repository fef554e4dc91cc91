package doctor_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const (
	shopRow = "client shop {\n user shop\n cuits 20-11111111-2\n may issue query\n}\n"
	erpRow  = "client erp {\n certificate CN=erp,O=Example\n cuits 30-50001091-2\n may issue\n}\n"
	tmsRow  = "client tms {\n certificate_key " + "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff" + "\n cuits 20-11111111-2\n may query\n}\n"
)

// admitting is a site with the lines of a site and the rows of its gateway.
func admitting(site, lines, rows string) string {
	return fmt.Sprintf("{\n admin off\n persist_config off\n local_certs\n skip_install_trust\n storage file_system .\n}\n%s {\n%s\n wsfev1 {\n audit sqlite audit.db\n%s\n}\n wsfev1_backend {\n ledger sqlite ledger.db\n }\n}\n", site, lines, rows)
}

// TestClientsThatNothingProves: a user without an authentication, a certificate that nobody asks for or verifies.
func TestClientsThatNothingProves(t *testing.T) {
	t.Chdir(t.TempDir())
	accounts := caddytest.Accounts("", "shop")
	secure := "https://site.example:" + strings.TrimPrefix(freeAddress(t), "127.0.0.1:")
	authority := "trust_pool file " + authorityFile(t)
	for name, test := range map[string]struct{ site, lines, rows, status, found string }{
		"no authentication":     {local(t), bound, shopRow, "warning", "known by their user, and no authentication stands in front, so that they get 403: shop"},
		"an authentication":     {local(t), bound + "\n" + accounts, shopRow, "ok", "1, each with its own rights"},
		"of somebody else":      {local(t), bound + "\n" + caddytest.Accounts("", "shpo"), shopRow, "warning", "basic_auth in front does not have the users of clients, so that they get 403: shop (user shop)"},
		"of some paths":         {local(t), bound + "\n" + strings.Replace(accounts, "basic_auth", "basic_auth /api/*", 1), shopRow, "ok", "1, each"},
		"a question to another": {local(t), bound + "\nforward_auth 127.0.0.1:9 {\n uri /\n}\n", shopRow, "warning", "no authentication stands in front"},
		"plain HTTP":            {local(t), bound, erpRow, "warning", "known by a certificate, and the site verifies none, so that they get 403: erp"},
		"no certificate asked":  {secure, bound, erpRow, "warning", "the site verifies none"},
		"not verified":          {secure, bound + "\ntls internal {\n client_auth {\n mode require\n }\n}", erpRow, "warning", "the site verifies none"},
		"its key is enough":     {secure, bound + "\ntls internal {\n client_auth {\n mode request\n }\n}", tmsRow, "ok", "1, each"},
		"its key is not asked":  {secure, bound, tmsRow, "warning", "known by the key of a certificate, and the site asks for none, so that they get 403: tms"},
		"verified":              {secure, bound + "\ntls internal {\n client_auth {\n" + authority + "\n }\n}", erpRow, "ok", "1, each"},
		"verified if given":     {secure, bound + "\ntls internal {\n client_auth {\n mode verify_if_given\n" + authority + "\n }\n}", erpRow + tmsRow, "ok", "2, each"},
	} {
		r, err := examine(t, admitting(test.site, test.lines, test.rows))
		t.Log(name)
		r.want(t, "clients", test.status, test.found)
		if err != nil || len(r["clients"]) != 1 {
			t.Errorf("%v %+v", err, r)
		}
	}
}

// TestReadersThatNothingProves: a reader is nobody if no console has something in front that can prove it. What
// stands in front of the gateway proves no reader.
func TestReadersThatNothingProves(t *testing.T) {
	t.Chdir(t.TempDir())
	const (
		desk  = "reader desk {\n user desk\n cuits 20-11111111-2\n}\n"
		clerk = "reader clerk {\n certificate CN=clerk\n cuits 20-11111111-2\n}\n"
		token = "reader token {\n certificate_key 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n cuits 20-11111111-2\n}\n"
	)
	secure := func() string { return "https://site.example:" + strings.TrimPrefix(freeAddress(t), "127.0.0.1:") }
	authority := "trust_pool file " + authorityFile(t)
	inFront := func(what string) string { return "handle /consola* {\n" + what + "\nwsfev1_console\n}" }
	account := caddytest.Accounts("", "desk")
	verified := "tls internal {\n client_auth {\n mode verify_if_given\n" + authority + "\n }\n}\n"
	for name, test := range map[string]struct{ site, lines, rows, status, found string }{
		"no console":               {local(t), bound, desk, "ok", ""},
		"no authentication":        {local(t), bound + "\n" + inFront(""), desk, "warning", "readers of the console known by their user, and no authentication stands in front, so that nobody can be one: desk"},
		"in front of the gateway":  {local(t), bound + "\nhandle /api/* {\n" + account + "}\n" + inFront(""), desk, "warning", "so that nobody can be one: desk"},
		"an authentication":        {local(t), bound + "\n" + inFront(account), desk, "ok", ""},
		"a question to another":    {local(t), bound + "\n" + inFront("forward_auth 127.0.0.1:9 {\n uri /\n}"), desk, "warning", "no authentication stands in front, so that nobody can be one: desk"},
		"no certificate asked":     {secure(), bound + "\n" + inFront(account), clerk, "warning", "known by a certificate, and the site verifies none, so that nobody can be one: clerk"},
		"verified":                 {secure(), bound + "\n" + verified + inFront(account), desk + clerk + token, "ok", ""},
		"its key is not asked":     {secure(), bound + "\n" + inFront(account), token, "warning", "known by the key of a certificate, and the site asks for none, so that nobody can be one: token"},
		"a client beside a reader": {local(t), bound + "\n" + caddytest.Accounts("", "desk", "shop") + inFront(""), shopRow + desk, "ok", ""},
		"one of several consoles":  {local(t), bound + "\n" + inFront("") + "\nhandle /otra* {\n" + account + "\nwsfev1_console {\n path /otra\n}\n}", desk, "ok", ""},
	} {
		r, err := examine(t, admitting(test.site, test.lines, test.rows))
		t.Log(name)
		r.want(t, "clients", test.status, test.found)
		if len(r["clients"]) != 1 || test.status == "ok" && err != nil {
			t.Errorf("%v %+v", err, r)
		}
	}
}

// TestClientsWithEveryRight are named, a few of them.
func TestClientsWithEveryRight(t *testing.T) {
	t.Chdir(t.TempDir())
	rows, known := shopRow, []string{"shop", "all"}
	for i := range 6 {
		known = append(known, fmt.Sprintf("wide%d", i))
		rows += fmt.Sprintf("client wide%d {\n user wide%[1]d\n cuits 20-11111111-2\n may *\n}\n", i)
	}
	rows += "client all {\n user all\n cuits *\n may query\n}\n"
	r, _ := examine(t, admitting(local(t), bound+"\n"+caddytest.Accounts("", known...), rows))
	r.want(t, "clients", "warning", "cuits * or may *: all, wide0, wide1, wide2, wide3 and 2 more")
	if len(r["clients"]) != 1 {
		t.Errorf("%+v", r["clients"])
	}
}

// TestTicketsBehindClients: an issuer that no client has, and no warning that anybody may use the tickets.
func TestTicketsBehindClients(t *testing.T) {
	t.Chdir(t.TempDir())
	login := description(t, http.StatusOK)
	site := "http://:" + strings.TrimPrefix(freeAddress(t), "127.0.0.1:")
	block := "wsaa " + login + " {\n" + certificate(t, 365) + "\ncuits 20111111112 30500010912\n}\n"
	r, _ := examine(t, admitting(site, caddytest.Accounts("", "shop"), block+shopRow))
	r.want(t, "clients", "warning", "wsaa has CUITs that no client has: 30500010912")
	r.want(t, "authentication", "ok", "refuses whoever is none of its clients")
	r, _ = examine(t, admitting(site, caddytest.Accounts("", "shop"), block+shopRow+erpRow))
	if len(r["clients"]) != 1 || !strings.Contains(r["clients"][0].Found, "known by a certificate") {
		t.Errorf("%+v", r["clients"])
	}
	if err := os.Mkdir("customers", 0o700); err != nil {
		t.Fatal(err)
	}
	file, key, _ := strings.Cut(strings.TrimPrefix(certificate(t, 365), "certificate "), "\nkey ")
	for from, to := range map[string]string{file: "customers/norte.crt", key: "customers/norte.key"} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	pattern := "wsaa " + login + " {\ncertificate customers/*.crt\nkey customers/*.key\n}\n"
	r, _ = examine(t, admitting(site, "", pattern+erpRow))
	r.want(t, "clients", "warning", "wsaa has CUITs that no client has: 20111111112")
	r, _ = examine(t, admitting(site, "", block))
	r.want(t, "authentication", "warning", "none: whoever reaches the gateway can issue invoices for the cuits of wsaa")
	r, _ = examine(t, admitting(site, "", block+"reader desk {\n user desk\n cuits *\n}\n"))
	r.want(t, "authentication", "warning", "none: whoever reaches")
}

// TestATableThatCannotBeMade is a mistake in the configuration, with the row and its line.
func TestATableThatCannotBeMade(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, rows := range map[string]string{
		`client erp: user "shop" is client shop's already (`: shopRow + strings.Replace(shopRow, "client shop", "client erp", 1),
		"open ./customers: no such file":                     "clients ./customers\n",
		"./mistaken:2: client erp: write for which issuers":  "clients ./mistaken\n",
	} {
		if err := os.WriteFile("mistaken", []byte("# a mistake\nerp user erp may *\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := examine(t, admitting(local(t), bound, rows))
		r.want(t, "configuration", "problem", want)
		if err == nil || len(r["clients"]) != 0 {
			t.Errorf("%v %+v", err, r["clients"])
		}
	}
}
