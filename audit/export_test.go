package audit

import (
	"bytes"
	"runtime"
)

// WaitQueued returns when so many records wait for a commit.
func (w *Writer) WaitQueued(records int) {
	for len(w.queue) != records {
		runtime.Gosched()
	}
}

// Shorter ways, and the names that they look for.
var (
	IndexName    = indexName
	MessageLists = [][]byte{listErrors, listObserved}
)

// MessagesOf is messages.
func MessagesOf(answer []byte, codesOnly bool) []Message { return messages(answer, codesOnly) }

// MessagesOfAnyList is messages without plainList.
func MessagesOfAnyList(answer []byte, codesOnly bool) (all []Message) {
	for name, rest := nextList(answer); name != nil; name, rest = nextList(answer) {
		var length int
		all, length = readList(all, rest, bytes.Equal(name, listObserved), codesOnly)
		answer = rest[length:]
	}
	return all
}
