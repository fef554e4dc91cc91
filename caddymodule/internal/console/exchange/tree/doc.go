// Package tree reads a body in JSON as people read it: its members in a tree, with words beside codes,
// amounts with a decimal comma, and what the gateway has found at the member that it is about.
//
// A tree is bounded, whatever the body holds: long lists and texts are shown in part, and what is left out
// is counted. What is read is hostile: all texts of a Node are free of characters that would turn or hide
// their neighbours, and HTML is for the template to escape.
package tree
