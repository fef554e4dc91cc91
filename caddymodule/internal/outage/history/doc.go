// Package history reads the outages of a trail, and which invoices were asked for in each. It is for the pages
// and the commands alike, so that both tell the same.
//
// It states facts with the places of their records. Whether a CAEA may be used is for the rules of the
// authority to say.
package history
