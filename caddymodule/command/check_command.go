package command

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/documents"
	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

const checkHelp = `
Judges the bodies of requests as the gateway does in mode enforce, without sending
anything. A file holds one JSON document, over as many lines as it likes, or one a
line (JSON Lines), or one SOAP message. What it is shows in its content, not in its name;
"-" is the standard input. A document may have up to 64 MiB.

The operation of a SOAP message stands in its Body. --operation has to agree with it, and
names that of an empty Body. In JSON, it is recognised by the members:

  FeCAEReq            FECAESolicitar
  FeCAEARegInfReq     FECAEARegInformativo
  FeCompConsReq       FECompConsultar
  PtoVta, CbteTipo    FECompUltimoAutorizado
  Periodo, Orden      FECAEASolicitar
  PtoVta, CAEA        FECAEASinMovimientoInformar
  MonId               FEParamGetCotizacion

Any other has to be named with --operation, FECAEAConsultar and
FECAEASinMovimientoConsultar too: they look like one of these.

The credentials must be there, but tickets are not checked: those in files are rarely
valid. Rules that need the tax register or the invoices issued before are not judged
either; "fielato wsfev1 rules" shows which they are. Token and Sign are never printed.

As text, there is a line in Spanish for each finding, "file:line: rechazado|observado: message",
where line is the one on which the document begins; in a SOAP message it is that of the element,
with its column, and its path is added. There is none for a clean document; the counts
go to the standard error. What cannot be judged, such as a file that does not exist, is
"file:line: ilegible: message". As json, there is one object for each document, with
"unreadable":true and the action "none" for such.

Exit status:
  0  no document would be refused; observations do not count
  1  a document would be refused
  2  something could not be read: no such file, neither JSON nor SOAP, an empty file, an
     answer, recorded HTTP, an unknown operation, wrong flags. The rest was judged all the same, except with wrong flags.`

const checkExamples = `  fielato wsfev1 check invoice.json
  fielato wsfev1 check request.xml
  fielato wsfev1 check --rule 10048=observe --now 2026-12-01T09:00:00-03:00 invoice.json
  jq -c .request exported.json | fielato wsfev1 check -

  # .git/hooks/pre-commit
  git diff --cached --name-only --diff-filter=d -z -- invoices | xargs -0 -r fielato wsfev1 check

  # a step of a build
  fielato wsfev1 check --format json invoices/*.json`

type checkFlags struct {
	cli.ColorFlags
	operation, now, contract, format string
	rules                            []string
}

func (f *checkFlags) bind(set *pflag.FlagSet) {
	cli.OperationVar(set, &f.operation, "operation", "The operation of every document; its exact name (default: told from each)")
	set.StringVar(&f.now, "now", "", "Judge as of this moment, such as 2026-11-20T15:04:05-03:00 (default: now)")
	set.StringVar(&f.contract, "contract", string(validate.ARCA), "What is allowed: base, or arca with the extensions")
	cli.Complete(set, "contract", string(validate.Base), string(validate.ARCA))
	set.StringArrayVar(&f.rules, "rule", nil, "CODE=LEVEL: judge a rule at the level enforce, observe or off; may be repeated")
	cli.ChoiceVar(set, &f.format, "format", "text", "text, or json: one object a line", "text", "json")
	f.BindColor(set)
}

func checkCommand() *cobra.Command {
	flags := &checkFlags{}
	cmd := &cobra.Command{
		Use:     "check [flags] FILE…|-",
		Short:   "Judges the bodies of requests in files by the rules of the gateway",
		Long:    checkHelp,
		Example: checkExamples,
		Args:    cli.AtLeast(cli.Argument{Name: "FILE", What: "a file with requests, or - for the standard input"}),
		RunE:    func(cmd *cobra.Command, args []string) error { return runCheck(cmd, flags, args) },
	}
	flags.bind(cmd.Flags())
	_ = cmd.RegisterFlagCompletionFunc("rule", completeRule) // fails only without the flag
	return cmd
}

