package tree

import (
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// State is why a node has no value of its own; empty for one that has.
type State string

// The states of a node.
const (
	// Credential: a fingerprint stands for a Token or a Sign.
	Credential State = "credential"
	// Redacted: a fingerprint stands for a value that the gateway does not keep.
	Redacted State = "redacted"
	// Masked: the value is a receiver's document, which was not revealed.
	Masked State = "masked"
	// Missing: the body does not have the member. Something was found about that.
	Missing State = "missing"
	// Left: the member is not in the tree, which shows a part. Something was found about it.
	Left State = "left"
	// Gap stands for members and items that are not in the tree.
	Gap State = "gap"
)

// Node is a member or an item.
type Node struct {
	// Name is the member's name, or the number of an item, from 1.
	Name  string
	State State
	// Text is the value of a scalar, as shown; Cut is how many bytes of it are not.
	Text string
	Cut  int
	// Amount: the value is an amount, and right-aligned.
	Amount bool
	// Word is the meaning of the value, and Label says what a whole object or list is about.
	Word, Label string
	Findings    []*Finding
	// Anchor is the identifier of the node on the page, where something was found.
	Anchor string
	// Below counts the findings at the node and within it.
	Below    int
	Children []*Node
	// Group: it is an object or a list. Open: it is not folded.
	Group, Open bool
	// List: it is a list.
	List bool
	// Count is how many members or items it has, or a gap stands for.
	Count int

	pointer string
	raw     string // of a scalar, unless it is long
	t       func(key string) string
}

// Finding is a finding of the gateway about a member.
type Finding struct {
	// Number counts the findings of a page, from 1.
	Number int
	// Pointer is the JSON Pointer of the member, and Place the same to be shown.
	Pointer, Place string
	// Path is the place in the client's own message, where that is another form.
	Path string
	// Rule is the address of the rule's page, empty for none.
	Code, Rule, Action, Severity, Text         string
	Expected, Got, Difference, Tolerance, Note string
	// Class is good, bad, open or none of these.
	Class string
	// Anchor is the anchor of the node which has the finding; empty if none has.
	Anchor string
	// Words returns the words for a key.
	Words func(key string) string
}

// T returns the words for a key.
func (f *Finding) T(key string) string { return f.Words(key) }

// T returns the words for a key.
func (n *Node) T(key string) string { return n.t(key) }

// lang is the language of the words; empty for nil, and for a tree without words.
func (n *Node) lang() string {
	if n == nil || n.t == nil {
		return ""
	}
	return n.t("lang")
}

// Member returns a member of an object, nil if there is none.
func (n *Node) Member(names ...string) *Node {
	at := n
	for _, name := range names {
		if at == nil {
			return nil
		}
		var found *Node
		for _, child := range at.Children {
			if child.Name == name && child.State != Missing && child.State != Left {
				found = child
			}
		}
		at = found
	}
	return at
}

// value returns the value of a scalar, empty for what has none.
func (n *Node) value() string {
	if n == nil || n.State != "" {
		return ""
	}
	return n.raw
}

// maxText is how much of a text is shown, in bytes.
const maxText = 600

// shown returns a text as it is shown, and how many bytes are not.
func shown(text string) (string, int) {
	head := text
	if len(head) > maxText {
		head = strings.ToValidUTF8(head[:maxText], "")
	}
	return printable.OneLine(head), len(text) - len(head)
}

// fingerprint marks what stands for a value that is not kept.
const fingerprint = "hmac-sha256:"
