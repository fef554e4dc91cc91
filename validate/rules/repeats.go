package rules

// few items are compared with each other; more of them are looked up in a map, or a
// long list would cost its square.
const few = 8

// eachRepeat calls repeat with the position of each of n items whose key an earlier item has.
// An item without a key (key reports false) is skipped.
func eachRepeat[K comparable](n int, key func(i int) (K, bool), repeat func(i int)) {
	if n > few {
		eachRepeatOfMany(n, key, repeat)
		return
	}
	var seen [few]K
	kept := 0
	for i := range n {
		k, counts := key(i)
		if !counts {
			continue
		}
		found := false
		for _, earlier := range seen[:kept] {
			found = found || earlier == k
		}
		if found {
			repeat(i)
			continue
		}
		seen[kept] = k
		kept++
	}
}

func eachRepeatOfMany[K comparable](n int, key func(i int) (K, bool), repeat func(i int)) {
	seen := make(map[K]struct{}, n)
	for i := range n {
		k, counts := key(i)
		if !counts {
			continue
		}
		if _, repeated := seen[k]; repeated {
			repeat(i)
		}
		seen[k] = struct{}{}
	}
}
