package clientscmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const rows = `
	client shop {
		user shop
		cuits 20-11111111-2
		pto_vta 1 3
		cbte_tipo 6
		may issue query
		max_amount 1000
		rate 10/s burst 20
		share 2
	}
	client erp {
		certificate CN=erp,O=Example
		cuits *
		may *
	}
	reader desk {
		user desk
		cuits 30-50001091-2
		mask
	}`

// write writes a configuration with the options of a gateway, and makes its folder the current one.
func write(t *testing.T, options ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	text := ""
	for i, o := range options {
		text += fmt.Sprintf(":808%d {\n\twsfev1 {\n%s\n\t}\n\trespond 204\n}\n", i, o)
	}
	put(t, "Caddyfile", text)
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTheTableIsShown with the rows of the file, and by JSON with each word of a row.
func TestTheTableIsShown(t *testing.T) {
	write(t, rows+"\n\tclients ./customers\n\tticket check ./authority.pem")
	put(t, "customers", "# a line for each\nbakery certificate_san bakery.example.com ticket CN=bakery cuits 30-50001091-2 may FECAESolicitar\n")
	out, errs, err := caddytest.RunCommand("clients")
	if err != nil || errs != "" {
		t.Fatalf("%v %s", err, errs)
	}
	for _, want := range []string{
		`Caddyfile:2 and \./customers: 3 clients, 1 reader, sha256 [0-9a-f]{64}`,
		`CLIENT +IDENTITIES +CUITS +PTO_VTA +CBTE_TIPO +MAY +LIMITS`,
		`bakery +certificate_san bakery\.example\.com, ticket CN=bakery +30500010912 +\* +\* +FECAESolicitar +-`,
		`erp +certificate CN=erp,O=Example +\* +\* +\* +\* +-`,
		`shop +user shop +20111111112 +1 3 +6 +issue query +max_amount 1000, rate 10/s burst 20, share 2`,
		`READER +IDENTITIES +CUITS +MASK`, `desk +user desk +30500010912 +mask`,
	} {
		if !regexp.MustCompile("(?m)^" + want + "$").MatchString(out) {
			t.Errorf("no line %s:\n%s", want, out)
		}
	}
	out, _, err = caddytest.RunCommand("clients", "--format", "json")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if err != nil || len(lines) != 4 {
		t.Fatalf("%v %s", err, out)
	}
	var shop struct {
		Gateway, File, SHA256, Role, Name string
		User, Cuits, May, Rate            []string
		PtoVta                            []string `json:"pto_vta"`
	}
	if err := json.Unmarshal([]byte(lines[2]), &shop, json.MatchCaseInsensitiveNames(true)); err != nil || shop.Name != "shop" || shop.Role != "client" ||
		shop.Gateway != "Caddyfile:2" || shop.File != "./customers" || len(shop.SHA256) != 64 || len(shop.PtoVta) != 2 || shop.May[1] != "query" {
		t.Errorf("%v %+v %s", err, shop, lines[2])
	}
}

// TestEachGatewayHasItsTable, and --gateway shows one of them.
func TestEachGatewayHasItsTable(t *testing.T) {
	write(t, "\tclient shop {\n\tuser shop\n\tcuits *\n\tmay query\n}", "\tmode observe", "\tclient erp {\n\tuser erp\n\tcuits *\n\tmay *\n}")
	out, errs, err := caddytest.RunCommand("clients")
	if err != nil || errs != "" || strings.Count(out, "1 client, 0 readers") != 2 || !strings.Contains(out, "\n\nCaddyfile:") {
		t.Errorf("%v %s%s", err, errs, out)
	}
	third := regexp.MustCompile(`(?m)^Caddyfile:\d\d`).FindString(out)
	out, _, err = caddytest.RunCommand("clients", "--gateway", third)
	if err != nil || strings.Contains(out, "shop") || !strings.Contains(out, "erp") {
		t.Errorf("--gateway %s: %v %s", third, err, out)
	}
	if _, errs, err := caddytest.RunCommand("clients", "--gateway", "Caddyfile:12"); err != nil || !strings.Contains(errs, "there are no clients and no readers") {
		t.Errorf("%v %s", err, errs)
	}
}

// TestAConfigurationIsRefused with what to do.
func TestAConfigurationIsRefused(t *testing.T) {
	two := "\tclient shop {\n\tuser shop\n\tcuits *\n\tmay *\n}\n"
	for want, options := range map[string][]string{
		`client erp: user "shop" is client shop's already (Caddyfile:`: {two + strings.Replace(two, "client shop", "client erp", 1)},
		"open ./customers: no such file":                               {"\tclients ./customers"},
		"--gateway Caddyfile:99: the gateways stand at Caddyfile:2":    {two},
		"has no gateway: there is no wsfev1 in it":                     nil,
	} {
		write(t, options...)
		if options == nil {
			put(t, "Caddyfile", ":8080\nrespond 204\n")
		}
		arguments := []string{"clients"}
		if strings.Contains(want, "--gateway") {
			arguments = append(arguments, "--gateway", "Caddyfile:99")
		}
		if out, _, err := caddytest.RunCommand(arguments...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v %s\nwant %s", err, out, want)
		}
	}
	t.Chdir(t.TempDir())
	if _, _, err := caddytest.RunCommand("clients"); err == nil || !strings.Contains(err.Error(), "name the configuration with --config") {
		t.Error(err)
	}
	if _, _, err := caddytest.RunCommand("clients", "chek"); err == nil || !strings.Contains(err.Error(), `unknown command "chek"`) || !strings.Contains(err.Error(), "check") {
		t.Error(err)
	}
	if _, _, err := caddytest.RunCommand("clients", "--config", filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("there is no such file")
	}
}
