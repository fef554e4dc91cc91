package tree

import "github.com/fielato/fielato/wsfev1"

// Line is a part of the total.
type Line struct {
	Name, Amount string
	// Sum is the sum of the part's items, where it differs from the amount; empty where it fits or cannot
	// be known.
	Sum string
	// Item: it is one of the items that the line before it should be the sum of.
	Item bool
}

// parts are the members that the total is the sum of.
var parts = []string{"ImpNeto", "ImpIVA", "ImpTrib", "ImpOpEx", "ImpTotConc"}

// figures returns the parts of the total that were sent.
func (n *Node) figures() (sent []*Node) {
	for _, name := range parts {
		if figure := n.Member(name); figure != nil {
			sent = append(sent, figure)
		}
	}
	return sent
}

// exact reads a figure. One that was not sent counts as 0. known is false for what cannot be computed with:
// a member that is no number, or stands in the tree without its value.
func (n *Node) exact() (a wsfev1.Amount, known bool) {
	if n == nil {
		return wsfev1.MustAmount("0"), true
	}
	a, err := wsfev1.ParseAmount(n.value())
	return a, err == nil && a.Exact()
}

// sumOf adds figures; known is false where one of them is not.
func sumOf(figures ...*Node) (sum wsfev1.Amount, known bool) {
	sum = wsfev1.MustAmount("0")
	for _, figure := range figures {
		a, is := figure.exact()
		if !is {
			return sum, false
		}
		sum = sum.Add(a)
	}
	return sum, sum.Exact()
}

// differs returns what figures add up to, formatted, where that is not the amount that was sent.
func differs(sent *Node, currency string, figures ...*Node) string {
	a, known := sent.exact()
	sum, all := sumOf(figures...)
	if !known || !all || a.Equal(sum) {
		return ""
	}
	return sent.moneyOf(sum, currency)
}

// isWhole reports whether the tree holds all members or items of a node.
func (n *Node) isWhole() bool {
	for _, child := range n.Children {
		if child.State == Gap {
			return false
		}
	}
	return true
}

// addItems adds the figures of a list. The amount that was sent for the whole comes first where the list
// does not add up to it, and alone where the list is not there or is shown in part.
func (i *Invoice) addItems(n *Node, currency, group, item, total, name string) {
	sent, list := n.Member(total), n.Member(group, item)
	var figures []*Node
	if list != nil {
		for _, one := range list.Children {
			if one.State == "" {
				figures = append(figures, one.Member("Importe"))
			}
		}
	}
	whole := n.isWhole() && (n.Member(group) == nil || list != nil && len(figures) == list.Count)
	line := Line{Name: name, Amount: money(sent, currency)}
	if whole {
		line.Sum = differs(sent, currency, figures...)
	}
	items := whole && len(figures) > 0
	if line.Sum != "" && line.Amount == "" {
		line.Amount = n.t("invoice.absent")
	}
	if line.Sum != "" || !items && money(sent.ifAny(), currency) != "" {
		i.Lines = append(i.Lines, line)
	}
	if items {
		i.addEach(list, currency, name, line.Sum != "")
	}
}

// addEach adds a line for each item of a list.
func (i *Invoice) addEach(list *Node, currency, name string, below bool) {
	for _, item := range list.Children {
		if item.State != "" {
			continue
		}
		named := item.Member("Id").word()
		if desc := item.Member("Desc").text(); desc != "" {
			named = brief(desc)
		}
		if named == "" {
			named = name
		}
		i.Lines = append(i.Lines, Line{Name: named, Amount: money(item.Member("Importe"), currency), Item: below})
	}
}
