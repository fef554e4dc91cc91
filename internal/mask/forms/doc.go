// Package forms looks for texts that stand within another text in any of the forms in which programs quote:
// escaped, in hexadecimal, in base64 and others. The one list of them is in forms.go.
//
// A function of the caller recognises the texts. The package knows no credentials, and keeps
// nothing of a text.
package forms
