package command

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

const ticketHelp = `
Makes an access ticket for tests: a Token and a Sign in the form in which WSAA gives
them. The built-in service accepts it, even with strict tickets, and the handler wsfev1
reads from it when it expires and for which issuers it acts.

ARCA does not accept it. It is marked as a test ticket: the source in the Token is
CN=fielato-test, and the Sign is not a signature. So a gateway that has the authority's
certificate (ticket check FILE) refuses it too.

As json it is the value of "Auth", for the first CUIT. As env, it sets WSFEV1_TOKEN,
WSFEV1_SIGN and WSFEV1_CUIT for a shell.`

type ticketFlags struct {
	cuits                []string
	ttl                  time.Duration
	service, now, format string
}

func (f *ticketFlags) bind(set *pflag.FlagSet) {
	set.StringSliceVar(&f.cuits, "cuit", nil, "An issuer for whom the ticket acts; may be repeated, or several with commas")
	set.DurationVar(&f.ttl, "ttl", 12*time.Hour, "How long the ticket lives, such as 90s or 12h")
	set.StringVar(&f.service, "service", wsaa.TicketService, "The id of the service that the ticket opens")
	set.StringVar(&f.now, "now", "", "Make the ticket as of this moment, such as 2026-11-20T15:04:05-03:00 (default: now)")
	cli.ChoiceVar(set, &f.format, "format", "json", "json, env or text", "json", "env", "text")
	cli.Complete(set, "cuit")
}

func ticketCommand() *cobra.Command {
	flags := &ticketFlags{}
	cmd := &cobra.Command{
		Use:   "ticket --cuit CUIT… [flags]",
		Short: "Makes an access ticket for tests, which ARCA does not accept",
		Long:  ticketHelp,
		Example: `  fielato wsfev1 ticket --cuit 20111111112
  eval "$(fielato wsfev1 ticket --cuit 20111111112,30500010912 --ttl 24h --format env)"
  fielato wsfev1 ticket --cuit 20111111112 --now 2026-11-06T10:30:00-03:00   # for a service whose clock stands there`,
		Args: cli.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return runTicket(cmd, flags) },
	}
	flags.bind(cmd.Flags())
	return cmd
}

func runTicket(cmd *cobra.Command, flags *ticketFlags) error {
	ticket, err := flags.ticket()
	if err != nil {
		return cli.UsageError(err)
	}
	printer := map[string]func(io.Writer, *testTicket) error{
		"json": printTicketJSON, "env": printTicketEnv, "text": printTicketText,
	}[flags.format]
	if err := printer(cmd.OutOrStdout(), ticket); err != nil {
		return fmt.Errorf("printing the ticket: %w", err)
	}
	return nil
}

// testTicket is a new ticket, and its content.
type testTicket struct {
	auth wsfev1.Auth
	*wsaa.Ticket
}

// ticket makes a ticket with the issuers, time and service of the flags.
func (f *ticketFlags) ticket() (*testTicket, error) {
	cuits := make([]wsfev1.CUIT, len(f.cuits))
	for i, text := range f.cuits {
		var err error
		if cuits[i], err = cli.ParseCUIT(text); err != nil {
			return nil, fmt.Errorf("--cuit %q: %w", text, err)
		}
	}
	now := time.Now()
	if text := f.now; text != "" {
		var err error
		if now, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, fmt.Errorf("--now %q: give a moment such as 2026-11-20T15:04:05-03:00", text)
		}
	}
	token, sign, err := wsaa.NewTicket(now, f.ttl, f.service, cuits...)
	if err != nil {
		return nil, err
	}
	ticket, ok := wsaa.ReadTicket(token)
	if !ok {
		return nil, fmt.Errorf("--now %s: no ticket can be made as of then", now.Format(time.RFC3339))
	}
	return &testTicket{wsfev1.Auth{Token: token, Sign: sign, Cuit: cuits[0]}, ticket}, nil
}

func printTicketJSON(w io.Writer, t *testTicket) error {
	err := json.MarshalWrite(w, &t.auth)
	_, newline := io.WriteString(w, "\n")
	return errors.Join(err, newline)
}

// printTicketEnv uses no quotes: base64 and digits have no other meaning to a shell.
func printTicketEnv(w io.Writer, t *testTicket) error {
	_, err := fmt.Fprintf(w, "export WSFEV1_TOKEN=%s\nexport WSFEV1_SIGN=%s\nexport WSFEV1_CUIT=%s\n",
		t.auth.Token.Reveal(), t.auth.Sign.Reveal(), t.auth.Cuit)
	return err
}

func printTicketText(w io.Writer, t *testTicket) error {
	_, err := fmt.Fprintf(w, `A ticket for tests: ARCA does not accept it.
Service  %s
From     %s
Until    %s
Cuit     %v
Token    %s
Sign     %s
`, t.Service, view.RFC3339(t.Generation), view.RFC3339(t.Expiration),
		t.Relations, t.auth.Token.Reveal(), t.auth.Sign.Reveal())
	return err
}
