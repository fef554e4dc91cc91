package walk

// Edit is a place of a document that is not to be seen as it is, and the text that stands there or that
// is to stand there: which of the two is for Apply's write.
type Edit struct {
	From, To int
	Text     []byte
}

// maxGrowth is how many bytes most edits add at most: a fingerprint in place of a short text.
const maxGrowth = 48

// Apply returns a document in which write has written, for each edit, what is to be seen in its place. All
// other bytes are as they were; without edits it is the document itself. The edits are in the order of their
// places, of which none overlap.
func Apply(document []byte, edits []Edit, write func(out, text []byte) []byte) []byte {
	if len(edits) == 0 {
		return document
	}
	out, done := make([]byte, 0, len(document)+len(edits)*maxGrowth), 0
	for _, e := range edits {
		out = write(append(out, document[done:e.From]...), e.Text)
		done = e.To
	}
	return append(out, document[done:]...)
}
