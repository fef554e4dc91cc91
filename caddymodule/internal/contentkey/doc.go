// Package contentkey reads the option encryption_key: the key that encrypts the content of a trail at
// rest, from a file or a placeholder.
package contentkey
