// Package when reads times as people write them: days, months, moments and ages, in the authority's zone. It is a
// package of its own because the console, its tables and the commands must read the same text in the same way: a bound
// "until" a day or a month has all of it.
package when
