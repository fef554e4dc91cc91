// Package needles finds parts of credentials in a text as it stands, in one pass for all of them. It reads them
// in any case and with anything between their letters, and a Token also as the document that it is in base64.
// Package forms has the other forms in which a text may be quoted.
package needles
