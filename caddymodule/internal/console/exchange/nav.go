package exchange

import (
	"maps"
	"strconv"

	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// navigate leads through the items of the longest list of a tree.
func (p *exchangePage) navigate(d *document) {
	if d.Tree == nil {
		return
	}
	total := longest(d.Tree)
	if total <= tree.Window {
		return
	}
	d.Nav = p.navOf(total, d.Part)
}

// navOf returns the way through so many items.
func (p *exchangePage) navOf(total int, fragment string) nav {
	n := nav{Post: p.Revealed, PreviousName: p.T("previous"), NextName: p.T("next")}
	to := min(p.from+tree.Window, total)
	n.Text = strconv.Itoa(min(p.from+1, total)) + "–" + strconv.Itoa(to) + " " + p.T("of") + " " + strconv.Itoa(total)
	address := func(from int) string {
		base := p.Address
		if p.Revealed {
			base += "/reveal"
		}
		values := maps.Clone(p.searched)
		values.Set(site.Window, strconv.Itoa(from))
		return base + "?" + values.Encode() + "#" + fragment
	}
	if p.from > 0 {
		n.Previous = address(max(min(p.from, total)-tree.Window, 0))
	}
	if to < total {
		n.Next = address(to)
	}
	return n
}

// longest returns the length of the longest list that is not shown whole.
func longest(n *tree.Node) (most int) {
	gap := false
	for _, child := range n.Children {
		gap = gap || child.State == tree.Gap
		most = max(most, longest(child))
	}
	if gap && n.List {
		most = max(most, n.Count)
	}
	return most
}
