package timestamp

// The files of a time-stamp, wherever it is written for others: in a folder of its own, in an export and in evidence.
const (
	// DocumentFile is what was stamped, and ReplyFile the authority's answer, in DER.
	DocumentFile = "timestamp.txt"
	ReplyFile    = "timestamp.tsr"
	// MaxFile bounds how many bytes of each are read.
	MaxFile = 256 << 10
)
