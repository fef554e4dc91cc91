package login

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/internal/durable"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

// CertificateCommand returns the commands about the certificate of a login.
func CertificateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "certificate",
		Short: "Requests and checks the certificate with which a program logs in at WSAA",
		Example: `  fielato wsfev1 certificate request --cuit 20-11111111-2 --alias fielato --organization Prueba
  fielato wsfev1 certificate check fielato.crt --key fielato.key --environment homo`,
	}
	cli.Group(cmd)
	cmd.AddCommand(requestCommand(), checkCommand())
	return cmd
}

const requestHelp = `
Makes a private key (RSA, 2048 bits) and the request for its certificate (CSR), and prints what
to do with the request on the authority's pages. The key stays on this machine: it goes into
a file that only its owner can read, and a file that is there already stays as it is.

--alias is the name of the computer or program, under which the authority's pages show it. The
files are ALIAS.key and ALIAS.csr in this folder unless they are named.

A certificate is either for testing or for production. Make a key for each.`

type requestFlags struct {
	cli.ReportFlags
	cuit                          wsfev1.CUIT
	organization, alias, key, out string
}

func (f *requestFlags) bind(set *pflag.FlagSet) {
	cli.CUITVar(set, &f.cuit, "The CUIT to which the certificate will belong")
	set.StringVar(&f.organization, "organization", "", "The name of the company or person")
	set.StringVar(&f.alias, "alias", "", "The name of the computer or program")
	set.StringVar(&f.key, "key", "", "The new file of the private key (default: ALIAS.key)")
	set.StringVar(&f.out, "out", "", "The new file of the request (default: ALIAS.csr)")
	f.BindReport(set)
	cli.Complete(set, "organization")
	cli.Complete(set, "alias")
}

func requestCommand() *cobra.Command {
	flags := &requestFlags{}
	cmd := &cobra.Command{
		Use:   "request --cuit CUIT --organization NAME --alias NAME [flags]",
		Short: "Makes a private key and the request for its certificate (CSR)",
		Long:  requestHelp,
		Example: `  fielato wsfev1 certificate request --cuit 20-11111111-2 --alias fielato --organization Prueba
  fielato wsfev1 certificate request --cuit 20111111112 --organization Prueba --alias fielato --key prod.key --out prod.csr`,
		Args: cli.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return runRequest(cmd, flags) },
	}
	flags.bind(cmd.Flags())
	return cmd
}

// fileName is an alias that may be the name of a file.
var fileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// check refuses flags that are missing, and completes the names of the files.
func (f *requestFlags) check() error {
	switch {
	case f.cuit == 0:
		return errors.New("--cuit is missing: give the CUIT to which the certificate will belong")
	case f.organization == "":
		return errors.New("--organization is missing: give the name of the company or person")
	case f.alias == "":
		return errors.New("--alias is missing: give a name of the computer or program, such as fielato")
	case (f.key == "" || f.out == "") && !fileName.MatchString(f.alias):
		return fmt.Errorf("--alias %q cannot be the name of a file: name the files with --key and --out", f.alias)
	}
	if f.key == "" {
		f.key = f.alias + ".key"
	}
	if f.out == "" {
		f.out = f.alias + ".csr"
	}
	return cli.CheckCUIT(f.cuit)
}

func runRequest(cmd *cobra.Command, flags *requestFlags) error {
	if err := flags.check(); err != nil {
		return cli.UsageError(err)
	}
	request, err := credential.NewRequest(flags.cuit, flags.organization, flags.alias)
	if err != nil {
		return cli.UsageError(err)
	}
	if err := flags.write(request); err != nil {
		return err
	}
	made := struct {
		Key   string      `json:"key"`
		CSR   string      `json:"csr"`
		Cuit  wsfev1.CUIT `json:"cuit"`
		Alias string      `json:"alias"`
	}{flags.key, flags.out, flags.cuit, flags.alias}
	return flags.Report(cmd, made, cmd.OutOrStdout(), "%s", steps(flags))
}

// write makes both files or none.
func (f *requestFlags) write(request *credential.Request) error {
	key, err := writeNew("--key", f.key, []byte(request.Key.Reveal()))
	if err != nil {
		return err
	}
	if _, err := writeNew("--out", f.out, request.CSR); err != nil {
		return errors.Join(err, key.Abandon())
	}
	return nil
}

// writeNew makes a file that only its owner can read.
func writeNew(flag, path string, content []byte) (*durable.NewFile, error) {
	file, err := durable.CreateNew(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Finish()); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: writing %s: %w", flag, path, err), file.Abandon())
	}
	return file, nil
}
