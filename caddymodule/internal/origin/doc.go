// Package origin finds out by which scheme and host a client reaches a site, also behind a proxy: that is
// where a WSDL sends it, and whose forms the console takes.
package origin
