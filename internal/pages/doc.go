// Package pages has the tests of README and of the pages in docs: their links and those to
// them, the example of the library, and the length of their sentences. It has no code.
//
// It is a package of its own because docs holds pages alone.
package pages
