// Package validatetest holds helpers that the tests of validate and of validate/rules share:
// valid requests and changes of them, and short forms of findings.
package validatetest
