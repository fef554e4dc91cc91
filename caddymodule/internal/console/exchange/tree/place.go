package tree

import (
	"strconv"
	"strings"
)

// leave counts the members and items that are not shown.
func (b *builder) leave(n *Node, left int) {
	if left > 0 {
		n.Children = append(n.Children, &Node{State: Gap, Count: left, t: b.Words})
	}
}

// place gives a node the findings about it, and those about what it lacks.
func (b *builder) place(n *Node) {
	for _, f := range b.within[n.pointer] {
		if b.placed[f] {
			continue
		}
		b.placed[f] = true
		rest := strings.TrimPrefix(strings.TrimPrefix(f.Pointer, n.pointer), "/")
		at := n
		if f.Pointer != n.pointer && strings.HasPrefix(f.Pointer, "/") && rest != "" && n.Group {
			at = b.lacked(n, rest)
		}
		if at.Anchor == "" {
			b.anchor++
			at.Anchor = b.Prefix + strconv.Itoa(b.anchor)
		}
		f.Anchor = at.Anchor
		at.Findings = append(at.Findings, f)
	}
}

// lacked returns the node for a member that is not there, or not shown.
func (b *builder) lacked(n *Node, rest string) *Node {
	name, _ := shown(unescapePointer.Replace(rest))
	for _, child := range n.Children {
		if child.Name == name && (child.State == Missing || child.State == Left) {
			child.Below++
			return child
		}
	}
	lacked := &Node{Name: name, State: Missing, Below: 1, t: b.Words}
	first, after, _ := strings.Cut(rest, "/")
	if i, err := strconv.Atoi(first); err == nil && i < n.Count {
		lacked.State = Left
		lacked.Name, _ = shown(strings.TrimSuffix(strconv.Itoa(i+1)+" / "+after, " / "))
	}
	n.Children = append(n.Children, lacked)
	return lacked
}
