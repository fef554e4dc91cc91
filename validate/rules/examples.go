package rules

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// messages are what the rules say about requests that break them, by code. A test holds the rules to them.
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

// Examples returns what the rules of a code say about requests that break them: the operation, and the message
// with its figures. There are none for a code that only the service decides.
func Examples(code int32) []string { return slices.Clone(examples()[code]) }
