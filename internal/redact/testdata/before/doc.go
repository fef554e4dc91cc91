// Package redact removes from records what must not be kept: the Token and Sign of clients, and
// the members that an operator names.
//
// A Redactor has the trail's key. It replaces a credential by a keyed fingerprint, wherever a
// body, a text, a header or a JSON Pointer holds it, also as an echo: cut, and in any of the forms
// that package forms lists, or in pieces. Credentials looks for them in all places. A Mask hides
// the members that Fields name, and quotes of them elsewhere in the same exchange. It is for one
// exchange and collects the values of its request.
//
// Hidden values cannot be found again, but equal credentials have equal fingerprints. The
// package reads no store and writes nothing.
//
// The members that an operator may name are in docs/evidence.md#what-is-not-kept.
package redact
