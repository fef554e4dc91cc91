// Package outages is the page of the times in which the service did not answer, with the records that
// show each. It says what the trail proves, and nothing about what follows from it in law.
package outages
