// Package soap is the SOAP form of the invoicing service: the bytes of a message to the typed
// requests and answers of package wsfev1, and back. It is driven by the same shapes as the JSON
// form and repeats no field name. It does no I/O and knows no HTTP.
//
// A request comes in by three steps. Open reads the envelope up to the operation, with its SOAP
// version. Envelope.Route names the operation by the action and the element. Envelope.Decode
// reads the rest once, into the request type of the operation. Package validate turns the result
// into its own Request and Findings, so that the rules see no difference between the forms:
// pointers and codes are the same, and a finding has its XML path as well.
//
// It reads as the real service does (docs/sources.md#soap): members in any order, unknown
// elements ignored, a number that is absent is 0. It is stricter where something else than
// meant could be issued: nothing that may stand once is read twice. It notes Constructs, which
// another reader of XML need not read in the same way. A message with any of them is written
// anew and not passed on. Package double says how a double becomes an exact amount.
//
// AppendAnswer, AppendRequest and AppendFault write as the service writes, byte for byte. Parse
// reads its answers. The WSDL is in package soap/wsdl.
//
// Limits: the limits of package xmlscan, and MaxItems items in all lists. Time is linear in the
// length of a message.
package soap
