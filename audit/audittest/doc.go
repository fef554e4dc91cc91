// Package audittest holds what every audit.Store must pass (Suite), and what
// tests of its users need: a store in memory, one that fails on demand, records.
package audittest
