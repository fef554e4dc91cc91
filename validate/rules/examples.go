package rules

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// messages are the rules' messages about requests that break them, by code. A test keeps them in step.
//
//go:embed testdata/messages.golden
var messages string

// examples are the messages of each code.
var examples = sync.OnceValue(func() map[int32][]string {
	all, code := map[int32][]string{}, int32(0)
	for line := range strings.Lines(messages) {
		line = strings.TrimSuffix(line, "\n")
		if said, found := strings.CutPrefix(line, "  "); found {
			if rule, _ := RuleByCode(code); said != rule.Spanish {
				all[code] = append(all[code], said)
			}
			continue
		}
		number, _ := strconv.ParseInt(line, 10, 32)
		code = int32(number)
	}
	return all
})

// Examples returns messages of a code's rules about requests that break them: the operation, and the
// message with its figures. There are none for a code that only the service decides.
func Examples(code int32) []string { return slices.Clone(examples()[code]) }