func runCheck(cmd *cobra.Command, flags *checkFlags, files []string) error {
	c, err := flags.checker(cmd.InOrStdin())
	if err != nil {
		return cli.UsageError(err)
	}
	write := flags.printer(cmd.OutOrStdout())
	var t tally
	for _, file := range files {
		err := c.file(file, func(result *checkedFile) error {
			t.add(result.Result)
			return write(cmd.OutOrStdout(), result)
		})
		if err != nil {
			return cli.Inconclusive(fmt.Errorf("printing what was found: %w", err))
		}
	}
	if flags.format == "text" {
		fmt.Fprintln(cmd.ErrOrStderr(), t)
	}
	cmd.SilenceErrors = true // the findings are printed
	return t.end()
}

// checker returns a checker with the operation, clock and rules of the flags.
func (f *checkFlags) checker(stdin io.Reader) (*fileChecker, error) {
	book := &intake.Book{Whole: true}
	c := &fileChecker{documents.Judge{Book: book, Now: time.Now, Redactor: forms.NewRedactor()}, stdin}
	var err error
	if book.Contract, err = validate.ParseContract(f.contract); err != nil {
		return nil, fmt.Errorf("--contract: %w", err)
	}
	if name := f.operation; name != "" {
		if c.Operation = book.Contract.Operation(name); c.Operation == nil {
			return nil, fmt.Errorf("--operation %q: the contract %s has no such operation", name, f.contract)
		}
	}
	if text := f.now; text != "" {
		moment, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, fmt.Errorf("--now %q: give a moment such as 2026-11-20T15:04:05-03:00", text)
		}
		c.Now = func() time.Time { return moment }
	}
	levels, err := ruleLevels(f.rules)
	if err != nil {
		return nil, err
	}
	book.Rules, err = rules.NewRules(rules.Settings{Levels: levels})
	return c, err
}

// completeRule offers the codes of the rules, and the levels after a code.
func completeRule(_ *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var offered []cobra.Completion
	if code, _, found := strings.Cut(text, "="); found {
		for _, level := range []validate.Level{validate.Enforce, validate.Observe, validate.Off} {
			offered = append(offered, code+"="+string(level))
		}
		return offered, cobra.ShellCompDirectiveNoFileComp
	}
	for _, code := range catalogueCodes() {
		offered = append(offered, code+"=")
	}
	return offered, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// ruleLevels parses --rule. The rules check the codes and levels.
func ruleLevels(settings []string) (map[int32]validate.Level, error) {
	levels := map[int32]validate.Level{}
	for _, setting := range settings {
		text, level, found := strings.Cut(setting, "=")
		if !found {
			return nil, fmt.Errorf("--rule %q: give a code and a level, such as 10048=observe", setting)
		}
		code, err := ruleCode(text)
		if err != nil {
			return nil, fmt.Errorf("--rule %q: %w", setting, err)
		}
		if _, twice := levels[code]; twice {
			return nil, fmt.Errorf("--rule %q: the rule is given twice", setting)
		}
		levels[code] = validate.Level(level)
	}
	return levels, nil
}

// printer returns the function that prints the findings of a document.
func (f *checkFlags) printer(out io.Writer) func(io.Writer, *checkedFile) error {
	if f.format == "json" {
		return printCheckLine
	}
	return findingsPrinter{f.Painter(out)}.print
}

// tally counts documents by result.
type tally struct{ documents, refused, unreadable int }

func (t *tally) add(c *documents.Result) {
	t.documents++
	switch {
	case c.Unreadable:
		t.unreadable++
	case c.Refused():
		t.refused++
	}
}

// String returns the counts in a line.
func (t tally) String() string {
	return fmt.Sprintf("%s, %d refused, %d unreadable", quantity(t.documents, "document", "documents"), t.refused, t.unreadable)
}

var (
	errRefused    = errors.New("a document would be refused")
	errUnreadable = errors.New("something could not be read")
)

// end returns the error with the exit status.
func (t tally) end() error {
	switch {
	case t.unreadable > 0:
		return cli.Inconclusive(errUnreadable)
	case t.refused > 0:
		return cli.Found(errRefused)
	}
	return nil
}
