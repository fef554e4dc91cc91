package caddymodule_test

import (
	"bytes"
	"strings"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

// auditCommand runs `wsfev1 audit …` as Caddy would, in this process.
func auditCommand(arguments ...string) (out, errs string, err error) {
	return runCommand(append([]string{"audit"}, arguments...)...)
}

// runCommand runs a command of the gateway's.
func runCommand(arguments ...string) (out, errs string, err error) {
	root := &cobra.Command{Use: "wsfev1", SilenceUsage: true, SilenceErrors: true}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	var stdout, stderr bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	root.SetArgs(arguments)
	err = root.Execute()
	return stdout.String(), stderr.String(), err
}

// evidence is a trail with something of everything, kept by a gateway at work:
//
//	0, 1  an invoice, approved
//	2     a query
//	3     a refusal by a rule
//	4     a request that is not JSON
//	5, 6  a lot of two, of the issuer 30000000007
//	7     a request with a name twice
func evidence(t *testing.T) *site {
	t.Helper()
	s := start(t, withBackend(t))
	s.post("FECAESolicitar", invoice(1))
	s.post("FECompUltimoAutorizado", "{"+authText+`,"PtoVta":1,"CbteTipo":6}`)
	s.post("FECAESolicitar", strings.Replace(invoice(2), "121.00", "150.00", 1))
	s.post("FECAESolicitar", "Token="+token)
	first, second := invoice(1), invoice(2)
	_, detail, _ := strings.Cut(second, `"FECAEDetRequest":[`)
	lot := strings.Replace(strings.Replace(first, `"CantReg":1`, `"CantReg":2`, 1), "}]}}}", "},"+detail, 1)
	s.post("FECAESolicitar", strings.Replace(lot, "20111111112", "30000000007", 1))
	s.post("FECAESolicitar", `{"Auth":{"Token":"a","Token":"b","Sign":"c","Cuit":20111111112}}`)
	return s
}

// search returns the lines of `audit search` without the head.
func (s *site) search(arguments ...string) []string {
	s.t.Helper()
	out, _, err := auditCommand(append([]string{"search", "--store", "sqlite:" + s.store}, arguments...)...)
	if err != nil {
		s.t.Fatalf("search %v: %v", arguments, err)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	return lines[1:]
}

// command is one of the module's, with the names of those above it.
type command struct {
	*cobra.Command
	use string
}

// commands are all that the module adds, by name, and the groups that they stand in.
func commands(t *testing.T) (all []command) {
	t.Helper()
	root := &cobra.Command{Use: "wsfev1", Short: caddycmd.Commands()["wsfev1"].Short}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	var walk func(*cobra.Command, string)
	walk = func(cmd *cobra.Command, above string) {
		all = append(all, command{cmd, above + cmd.Use})
		for _, child := range cmd.Commands() {
			walk(child, above+cmd.Name()+" ")
		}
	}
	walk(root, "")
	if len(all) < 20 {
		t.Fatalf("%d commands", len(all))
	}
	return all
}

func (s *site) outages(arguments ...string) (out, errs string) {
	s.t.Helper()
	out, errs, err := auditCommand(append([]string{"outages", "--store", "sqlite:" + s.store}, arguments...)...)
	if err != nil {
		s.t.Fatalf("outages %v: %v", arguments, err)
	}
	return out, errs
}
