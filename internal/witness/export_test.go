package witness

// PrefixRoot is prefixRoot.
var PrefixRoot = prefixRoot

// The limits of a folder with evidence.
const (
	MaxProven   = maxProven
	MaxUnproven = maxUnproven
)
