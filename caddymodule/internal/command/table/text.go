package table

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// color is a control sequence of a terminal, which takes no room.
var color = regexp.MustCompile("\x1b\\[[0-9;]*m")

// length returns how many characters of a text a terminal shows.
func length(text string) int {
	if strings.Contains(text, "\x1b") {
		text = color.ReplaceAllString(text, "")
	}
	return utf8.RuneCountInString(text)
}

// Cut shortens a text to so many characters, of which the last is an ellipsis.
func Cut(text string, characters int) string {
	if length(text) <= characters {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:characters-1]), " ") + "…"
}

// Wrap breaks a text at blanks into lines of so many characters. A longer word stays whole: a terminal continues
// it, and whoever copies it gets no blanks into it. 0 is for no limit.
func Wrap(text string, characters int) []string {
	if characters <= 0 || length(text) <= characters {
		return []string{text}
	}
	var lines []string
	line := ""
	for i, word := range strings.Split(text, " ") {
		switch {
		case i == 0:
			line = word
		case length(line)+1+length(word) <= characters:
			line += " " + word
		default:
			lines = append(lines, strings.TrimRight(line, " "))
			line = word
		}
	}
	return append(lines, line)
}

// fold is Wrap for a cell of a table, which must not reach into the next one: it breaks longer words too.
func fold(text string, characters int) (lines []string) {
	for _, line := range Wrap(text, characters) {
		for rest := []rune(line); ; rest = rest[characters:] {
			if characters <= 0 || length(string(rest)) <= characters {
				lines = append(lines, string(rest))
				break
			}
			lines = append(lines, string(rest[:characters]))
		}
	}
	return lines
}

// pad fills a text with blanks up to a width.
func pad(text string, width int, right bool) string {
	blanks := strings.Repeat(" ", max(0, width-length(text)))
	if right {
		return blanks + text
	}
	return text + blanks
}
