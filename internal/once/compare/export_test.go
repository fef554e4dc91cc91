package compare

import (
	"maps"
	"slices"
)

// EchoedMembers are the paths of the members that have a row, and the sources of the rows.
func EchoedMembers() (paths, sources []string) {
	for _, path := range slices.Sorted(maps.Keys(echoes)) {
		paths, sources = append(paths, path), append(sources, echoes[path].source)
	}
	return paths, sources
}
