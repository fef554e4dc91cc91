package proving

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/wsfev1"
)

type evidenceFlags struct {
	cli.StoreFlags
	cli.ReportFlags
	cuit             wsfev1.CUIT
	ptoVta, cbteTipo int32
	nro              int64
	output           string
}

func (f *evidenceFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	cli.CUITVar(set, &f.cuit, "The issuer")
	set.Int32Var(&f.ptoVta, "pto-vta", 0, "The point of sale")
	set.Int32Var(&f.cbteTipo, "cbte-tipo", 0, "The type of voucher")
	set.Int64Var(&f.nro, "nro", 0, "The invoice's number")
	set.StringVar(&f.output, "output", "", "A folder that is not there or empty, or a file FILE.zip that is not there")
	f.BindReport(set)
}

func evidenceCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &evidenceFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "evidence --cuit N --pto-vta N --cbte-tipo N --nro N --output DIR|FILE.zip",
		Short: "Writes all exchanges about one invoice into a folder or a zip file, for the service's support desk",
		Long: `
Writes every exchange about one invoice into a new folder, or a new file whose name ends
in .zip: the requests to issue it, repeats, refusals and consultations. It contains a page to
read (index.html, in Spanish), the request, the answer and the record of each exchange, a
proof of each record for "audit check-proof" (.tlog-proof), and manifest.json with the log's
public key and the SHA-256 of each file, which is written last. Token and Sign are replaced
by a fingerprint.

Where an authority stamps the trail, the exchange has the earliest time-stamp found that
covers its record, too: timestamp.txt, timestamp.tsr, and timestamp.consistency, which
shows that the checkpoint stamped and that of the proof are of one history.

If several gateways share the store, the exchanges of all logs are included, each proven by
its own log; the manifest has the public key and the newest checkpoint of each. --log leaves
out those of the other logs, except what they say of a request that is open in this one.`,
		Example: `  fielato wsfev1 audit evidence --store sqlite:./data/audit.db --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 15 --output factura-15.zip`,
		Args:    cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runEvidence(cmd, flags) }
	return cmd
}

// check returns an error if a part of the invoice's key or the output is missing.
func (f *evidenceFlags) check(set *pflag.FlagSet) error {
	for _, one := range []struct {
		name, what string
		given      bool
	}{
		{"cuit", "the issuer", f.cuit > 0},
		{"pto-vta", "the point of sale", f.ptoVta > 0},
		{"cbte-tipo", "the type of voucher", f.cbteTipo > 0},
		{"nro", "the invoice's number", f.nro > 0},
		{"output", "where to write", f.output != "" && f.output != "0" && f.output[0] != '-'},
	} {
		switch {
		case one.given:
		case set.Changed(one.name):
			return fmt.Errorf("--%s %s: give %s", one.name, set.Lookup(one.name).Value, one.what)
		default:
			return fmt.Errorf("--%s is missing: give %s", one.name, one.what)
		}
	}
	return nil
}

func runEvidence(cmd *cobra.Command, flags *evidenceFlags) error {
	if err := flags.check(cmd.Flags()); err != nil {
		return cli.UsageError(err)
	}
	cli.RemarkOnCUIT(cmd.ErrOrStderr(), flags.cuit)
	wanted := audit.Query{Cuit: flags.cuit, PtoVta: flags.ptoVta, CbteTipo: flags.cbteTipo, Number: flags.nro}
	return cli.WithLogs(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session, logs []string) error {
		exchanges, err := evidence.Write(ctx, s.Store, logs, wanted, flags.output)
		if err != nil {
			return err
		}
		output := filepath.Clean(flags.output)
		object := struct {
			Output    string `json:"output"`
			Exchanges int    `json:"exchanges"`
		}{output, exchanges}
		next, err := howToVerify(ctx, s.Store, logs, output)
		if err != nil {
			return err
		}
		return flags.Report(cmd, object, cmd.ErrOrStderr(), "%s written to %s; verify it with: %s\n", cli.CountOf(uint64(exchanges), "exchange"), output, next)
	})
}

// howToVerify returns the command that verifies what was written, or one for each key.
func howToVerify(ctx context.Context, store audit.Store, logs []string, output string) (string, error) {
	var commands []string
	for _, log := range logs {
		key, err := evidence.KeyOfLog(ctx, store, log)
		if err != nil {
			return "", err
		}
		command := "fielato wsfev1 audit verify --export " + output + " --key " + key
		if !slices.Contains(commands, command) { // logs after a restoration have one key
			commands = append(commands, command)
		}
	}
	return strings.Join(commands, ", and "), nil
}
