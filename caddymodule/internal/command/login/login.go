package login

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/legacytls"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

const loginHelp = `
Logs in once at WSAA, the login service, and shows what the ticket is good for: the CUITs for
which it acts, since when and until when, the certificate and when it expires, and by how
much the clocks differ if that is much. So it is known before a gateway starts whether its
certificate is accepted and related to the service.

homo is the authority's service for testing (homologación), prod that for production. An
address is that of another, such as the built-in login service.

With --now the gateway that runs logs in, not this command: see below.

Token and Sign are not shown. --save writes the ticket into a new file that only its owner can
read, in the form in which the service gave it (loginTicketResponse).

WSAA gives no second ticket for some minutes after the last one: ten for testing, two for
production. A gateway or program that logs in with the same certificate is refused that
long (coe.alreadyAuthenticated), and so is this command. A gateway that is started right after this
command therefore waits for its first ticket: its own login shows the same.

With --now, a gateway with wsaa that runs logs in at once and keeps the ticket, in place of waiting for the
end of a pause: somebody has related the certificate in the authority's portal, or a CUIT has delegated the
service. The ticket at hand stays in use meanwhile. The process is found as 'fielato reload' finds
it. Where it keeps several tickets, name one: by a CUIT, by its certificate, or by homo, prod or URL.
What the authority demands stays: no login within the window after a ticket or after
coe.alreadyAuthenticated, none within a minute after one that WSAA was too busy for, and five seconds
between any two. The login begins by itself as soon as that is over, and the message says when.
Gateways that share a store share the ticket: ask one of them.

The file of the private key must be one that only its owner can read. Its passphrase comes from
an environment variable, for others can see the arguments of a command. A PKCS #12 has the
key in the file of the certificate. A proxy in the environment is not used, and a redirection
is not followed.

Exit status:
  0  there is a ticket
  1  refused: the certificate, its relation to the service, or the clock. The message has the
     code and says what to do. With --now also: not yet, because of the window
  2  unknown: the service is not reached or is out of order, a file cannot be read, wrong flags;
     with --now also: no gateway runs there, or it keeps no such ticket`

type loginFlags struct {
	cli.ReportFlags
	keyFlags
	certificate, service, ca, save string
	legacy                         bool
	cli.AdminFlags
	now  bool
	cuit wsfev1.CUIT
}

func (f *loginFlags) bind(set *pflag.FlagSet) {
	set.StringVar(&f.certificate, "certificate", "", "The certificate (PEM or DER), or a PKCS #12 with certificate and private key")
	f.keyFlags.bind(set, "The private key of the certificate (PEM or DER)")
	set.StringVar(&f.service, "service", wsaa.TicketService, "The id of the service that the ticket opens")
	set.StringVar(&f.ca, "tls-ca", "", "The authorities of the login service's own certificate, in PEM (default: those of the system)")
	set.BoolVar(&f.legacy, "legacy-tls", false, "Also offer the login service cipher suites without forward secrecy")
	set.StringVar(&f.save, "save", "", "Write the ticket, with Token and Sign, into this new file")
	set.BoolVar(&f.now, "now", false, "Let the gateway that runs log in now, and end its pause")
	cli.CUITVar(set, &f.cuit, "With --now: a CUIT of the ticket that is meant")
	f.BindAdmin(set)
	f.BindReport(set)
	cli.Complete(set, "service", wsaa.TicketService)
	cli.Complete(set, "passphrase-env")
}

