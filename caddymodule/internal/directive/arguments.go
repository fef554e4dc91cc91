package directive

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/dustin/go-humanize"

	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/internal/sshagent"
)

// sizeText formats a size as options write it: 4MiB.
func sizeText(size uint64) string {
	return strings.NewReplacer(" ", "", ".0", "").Replace(humanize.IBytes(size))
}

// DurationArgument reads a duration of more than 0.
func DurationArgument(d *caddyfile.Dispenser, option, example string, value *caddy.Duration) error {
	var text string
	if err := OneArgument(d, &text); err != nil {
		return err
	}
	duration, err := caddy.ParseDuration(text)
	if err != nil || duration <= 0 {
		return d.Errf("%s %q: give a duration such as %s", option, text, example)
	}
	*value = caddy.Duration(duration)
	return nil
}

// modules returns the names of the modules in a namespace.
func modules(namespace string) (names []string) {
	for _, info := range caddy.GetModules(strings.TrimSuffix(namespace, ".")) {
		names = append(names, info.ID.Name())
	}
	return names
}

// UnmarshalModule reads a line "<option> <module> …" into the module's JSON. fits reports
// whether the module can be used.
func UnmarshalModule(d *caddyfile.Dispenser, namespace, inlineKey string, fits func(caddy.Module) bool) ([]byte, error) {
	if !d.NextArg() {
		return nil, d.ArgErr()
	}
	name := d.Val()
	if strings.ContainsAny(name, "./:") {
		// The error does not repeat it: a DSN may hold a password.
		return nil, d.Errf("the kind of %s comes first, %s, and then where it is, such as sqlite ./%s.db",
			inlineKey, enumerate(modules(namespace)), inlineKey)
	}
	if _, err := caddy.GetModule(namespace + name); err != nil {
		return nil, d.Errf("unknown %s %q: this build has %s%s", inlineKey, name, enumerate(modules(namespace)), nearest.Question(name, modules(namespace)))
	}
	module, err := caddyfile.UnmarshalModule(d, namespace+name)
	if err != nil {
		return nil, err
	}
	guest, ok := module.(caddy.Module)
	if !ok || !fits(guest) {
		return nil, d.Errf("module %s%s cannot be used here", namespace, name)
	}
	return caddyconfig.JSONModuleObject(module, inlineKey, name, nil), nil
}

// OneArgument reads the only argument of an option.
func OneArgument(d *caddyfile.Dispenser, value *string) error {
	if !d.AllArgs(value) {
		return d.ArgErr()
	}
	return nil
}

// KeyArgument reads the place of a private key: the path of a file, a placeholder, or the socket of an ssh-agent and a
// fingerprint.
func KeyArgument(d *caddyfile.Dispenser, value *string) error {
	switch written := d.RemainingArgs(); {
	case len(written) == 3 && written[0] == "agent":
		*value = sshagent.Option(written[1], written[2])
	case len(written) == 1 && written[0] != "agent":
		*value = written[0]
	case len(written) > 0 && written[0] == "agent": // alone it would be a file, which would be made
		return d.Err("key agent: give the socket of the agent and the fingerprint of the key, as ssh-add -l shows it: agent /run/fielato/agent.sock SHA256:…")
	default:
		return d.ArgErr()
	}
	return nil
}

// Word reads an argument that must be one of the words.
func Word(d *caddyfile.Dispenser, value *string, option string, words ...string) error {
	if err := OneArgument(d, value); err != nil {
		return err
	}
	if !slices.Contains(words, *value) {
		return d.Errf("unknown %s %q: use %s%s", option, *value, enumerate(words), nearest.Question(*value, words))
	}
	return nil
}

// Distance returns how many letters must be changed, inserted or deleted to turn one name into
// the other (Levenshtein), times ten. A change of case counts as a tenth of a change.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = 10 * j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] += 10
		for j := range len(b) {
			cost := 10
			switch {
			case a[i] == b[j]:
				cost = 0
			case strings.EqualFold(a[i:i+1], b[j:j+1]):
				cost = 1
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+10, row[j+1]+10)
		}
	}
	return row[len(b)]
}

// ResolvePath replaces the placeholders of a path. One that has no value is an error: a path cut
// short names another file.
func ResolvePath(path string) (string, error) {
	resolved, err := Resolve(path)
	if err != nil {
		return "", fmt.Errorf("path %s: %w", path, err)
	}
	if resolved == "" {
		return "", errors.New("the path is empty")
	}
	return resolved, nil
}

// NoArgument reads an option without arguments.
func NoArgument(d *caddyfile.Dispenser, value *bool) error {
	if d.NextArg() {
		return d.ArgErr()
	}
	*value = true
	return nil
}

// Interval reads how often an option does something, at least as long as least. example is an interval for who gives
// another text.
func Interval(d *caddyfile.Dispenser, option, text string, least time.Duration, example string) (caddy.Duration, error) {
	interval, err := caddy.ParseDuration(text)
	if err != nil || interval < least {
		return 0, d.Errf("%s: %q is not an interval: give a duration of %s at least, such as %s", option, text, least, example)
	}
	return caddy.Duration(interval), nil
}
