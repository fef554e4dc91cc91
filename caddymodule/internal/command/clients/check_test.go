package clientscmd_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// check runs `clients check` with a line of words without blanks in them. It returns the exit status.
func check(t *testing.T, line string) (out string, status int) {
	t.Helper()
	out, _, err := caddytest.RunCommand(append([]string{"clients", "check"}, strings.Fields(line)...)...)
	switch {
	case err == nil:
		return out, 0
	case strings.Contains(err.Error(), "the client may not send the request"):
		return out, 1
	}
	return err.Error(), 2
}

// TestCheckSaysYesOrNo, by which row, and what would have to be written.
func TestCheckSaysYesOrNo(t *testing.T) {
	write(t, rows)
	for line, want := range map[string]string{
		"--user shop --cuit 20-11111111-2 --pto-vta 3 --cbte-tipo 6 --amount 1000 FECAESolicitar": "yes, by Caddyfile:2: client shop may send FECAESolicitar\n  row    client shop user \"shop\" cuits 20111111112 ",
		"--user shop --cuit 20-11111111-2 FECAESolicitar":                                         "\n  only   pto_vta 1 3, cbte_tipo 6, max_amount 1000\n",
		"--user shop --cuit 20-11111111-2 --pto-vta 1 FECAESolicitar":                             "\n  only   cbte_tipo 6, max_amount 1000\n",
		"--user shop FEDummy": "yes, by Caddyfile:2: client shop may send FEDummy\n",
		"--certificate CN=erp,O=Example --cuit 30-50001091-2 FECAEASolicitar":                        "yes, by Caddyfile:2: client erp may send FECAEASolicitar\n",
		"--user shop --cuit 20-11111111-2 --pto-vta 2 FECAESolicitar":                                "no, by Caddyfile:2: client shop may not send FECAESolicitar: its row lacks pto_vta\n  row    client shop ",
		"--user shop --cuit 30-50001091-2 --pto-vta 2 --cbte-tipo 1 --amount 1000.01 FECAESolicitar": "its row lacks cuits, pto_vta, cbte_tipo, max_amount\n",
		"--user shop --cuit 30-50001091-2 --pto-vta 2 --cbte-tipo 1 --amount 1500 FECAESolicitar":    "\n  write  client shop user \"shop\" cuits 20111111112 30500010912 pto_vta 1 2 3 cbte_tipo 1 6 may issue query max_amount 1500 rate 10/s burst 20 share 2\n",
		"--user shop --cuit 20-11111111-2 --pto-vta 1 FECAEASinMovimientoInformar":                   "its row lacks may\n",
		"--user shop --cuit 20-11111111-2 --pto-vta 9 --cbte-tipo 6 FECompUltimoAutorizado":          "its row lacks pto_vta\n",
		"--user shop --cuit 20-11111111-2 --pto-vta 1 --cbte-tipo 7 FECompConsultar":                 "its row lacks cbte_tipo\n",
		"--user mallory --cuit 20-11111111-2 --pto-vta 1 FECAESolicitar":                             "no, by Caddyfile:2: no row has an identity that was proven\n  write  client mallory user \"mallory\" cuits 20111111112 pto_vta 1 may FECAESolicitar\n",
		"--ticket CN=new --cuit 20-11111111-2 FEParamGetTiposCbte":                                   "  write  client NAME ticket \"CN=new\" cuits 20111111112 may FEParamGetTiposCbte\n",
		"--user erp --cuit 20-11111111-2 FEParamGetTiposCbte":                                        "  write  client NAME user \"erp\" ", // erp is another one's name
		"--user mallory FEDummy": "no, by Caddyfile:2: no row has an identity that was proven\n",
		"--user shop --certificate CN=erp,O=Example --cuit 20-11111111-2 --pto-vta 1 FECAESolicitar":   "no, by Caddyfile:2: clients shop and erp: the identities that were proven belong to several rows\n",
		"--user shop --cuit 20-11111111-2 --pto-vta 1 --cbte-tipo 6 --amount 5000 FECAERegInformativo": "OPERATION \"FECAERegInformativo\": no such operation",
		"--cuit 20-11111111-2 FECAESolicitar":                                                "say who sends the request",
		"--user shop FECAESolicitar":                                                         "name the issuer with --cuit",
		"--user shop --cuit 20-11111111-3 FECAESolicitar":                                    "is not a CUIT",
		"--user shop --cuit 20-11111111-2 --pto-vta 0 FECAESolicitar":                        "--pto-vta 0: give a number from 1 to 99999",
		"--user shop --cuit 20-11111111-2 --pto-vta 1 FEParamGetTiposIva":                    "leave --pto-vta out",
		"--user shop --cuit 20-11111111-2 --amount 1 FECompConsultar":                        "leave --amount out",
		"--user shop --cuit 20-11111111-2 --amount 1.000,00 FECAESolicitar":                  "--amount \"1.000,00\": give an amount",
		"--certificate erp --cuit 20-11111111-2 FECAESolicitar":                              "give a subject such as CN=erp,O=Example",
		"--certificate-key abcd --cuit 20-11111111-2 FECAESolicitar":                         "in 64 hexadecimal digits",
		"--user shop --cuit 20-11111111-2 --config Caddyfile --at 2026-03-15 FECAESolicitar": "leave the other out",
		"--user shop": "OPERATION is missing",
	} {
		out, status := check(t, line)
		wanted := 2
		switch {
		case strings.HasPrefix(want, "yes"), strings.HasPrefix(want, "\n  only"):
			wanted = 0
		case strings.HasPrefix(want, "no,"), strings.HasPrefix(want, "its row"), strings.Contains(want, "  write"):
			wanted = 1
		}
		if !strings.Contains(out, want) || status != wanted {
			t.Errorf("%s: status %d, want %d\n%s\nwant %s", line, status, wanted, out, want)
		}
	}
}

