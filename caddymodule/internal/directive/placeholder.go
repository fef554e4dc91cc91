package directive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// ErrorOfFile adds the cure to the error of reading a file that an option names. Its path does not begin at the
// Caddyfile, where the paths of import begin.
func ErrorOfFile(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: let the user of the gateway read the file and pass its folders", err)
	}
	return fmt.Errorf("%w: correct the path, which starts in the folder where the gateway runs unless it begins with /", err)
}

var ofEnvironment = regexp.MustCompile(`\{env\.([^{}:]+)\}`)

// Resolve replaces the placeholders of a text. One that stands for nothing is an error, which
// names it and never its value: a text cut short would name another file or database. So would ~, which only a shell
// replaces: here it would be a folder of that name.
func Resolve(text string) (string, error) {
	if strings.HasPrefix(text, "~/") {
		return "", errors.New("~ is not your home folder here: write {env.HOME}" + text[1:] + ", or the whole path")
	}
	resolved, err := caddy.NewReplacer().ReplaceOrErr(text, true, true)
	if err == nil {
		return resolved, nil
	}
	for _, found := range ofEnvironment.FindAllStringSubmatch(text, -1) {
		switch value, isSet := os.LookupEnv(found[1]); {
		case !isSet:
			return "", fmt.Errorf("the variable %s is not set: set it where the gateway runs", found[1])
		case value == "":
			return "", fmt.Errorf("the variable %s is set to nothing: give it a value", found[1])
		}
	}
	return "", err
}
