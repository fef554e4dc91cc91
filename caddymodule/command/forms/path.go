package forms

import (
	"strconv"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// PathOf returns the XML path of a member of a request: positions count from 1 there.
func PathOf(op *wsfev1.Operation, pointer string) string {
	var path strings.Builder
	path.WriteString("/Envelope/Body/" + op.Name)
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if n, err := strconv.Atoi(step); err == nil && n >= 0 {
			path.WriteString("[" + strconv.Itoa(n+1) + "]")
		} else if step != "" {
			path.WriteString("/" + step)
		}
	}
	return path.String()
}
