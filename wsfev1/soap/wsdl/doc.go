// Package wsdl writes the description of the SOAP service, WSDL 1.1, from the table of operations
// and the shapes of package wsfev1. Names, types, order and form are the real service's, so
// that stubs made from either work with both; only the address is another.
package wsdl
