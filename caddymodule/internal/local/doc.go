// Package local says which requests come from the machine itself. What nobody else can do there needs no
// authentication, so whatever may have come through a proxy counts as coming from elsewhere.
package local
