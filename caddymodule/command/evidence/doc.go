// Package evidence gathers what is known about one invoice into a bundle for people outside:
// its exchanges, their proofs, a page that explains them, and what is needed to check all of
// it offline.
package evidence
