package login

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/wsaa/credential"
)

// nowWithin bounds how long the gateway may take: it answers after 50 seconds at most.
const nowWithin = time.Minute

// runNow lets the gateway that runs log in.
func runNow(cmd *cobra.Command, flags *loginFlags, args []string) error {
	if err := refuse(cmd, "with --now the gateway logs in as its configuration says", "key", "passphrase-env", "tls-ca", "legacy-tls", "save"); err != nil {
		return err
	}
	by, err := flags.selection(cmd, args)
	if err != nil {
		return cli.UsageError(err)
	}
	address, err := flags.AdminAddress()
	if err != nil {
		return err
	}
	asked, err := askNow(cmd.Context(), address, by)
	if err != nil {
		return err
	}
	if asked.Result == tickets.Granted || flags.AsJSON() {
		if err := flags.Report(cmd, asked, cmd.OutOrStdout(), "%s", nowText(asked)); err != nil {
			return err
		}
	}
	if asked.Result == tickets.Granted {
		return nil
	}
	err = errors.New(nowProblem(asked))
	if asked.Verdict {
		return cli.Found(err)
	}
	return err
}

// refuse returns an error if a flag was given that makes no sense.
func refuse(cmd *cobra.Command, why string, names ...string) error {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return cli.UsageError(fmt.Errorf("--%s: leave it out: %s", name, why))
		}
	}
	return nil
}

// selection returns which ticket is meant.
func (f *loginFlags) selection(cmd *cobra.Command, args []string) (by tickets.Selection, err error) {
	if len(args) > 0 {
		at, err := tickets.ParsePlace(args[0])
		if err != nil {
			return by, err
		}
		by.Login = at.URL
	}
	by.Cuit = f.cuit
	if cmd.Flags().Changed("service") {
		by.Service = f.service
	}
	if f.certificate == "" {
		return by, nil
	}
	text, err := tickets.ReadCertificate(f.certificate)
	if err != nil {
		return by, err
	}
	c, err := credential.ParseCertificate(text)
	if err != nil {
		return by, fmt.Errorf("--certificate %s: %w", f.certificate, err)
	}
	by.Certificate = c.Name()
	return by, nil
}

// askNow asks the process that runs.
func askNow(ctx context.Context, address string, by tickets.Selection) (asked tickets.Asked, err error) {
	body, err := json.Marshal(by)
	if err != nil {
		return asked, fmt.Errorf("asking the gateway: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, nowWithin)
	defer cancel()
	answer, err := cli.AskAdmin(ctx, address, http.MethodPost, tickets.LoginPath, body)
	if err != nil {
		return asked, fmt.Errorf("%w; name the admin API of the process that runs with --address, or its configuration with --config", err)
	}
	// Another server at this address may answer 200 to anything.
	if err := json.Unmarshal(answer, &asked); err != nil || asked.Result == "" || asked.Keeper.Login == "" {
		return asked, fmt.Errorf("%s answers, but is not a gateway that keeps tickets", address)
	}
	return asked, nil
}

// nowText returns the report of a login that was granted.
func nowText(a tickets.Asked) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The gateway has logged in: it has a new ticket for %s.\n", a.Keeper.Service)
	line := func(name, text string) { fmt.Fprintf(&b, "%-12s %s\n", name, text) }
	line("Address", a.Keeper.Login)
	line("Certificate", a.Keeper.Certificate)
	line("Expires", a.Keeper.Expires)
	var cuits []string
	for _, cuit := range a.Keeper.Cuits[:min(len(a.Keeper.Cuits), maxShown)] {
		cuits = append(cuits, cuit.String())
	}
	if more := len(a.Keeper.Cuits) - len(cuits); more > 0 {
		cuits = append(cuits, fmt.Sprintf("and %d more (--format json has all)", more))
	}
	line("Used for", strings.Join(cuits, ", "))
	t := a.Keeper.Ticket
	if t == nil {
		return b.String()
	}
	line("Since", t.Since)
	line("Until", t.Until)
	if len(t.Missing) > 0 {
		var missing []string
		for _, cuit := range t.Missing {
			missing = append(missing, cuit.String())
		}
		line("Not for", strings.Join(missing, ", ")+": delegate the service to the owner of the certificate in the authority's portal, and log in again")
	}
	return b.String()
}

// nowProblem returns why there is no new ticket, and when the next login begins.
func nowProblem(a tickets.Asked) string {
	text := fmt.Sprintf("certificate %s: %s", a.Keeper.Identity(), a.Problem)
	switch {
	case a.Result == tickets.Waiting && a.Next != "":
		text += fmt.Sprintf("; the gateway logs in by itself at %s, and nothing makes it sooner", a.Next)
	case a.Next != "":
		text += fmt.Sprintf("; mend it and run this command again, or the gateway tries by itself at %s", a.Next)
	}
	if a.Keeper.Ready {
		text += "; the ticket at hand stays in use"
	}
	return text
}
