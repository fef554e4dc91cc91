package directive

import (
	"bufio"
	"os"
	"regexp"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

var (
	variable = regexp.MustCompile(`\{\$([^{}:]+)(:[^{}]*)?\}`)
	comment  = regexp.MustCompile(`\s#.*`)
)

// checkVariables returns an error if the line of the current token, an option, has a variable
// {$NAME} that stands for nothing. Caddy has replaced it before it gives the words: an option would
// mean something else without it, such as the default path of a trail. The line as it was written
// is in the file alone. Where that cannot be read nothing is checked.
func checkVariables(d *caddyfile.Dispenser) error {
	for _, found := range variable.FindAllStringSubmatch(writtenLine(d), -1) {
		name, fallback := found[1], found[2]
		value, isSet := os.LookupEnv(name)
		switch {
		case value != "":
		case isSet && fallback != ":":
			return d.Errf("%s: the variable %s is set to nothing: give it a value, or unset it and write {$%s:value} for a default", d.Val(), name, name)
		case !isSet && fallback == "":
			return d.Errf("%s: the variable %s is not set: set it, write {$%s:value} for a default, or leave the line out", d.Val(), name, name)
		}
	}
	return nil
}

// writtenLine returns the line of the current token as it stands in its file, empty if the token
// does not begin it.
func writtenLine(d *caddyfile.Dispenser) string {
	file, err := os.Open(d.File())
	if err != nil {
		return ""
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		if n < d.Line() {
			continue
		}
		line := strings.TrimSpace(lines.Text())
		if first, _, _ := strings.Cut(line, " "); first != d.Val() {
			return ""
		}
		return comment.ReplaceAllString(line, "")
	}
	return ""
}
