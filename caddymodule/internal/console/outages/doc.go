// Package outages is the page of the times in which the service did not answer, with the records that show
// each. It states the facts that the trail proves, and no legal consequence.
package outages