// TestWhatIsToBeWrittenIsEnough: with that row, the answer is yes.
func TestWhatIsToBeWrittenIsEnough(t *testing.T) {
	sum := sha256.Sum256([]byte("a key"))
	for _, line := range []string{
		"--user shop --cuit 30-50001091-2 --pto-vta 2 --cbte-tipo 1 --amount 1500.50 FECAEARegInformativo",
		"--certificate-san shop.example.com --certificate-san shop --cuit 30-50001091-2 --pto-vta 2 FECompUltimoAutorizado",
		"--certificate-key " + hex.EncodeToString(sum[:]) + " --cuit 20-11111111-2 FEParamGetPtosVenta",
	} {
		write(t, rows)
		out, status := check(t, line+" --format json")
		var verdict struct {
			Allowed bool
			Write   string
			Missing []string
		}
		if err := json.Unmarshal([]byte(out), &verdict, json.MatchCaseInsensitiveNames(true)); err != nil || status != 1 || verdict.Allowed || verdict.Write == "" {
			t.Fatalf("%s: status %d, %v %s", line, status, err, out)
		}
		write(t, "\tclients ./customers")
		put(t, "customers", verdict.Write+"\n")
		if out, status := check(t, line); status != 0 {
			t.Errorf("%s: status %d with %s: %s", line, status, verdict.Write, out)
		}
	}
}

// TestEachGatewayAnswers: one no is a no. Without clients everybody may send everything; with an empty file nobody.
func TestEachGatewayAnswers(t *testing.T) {
	write(t, rows, "\tmode observe", "\tclients ./customers")
	put(t, "customers", "# nobody yet\n")
	line := "--user shop --cuit 20-11111111-2 --pto-vta 1 FECAESolicitar"
	out, status := check(t, line)
	if status != 1 || strings.Count("\n"+out, "\nyes, by ") != 2 || strings.Count(out, "\nno, by ") != 1 || !strings.Contains(out, "whoever reaches it may send everything") {
		t.Errorf("status %d: %s", status, out)
	}
	if out, status := check(t, line+" --gateway Caddyfile:2"); status != 0 || strings.Count(out, "by Caddyfile") != 1 {
		t.Errorf("status %d: %s", status, out)
	}
}
