// Package nearest finds what a mistyped word was meant to be.
//
// It is a package of its own because parsers of configurations, commands and pages all meet mistyped
// words.
package nearest

import (
	"slices"
	"strings"
)

// Question asks for the names nearest to a word: "; did you mean search?". It is empty if none
// is near.
func Question(word string, names []string) string {
	nearest := Names(word, names)
	if nearest == nil {
		return ""
	}
	return "; did you mean " + strings.Join(nearest, " or ") + "?"
}

// Names returns the names nearest to a word, in order; none if none is near. The word may be
// anything that a client has sent: its distance is counted only from names of about its length.
func Names(word string, names []string) []string {
	nearest, distance := []string(nil), farthest(word)
	for _, name := range names {
		if longer := len(word) - len(name); longer > 2 || longer < -2 {
			continue
		}
		switch d := editDistance(strings.ToLower(word), strings.ToLower(name)); {
		case d < distance || d == distance && nearest == nil:
			nearest, distance = []string{name}, d
		case d == distance:
			nearest = append(nearest, name)
		}
	}
	slices.Sort(nearest)
	return nearest
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
