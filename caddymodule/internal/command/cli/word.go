package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/wsfev1"
)

// wordsAnnotation is the annotation of a flag with the words that a shell completes.
const wordsAnnotation = "fielato_words"

// word is the value of a flag that takes one of a list of words.
type word struct {
	text  *string
	words []string
	// refusal says what to give instead of another word.
	refusal string
}

// refusedError is a mistake in the value of a flag. The error around it names the flag.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }

func (w *word) String() string { return *w.text }

// Type is the name of the value in the help.
func (w *word) Type() string { return "string" }

// Set takes no text, too: a command refuses it as a flag without a value.
func (w *word) Set(text string) error {
	if text != "" && !slices.Contains(w.words, text) {
		return &refusedError{w.refusal + nearest.Question(text, w.words)}
	}
	*w.text = text
	return nil
}

// WordVar defines a flag that takes one of a long list of words. A shell completes them.
func WordVar(set *pflag.FlagSet, text *string, name, usage string, words []string) {
	bindWord(set, &word{text, words, "use one of " + strings.Join(words, ", ")}, name, usage)
}

// ChoiceVar defines a flag that takes one of a few words; value is the default.
func ChoiceVar(set *pflag.FlagSet, text *string, name, value, usage string, words ...string) {
	*text = value
	last := len(words) - 1
	bindWord(set, &word{text, words, "use " + strings.Join(words[:last], ", ") + " or " + words[last]}, name, usage)
}

// OperationVar defines a flag that takes the name of an operation.
func OperationVar(set *pflag.FlagSet, text *string, name, usage string) {
	var names []string
	for _, operation := range wsfev1.Operations {
		names = append(names, operation.Name)
	}
	bindWord(set, &word{text, names, "no such operation; names are exact, such as FECAESolicitar"}, name, usage)
}

func bindWord(set *pflag.FlagSet, value *word, name, usage string) {
	set.Var(value, name, usage)
	Complete(set, name, value.words...)
}

// Complete gives a flag the words that a shell completes; without any it completes none, not
// even names of files.
func Complete(set *pflag.FlagSet, name string, words ...string) {
	set.Lookup(name).Annotations = map[string][]string{wordsAnnotation: words}
}

// registerCompletions makes the words of the flags of a command known to cobra.
func registerCompletions(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if words, listed := f.Annotations[wordsAnnotation]; listed {
			complete(cmd, f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// complete registers how the value of a flag is completed. It fails only for a flag that the
// command does not have.
func complete(cmd *cobra.Command, flag string, completion cobra.CompletionFunc) {
	_ = cmd.RegisterFlagCompletionFunc(flag, completion)
}
