package compare

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// item is a list item, read for the comparison.
type item struct {
	texts []string // of the members that are compared, in their order
	key   string   // members that must be equal, amounts as the coarsest form that the service stores
	text  string   // for people; its names show that it quotes a redacted member
	taken bool     // it has been matched with a sent item
}

// list compares two lists as sets: the service may give them in another order. An item
// without any value counts as none, so an empty list equals an absent one.
func (c *comparison) list(field string, shape *wsfev1.Shape, sent, kept reflect.Value) {
	r := reading{}
	for i := range shape.Members {
		if m := &shape.Members[i]; !c.redacted[m.Name] {
			r.members, r.paths = append(r.members, m), append(r.paths, field+"/"+m.Name)
		}
	}
	there := r.items(kept)
	alike := map[string][]*item{}
	for _, k := range there {
		alike[k.key] = append(alike[k.key], k)
	}
	take := func(s *item, same func(k *item) bool) bool {
		found := slices.IndexFunc(alike[s.key], same)
		if found >= 0 {
			alike[s.key][found].taken = true
			alike[s.key] = slices.Delete(alike[s.key], found, found+1)
		}
		return found >= 0
	}
	// Those that are equal to the letter come first: one that is forgiven a difference must not take
	// the equal of another.
	left := slices.DeleteFunc(r.items(sent), func(s *item) bool {
		return take(s, func(k *item) bool { return slices.Equal(s.texts, k.texts) })
	})
	var lost, other string
	for _, s := range left {
		if !take(s, func(k *item) bool { return c.sameItem(r.paths, s, k) }) {
			lost = cmp.Or(lost, s.text)
		}
	}
	if i := slices.IndexFunc(there, func(k *item) bool { return !k.taken }); i >= 0 {
		other = there[i].text
	}
	if lost != "" || other != "" {
		c.differ(field, lost, other)
	}
}

func (c *comparison) sameItem(paths []string, sent, kept *item) bool {
	for i, path := range paths {
		if !c.same(path, sent.texts[i], kept.texts[i]) {
			return false
		}
	}
	return true
}

// reading names the members of the items to compare, and their paths.
type reading struct {
	members []*wsfev1.Member
	paths   []string
}

// items reads the list items that have a value.
func (r *reading) items(list reflect.Value) []*item {
	var all []*item
	for i := range list.Len() {
		one := &item{}
		var says []string
		for j, m := range r.members {
			text := textOf(m.Shape, valueOf(m, list.Index(i)))
			one.texts = append(one.texts, text)
			switch {
			case echoes[r.paths[j]].loose:
			case m.Shape.Kind == wsfev1.KindAmount:
				one.key += decimalText(text) + "\n"
			default:
				one.key += text + "\n"
			}
			if text != "" && text != "0" {
				says = append(says, m.Name+" "+text)
			}
		}
		if one.text = strings.Join(says, ", "); one.text != "" {
			all = append(all, one)
		}
	}
	return all
}
