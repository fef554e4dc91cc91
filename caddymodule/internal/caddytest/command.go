package caddytest

import (
	"bytes"
	"strings"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

// AuditCommand runs `wsfev1 audit …` as Caddy would, in this process.
func AuditCommand(arguments ...string) (out, errs string, err error) {
	return RunCommand(append([]string{"audit"}, arguments...)...)
}

// RunCommand runs a command of the gateway's.
func RunCommand(arguments ...string) (out, errs string, err error) {
	root := &cobra.Command{Use: "wsfev1", SilenceUsage: true, SilenceErrors: true}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	var stdout, stderr bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	root.SetArgs(arguments)
	err = root.Execute()
	return stdout.String(), stderr.String(), err
}

// Evidence is a trail with something of everything, kept by a gateway at work:
//
//	0, 1  an invoice, approved
//	2     a query
//	3     a refusal by a rule
//	4     a request that is not JSON
//	5, 6  a lot of two, of the issuer 30000000007
//	7     a request with a name twice
func Evidence(t *testing.T) *Site {
	t.Helper()
	s := Start(t, WithBackend(t))
	s.Post("FECAESolicitar", Invoice(1))
	s.Post("FECompUltimoAutorizado", "{"+AuthText+`,"PtoVta":1,"CbteTipo":6}`)
	s.Post("FECAESolicitar", strings.Replace(Invoice(2), "121.00", "150.00", 1))
	s.Post("FECAESolicitar", "Token="+Token)
	first, second := Invoice(1), Invoice(2)
	_, detail, _ := strings.Cut(second, `"FECAEDetRequest":[`)
	lot := strings.Replace(strings.Replace(first, `"CantReg":1`, `"CantReg":2`, 1), "}]}}}", "},"+detail, 1)
	s.Post("FECAESolicitar", strings.Replace(lot, "20111111112", "30000000007", 1))
	s.Post("FECAESolicitar", `{"Auth":{"Token":"a","Token":"b","Sign":"c","Cuit":20111111112}}`)
	return s
}

// Search returns the lines of `audit search` without the head.
func (s *Site) Search(arguments ...string) []string {
	s.T.Helper()
	out, _, err := AuditCommand(append([]string{"search", "--store", "sqlite:" + s.Store}, arguments...)...)
	if err != nil {
		s.T.Fatalf("search %v: %v", arguments, err)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	return lines[1:]
}

// Show returns what `audit show` prints.
func (s *Site) Show(arguments ...string) string {
	s.T.Helper()
	out, _, err := AuditCommand(append([]string{"show", "--store", "sqlite:" + s.Store}, arguments...)...)
	if err != nil {
		s.T.Fatalf("show %v: %v", arguments, err)
	}
	return out
}

// Command is one of the module's, with the names of those above it.
type Command struct {
	*cobra.Command
	Use string
}

// Commands are all that the module adds, by name, and the groups that they stand in.
func Commands(t *testing.T) (all []Command) {
	t.Helper()
	root := &cobra.Command{Use: "wsfev1", Short: caddycmd.Commands()["wsfev1"].Short}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	var walk func(*cobra.Command, string)
	walk = func(cmd *cobra.Command, above string) {
		all = append(all, Command{cmd, above + cmd.Use})
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

// Outages runs `audit outages` on the store.
func (s *Site) Outages(arguments ...string) (out, errs string) {
	s.T.Helper()
	out, errs, err := AuditCommand(append([]string{"outages", "--store", "sqlite:" + s.Store}, arguments...)...)
	if err != nil {
		s.T.Fatalf("outages %v: %v", arguments, err)
	}
	return out, errs
}
