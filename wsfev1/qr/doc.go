// Package qr composes the text of the QR code that is printed on an authorised invoice
// (RG 4892/2020, docs/sources.md#qr): an address of the tax authority's page, with the
// invoice's data as JSON in base64.
//
// Of reads the contents of the codes from an exchange, a request and its answer; Content.Address
// composes the text of one. Amounts are exact decimals, as everywhere.
package qr
