// Package forms knows the two forms of a message in a file: JSON, and SOAP in either version.
// It recognizes the form and the operation by the content, finds where the elements of a SOAP
// message stand, and converts requests and answers from one form to the other.
//
// What it reports of a document has no credentials. SecretsIn finds them in a message that could not be
// read whole.
package forms
