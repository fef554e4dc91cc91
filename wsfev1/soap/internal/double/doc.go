// Package double reads the amounts of the SOAP form: doubles on the wire, exact amounts from there on.
package double
