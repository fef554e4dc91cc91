// Package search is the page that finds exchanges by what a person writes into one box.
package search
