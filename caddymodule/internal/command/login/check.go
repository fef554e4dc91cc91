package login

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

const checkHelp = `
Looks for what WSAA would refuse, without asking it: a certificate that has expired or is not
yet valid, one of the other environment, one without a CUIT, and with --key a private key that
is not its own. It shows when the certificate expires. Whether the certificate is related to
the service, only login shows.

Exit status:
  0  nothing wrong was found
  1  something is wrong; the message says what to do
  2  a file cannot be read, or has no certificate or no key that can be opened; wrong flags`

type checkFlags struct {
	cli.ReportFlags
	keyFlags
	environment string
}

func checkCommand() *cobra.Command {
	flags := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check FILE --environment homo|prod [flags]",
		Short: "Looks for what WSAA would refuse in a certificate, and shows when it expires",
		Long:  checkHelp,
		Example: `  fielato wsfev1 certificate check fielato.crt --environment homo
  fielato wsfev1 certificate check fielato.crt --key fielato.key --environment prod --format json`,
		Args: cli.Exactly(cli.Argument{Name: "FILE", What: "a certificate (PEM or DER), or a PKCS #12"}),
		RunE: func(cmd *cobra.Command, args []string) error { return runCheck(cmd, flags, args[0]) },
	}
	set := cmd.Flags()
	flags.bind(set, "The private key of the certificate: check that it is its own")
	cli.ChoiceVar(set, &flags.environment, "environment", "", "Where the certificate is used: homo (testing) or prod (production)", tickets.Environments...)
	cli.Complete(set, "passphrase-env")
	flags.BindReport(set)
	return cmd
}

// checked is what a check has found.
type checked struct {
	File        string      `json:"file"`
	Environment string      `json:"environment"`
	Good        bool        `json:"good"`
	Problem     string      `json:"problem,omitempty"`
	Doubt       string      `json:"doubt,omitempty"`
	Subject     string      `json:"subject,omitempty"`
	Cuit        wsfev1.CUIT `json:"cuit,omitempty"`
	Expires     string      `json:"expires,omitempty"`
	DaysLeft    int         `json:"days_left"`
	KeyChecked  bool        `json:"key_checked"`
}

func runCheck(cmd *cobra.Command, flags *checkFlags, file string) error {
	if flags.environment == "" {
		return cli.UsageError(errors.New("--environment is missing: give homo for testing, or prod"))
	}
	now := time.Now()
	c, withKey, problem := flags.read(file)
	wrong := errors.Is(problem, credential.ErrMismatch) || errors.Is(problem, credential.ErrKeyType)
	if problem != nil && !wrong {
		return fmt.Errorf("%s: %w", file, problem)
	}
	report := checked{File: file, Environment: flags.environment, KeyChecked: withKey}
	text := ""
	if problem == nil {
		environment := tickets.EnvironmentOf[flags.environment]
		problem = c.Check(environment, now)
		report.Doubt = c.Doubt(environment)
		report.Subject, report.Cuit, report.DaysLeft = c.Name(), c.CUIT(), daysUntil(c.Expires(), now)
		report.Expires = c.Expires().UTC().Format(time.RFC3339)
		text = report.text(c, now)
	}
	if problem != nil {
		report.Problem = problem.Error()
	}
	report.Good = problem == nil
	if err := flags.Report(cmd, report, cmd.OutOrStdout(), "%s", text); err != nil {
		return err
	}
	if problem != nil {
		return cli.Found(fmt.Errorf("%s: %w", file, problem))
	}
	return nil
}

// read reads the certificate, with its key if there is one.
func (f *checkFlags) read(file string) (c *credential.Credential, withKey bool, err error) {
	if f.key != "" {
		c, err = f.credential(file)
		return c, true, err
	}
	source := credential.Source{}
	if source.Passphrase, err = f.passphrase(); err != nil {
		return nil, false, err
	}
	if source.Certificate, err = tickets.ReadCertificate(file); err != nil {
		return nil, false, err
	}
	c, err = credential.Parse(source)
	if errors.Is(err, credential.ErrNoKey) {
		c, err = credential.ParseCertificate(source.Certificate)
		return c, false, err
	}
	return c, true, f.explain(err)
}

func (r *checked) text(c *credential.Credential, now time.Time) string {
	key := "its own"
	if !r.KeyChecked {
		key = "not looked at: name it with --key"
	}
	text := fmt.Sprintf("Certificate  %s\nIssued by    %s\nExpires      %s\nPrivate key  %s\n",
		r.Subject, c.Certificate().Issuer, expiry(c, now), key)
	if r.Doubt != "" {
		text += "Doubt        " + r.Doubt + "\n"
	}
	if r.DaysLeft >= 0 && r.DaysLeft < renewalDays {
		text += renewSoon
	}
	return text
}
