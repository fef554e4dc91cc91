// Package rulebook has the decisions of a configuration's gateways about the rules: the contract, the mode,
// the levels of single rules, tolerances. Each gateway adds its book to the shelf of the configuration, and
// the console reads it there: to show the catalogue as it is in force, and to judge a request as that
// gateway would.
package rulebook
