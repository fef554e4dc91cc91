package command

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/wsfev1"
)

const convertHelp = `
Writes a request, or an answer, in the other of the two forms: JSON or SOAP. Nothing is
sent and no rule is judged: "fielato wsfev1 check" does that, for both forms. FILE holds
one document; "-" is the standard input. What it is shows in its content, not in its name.

The operation of a SOAP message stands in its Body. In JSON it is recognised by the
members of a request, as check does; any other has to be named with --operation. An answer
in JSON needs --answer and --operation.

Amounts keep their digits. What has no counterpart is named on the standard error:
elements that the service does not know, blocks of the Header, comments, and amounts that
a double of SOAP cannot hold. A document with a repeated element is not converted.

Token and Sign are written as they are: the result is as secret as the file. Messages
never have them. A character that is not printable is written as a reference, which reads
the same.

Exit status:
  0  converted; a comment or a Header that was left out does not count
  1  converted, but an element was left out, or a value reads otherwise
  2  not converted: no such file, neither JSON nor SOAP, not of the operation's shape, a
     fault, an unknown operation, wrong flags`

const convertExamples = `  fielato wsfev1 convert request.json > request.xml
  fielato wsfev1 convert --to soap12 request.json
  fielato wsfev1 convert --compact request.xml > request.json
  fielato wsfev1 convert --operation FECAEAConsultar request.json
  fielato wsfev1 convert --operation FECAESolicitar --answer answer.json`

type convertFlags struct {
	operation, to   string
	answer, compact bool
}

func (f *convertFlags) bind(set *pflag.FlagSet) {
	cli.OperationVar(set, &f.operation, "operation", "The operation; its exact name (default: told from the document)")
	cli.ChoiceVar(set, &f.to, "to", "", "json, soap11 or soap12 (default: soap11 for JSON, json for SOAP)", forms.JSON, forms.SOAP11, forms.SOAP12)
	set.BoolVar(&f.answer, "answer", false, "A document in JSON is an answer, not a request")
	set.BoolVar(&f.compact, "compact", false, "Write one line, not indented")
}

func convertCommand() *cobra.Command {
	flags := &convertFlags{}
	cmd := &cobra.Command{
		Use:     "convert [flags] FILE|-",
		Short:   "Writes a request or an answer in the other form: JSON or SOAP",
		Long:    convertHelp,
		Example: convertExamples,
		Args:    cli.Exactly(cli.Argument{Name: "FILE", What: "a file with one document, or - for the standard input"}),
		RunE:    func(cmd *cobra.Command, args []string) error { return runConvert(cmd, flags, args[0]) },
	}
	flags.bind(cmd.Flags())
	return cmd
}

func runConvert(cmd *cobra.Command, flags *convertFlags, file string) error {
	body, err := readDocument(cmd.InOrStdin(), file)
	if err != nil {
		return err
	}
	c := forms.Converter{
		Operation: wsfev1.OperationByName(flags.operation), Answer: flags.answer, Redactor: forms.NewRedactor(),
		Note: func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) },
	}
	result, err := c.Convert(body, flags.to)
	if err != nil {
		return fmt.Errorf("%s: %w", printableName(file), err)
	}
	if !flags.compact {
		result = result.Indented()
	}
	if _, err := cmd.OutOrStdout().Write(result.Printable()); err != nil {
		return fmt.Errorf("printing the document: %w", err)
	}
	if c.Lost {
		cmd.SilenceErrors = true // what was lost is named
		return cli.Found(forms.ErrLost)
	}
	return nil
}
