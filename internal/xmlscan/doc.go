// Package xmlscan reads XML documents token by token, over bytes, as strictly as the data that
// matters here needs it. It is a pull scanner: names and texts are slices of the document, and
// nothing is allocated for a token.
//
// It reads XML 1.0 with namespaces: elements, attributes, text, CDATA sections, the five entities
// and numeric references. It passes over comments and processing instructions. It refuses
// document types, and with them every way to define an entity or to read another file. There is
// one root element, and nothing but white space and comments after it.
//
// AppendText writes a text. Scanner reads UTF-8. Decode turns a body in ISO-8859-1, windows-1252 or UTF-16 into UTF-8, and
// its Encoding finds the place in the body again.
//
// Time is linear in the length of the document, and memory does not depend on it: see MaxDepth,
// MaxAttributes, MaxNamespaces and MaxName.
package xmlscan
