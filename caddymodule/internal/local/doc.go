// Package local says from which address a request comes, and whether that is the machine itself. What nobody else can do there needs no
// authentication, so whatever may have come through a proxy counts as coming from elsewhere.
package local
