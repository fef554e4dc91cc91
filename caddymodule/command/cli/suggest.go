package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError explains a wrong flag, and suggests the nearest for one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var refused *refusedError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		err = fmt.Errorf("%w%s", err, didYouMean("--"+unknown.GetSpecifiedName(), names))
	case errors.As(err, &invalid) && errors.As(err, &refused):
		err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), refused)
	}
	return UsageError(err)
}

// unknownCommand refuses the arguments of a group of commands, and suggests the nearest one.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), didYouMean(args[0], names))
}

// didYouMean returns a question about the names nearest to a word; empty if none is near.
func didYouMean(word string, names []string) string {
	nearest, distance := []string(nil), farthest(word)
	for _, name := range names {
		switch d := editDistance(strings.ToLower(word), strings.ToLower(name)); {
		case d < distance || d == distance && nearest == nil:
			nearest, distance = []string{name}, d
		case d == distance:
			nearest = append(nearest, name)
		}
	}
	if nearest == nil {
		return ""
	}
	slices.Sort(nearest)
	return fmt.Sprintf("; did you mean %s?", strings.Join(nearest, " or "))
}

// farthest is the distance up to which a name is near a word: a short word is near anything
// at two.
func farthest(word string) int {
	if len(strings.TrimLeft(word, "-")) < 6 {
		return 1
	}
	return 2
}

// editDistance counts the letters to insert, remove, replace, or swap with the next one.
func editDistance(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(from); i++ {
		for j := 1; j <= len(to); j++ {
			differs := 1
			if from[i-1] == to[j-1] {
				differs = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+differs)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(from)][len(to)]
}
