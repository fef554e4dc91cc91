//go:build !unix

package backup

// CheckOwner returns nil: folders give their access lists to what is put into them.
func CheckOwner(string) error { return nil }