// Command returns the command login.
func Command() *cobra.Command {
	flags := &loginFlags{}
	cmd := &cobra.Command{
		Use:       "login homo|prod|URL --certificate FILE --key FILE | --now [flags]",
		Short:     "Logs in at WSAA once, and shows what the ticket is good for; or lets the gateway that runs log in now",
		Long:      loginHelp,
		ValidArgs: tickets.Environments,
		Example: `  fielato wsfev1 login homo --certificate fielato.crt --key fielato.key
  fielato wsfev1 login prod --certificate fielato.p12 --passphrase-env P12_PASSPHRASE --format json
  fielato wsfev1 login http://localhost:8080 --certificate fielato.crt --key fielato.key --save ta.xml
  fielato wsfev1 login --now
  fielato wsfev1 login --now --cuit 20-11111111-2 --config /etc/fielato/Caddyfile
  fielato wsfev1 login prod --now --certificate fielato.crt --address localhost:2019 --format json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.now {
				return runNow(cmd, flags, args)
			}
			return runLogin(cmd, flags, args[0])
		},
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		where := cli.Argument{Name: "homo|prod|URL", What: "the login service for testing or production, or the address of another"}
		if flags.now && len(args) == 0 {
			return nil
		}
		return cli.Exactly(where)(cmd, args)
	}
	flags.bind(cmd.Flags())
	return cmd
}

func runLogin(cmd *cobra.Command, flags *loginFlags, where string) (err error) {
	if err := refuse(cmd, "it is for --now, which lets the gateway that runs log in", "cuit", "address", "config", "adapter"); err != nil {
		return err
	}
	at, err := tickets.ParsePlace(where)
	if err != nil {
		return cli.UsageError(err)
	}
	if flags.certificate == "" {
		return cli.UsageError(errors.New("--certificate is missing: give the file of the certificate, and with --key that of its private key"))
	}
	if !wsaa.IsService(flags.service) {
		return cli.UsageError(fmt.Errorf("--service %q: this is not the id of a service, such as %s", flags.service, wsaa.TicketService))
	}
	c, err := flags.credential(flags.certificate)
	if err != nil {
		return err
	}
	send, err := tickets.NewPost(tickets.TLS{CA: flags.ca, Legacy: flags.legacy, Options: legacytls.Options{Legacy: "--legacy-tls", Trust: "--tls-ca"}})
	if err != nil {
		return err
	}
	if err := c.Check(at.Environment, time.Now()); err != nil {
		return cli.Found(fmt.Errorf("%s (%s): %w", flags.certificate, c.Identity(), err))
	}
	if doubt := c.Doubt(at.Environment); doubt != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), doubt)
	}
	// The file is made first: a ticket that cannot be saved would be lost, and there is no other
	// for some minutes.
	ticket, err := newTicketFile(flags.save)
	if err != nil {
		return err
	}
	defer func() { err = ticket.close(err) }()
	return login(cmd, flags, &client.Client{URL: at.URL, Credential: c, Post: send, Clock: time.Now}, at, ticket)
}

// login logs in, saves the ticket and reports.
func login(cmd *cobra.Command, flags *loginFlags, by *client.Client, at tickets.Place, ticket *ticketFile) error {
	result, failed := by.Login(cmd.Context(), flags.service, 0)
	r := newReport(at, flags.service, by.Credential, result, failed)
	if failed == nil {
		if err := ticket.write(result.Document); err != nil {
			return err
		}
		r.Saved = flags.save
	}
	if failed == nil || flags.AsJSON() {
		if err := flags.Report(cmd, r, cmd.OutOrStdout(), "%s", r.text(time.Now())); err != nil {
			return err
		}
	}
	if failed == nil {
		return nil
	}
	failed = fmt.Errorf("certificate %s: %w%s", by.Credential.Identity(), failed, r.whatToDo())
	if r.Result == refused {
		return cli.Found(failed)
	}
	return failed
}

// daysUntil returns how many whole days are left.
func daysUntil(end, now time.Time) int { return int(end.Sub(now) / (24 * time.Hour)) }

// expiry returns when a certificate expires, with the days until then.
func expiry(c *credential.Credential, now time.Time) string {
	return fmt.Sprintf("%s (in %d days)", c.Expires().UTC().Format(time.RFC3339), daysUntil(c.Expires(), now))
}
