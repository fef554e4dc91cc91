// Package tree reads a body in JSON as people read it: its members in a tree, with words beside codes,
// amounts with a decimal comma, and each finding of the gateway at its member.
//
// A tree is bounded, whatever the body holds: it shows long lists and texts in part, and counts the rest. A
// body is hostile: all texts of a Node are free of characters that would turn or hide their neighbours, and
// HTML is for the template to escape.
package tree
