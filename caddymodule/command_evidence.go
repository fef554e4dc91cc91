package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
)

func evidenceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "evidence --cuit N --pto-vta N --cbte-tipo N --nro N --output DIR|FILE.zip",
		Short: "Writes all exchanges about one invoice into a folder or a zip file, for the service's support desk",
		Long: `
Writes every exchange about one invoice into a new folder, or a new file whose name ends
in .zip: the requests to issue it, repeats, refusals and consultations. There is a page to
read (index.html, in Spanish), request and answer of each exchange, everything that the
record says of it, a proof of each record for "audit check-proof" (.tlog-proof), and
manifest.json with the log's public key and the SHA-256 of each file, which is written last.
Token and Sign are not in it: a fingerprint stands for them.

Where several gateways share the store the exchanges of all logs are in it, each proven by
its own log; the manifest has the public key and the newest checkpoint of each. --log leaves
out those of the other logs.`,
		Example: `  fielato wsfev1 audit evidence --store sqlite:./data/audit.db --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 15 --output factura-15.zip`,
		Args:    cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.String("store", "", storeFlagUsage)
	flags.Int64("cuit", 0, "The issuer")
	flags.Int32("pto-vta", 0, "The point of sale")
	flags.Int32("cbte-tipo", 0, "The type of voucher")
	flags.Int64("nro", 0, "The invoice's number")
	flags.String("output", "", "A folder that is not there or empty, or a file FILE.zip that is not there")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runEvidence(cmd) }
	return cmd
}

func runEvidence(cmd *cobra.Command) error {
	for _, name := range []string{"cuit", "pto-vta", "cbte-tipo", "nro", "output"} {
		if value := cmd.Flags().Lookup(name).Value.String(); value == "" || value == "0" || strings.HasPrefix(value, "-") {
			return fmt.Errorf("--%s %s: an invoice is named by --cuit, --pto-vta, --cbte-tipo and --nro, and --output says where to write", name, value)
		}
	}
	wanted, err := queryOf(cmd)
	if err != nil {
		return err
	}
	path, _ := cmd.Flags().GetString("output")
	return withStore(cmd, func(ctx context.Context, store audit.Store) error {
		names, err := logsOf(ctx, cmd, store)
		if err != nil {
			return err
		}
		places, err := exchangesAbout(ctx, store, names, wanted)
		if err != nil {
			return err
		}
		if len(places) == 0 {
			return fmt.Errorf("log %s has no exchange about invoice %d of type %d, point of sale %d, of %s",
				strings.Join(names, ", "), wanted.Number, wanted.CbteTipo, wanted.PtoVta, wanted.Cuit)
		}
		logs, err := evidenceLogs(ctx, store, names)
		if err != nil {
			return err
		}
		out, err := newOutput(path)
		if err != nil {
			return err
		}
		bundle := &evidenceBundle{store: store, query: wanted, logs: logs, out: out, made: time.Now()}
		if err := bundle.write(ctx, places); err != nil {
			return errors.Join(err, out.abandon())
		}
		if err := out.finish(); err != nil {
			return errors.Join(err, out.abandon())
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%d exchanges written to %s\n", len(places), filepath.Clean(path))
		return nil
	})
}
