package app

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestValuesAreInTheOrderOfTheConfiguration, in whichever order Caddy provisions its servers.
func TestValuesAreInTheOrderOfTheConfiguration(t *testing.T) {
	random := rand.New(rand.NewPCG(20261128, 1))
	servers := map[string][]string{"srv0": {"a"}, "srv2": {"b", "c"}, "srv10": {"d", "e"}, "api-of-shops": {"f"}}
	want := []string{"a", "b", "c", "d", "e", "f"}
	names := []string{"srv0", "srv2", "srv10", "api-of-shops"}
	for range 50 {
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		var all Placed[string]
		for _, name := range names {
			for _, value := range servers[name] {
				all.Add(Place{name}, value)
			}
		}
		if !slices.Equal(all.All(), want) {
			t.Errorf("servers provisioned as %v give %v", names, all.All())
		}
	}
}
