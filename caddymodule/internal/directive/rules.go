package directive

import (
	"fmt"
	"strconv"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// RuleArguments reads "rule <code>… enforce|observe|off" into chosen, which it returns. It
// checks the codes here, where the line is known. decidesState: codes that only the service can
// decide are allowed too.
func RuleArguments(d *caddyfile.Dispenser, chosen map[string]validate.Level, decidesState bool) (map[string]validate.Level, error) {
	words := d.RemainingArgs()
	if len(words) < 2 {
		return nil, d.Err("give one or more codes and then enforce, observe or off, such as: rule 10246 enforce")
	}
	codes, level := words[:len(words)-1], validate.Level(words[len(words)-1])
	if level != validate.Enforce && level != validate.Observe && level != validate.Off {
		levels := []string{string(validate.Enforce), string(validate.Observe), string(validate.Off)}
		return nil, d.Errf("%q: end the line with enforce, observe or off%s", level, nearest.Question(string(level), levels))
	}
	for _, text := range codes {
		code, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, d.Errf("%q is not a code: the command wsfev1 rules lists them", text)
		}
		if text == validate.TicketCode && !decidesState {
			return nil, d.Errf("%s is about the access ticket: use the option ticket", text)
		}
		if decidesState && code >= 500 && code <= 602 {
			return nil, d.Errf("%s is not a rule that can be set: see the options tickets and fault", text)
		}
		settings := rules.Settings{Levels: map[int32]validate.Level{int32(code): level}, DecidesState: decidesState}
		if err := settings.Check(); err != nil {
			return nil, d.Errf("%v: the command wsfev1 rules lists the codes", err)
		}
		text = strconv.FormatInt(code, 10)
		if _, twice := chosen[text]; twice {
			return nil, d.Errf("rule %s is given twice", text)
		}
		if chosen == nil {
			chosen = map[string]validate.Level{}
		}
		chosen[text] = level
	}
	return chosen, nil
}

// Levels parses the levels of a configuration, by code.
func Levels(chosen map[string]validate.Level) (map[int32]validate.Level, error) {
	levels := make(map[int32]validate.Level, len(chosen))
	for text, level := range chosen {
		code, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("rules: %q is not a code: the command wsfev1 rules lists them", text)
		}
		levels[int32(code)] = level
	}
	return levels, nil
}
