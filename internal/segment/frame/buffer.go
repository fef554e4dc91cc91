package frame

import "sync"

// keptBuffer bounds the memory of a buffer that is kept for later: a segment of more than one record has
// that much at most.
const keptBuffer = 256 << 10

// Buffer is memory for the items of one frame, used again and again. The nil Buffer has none.
type Buffer struct{ bytes []byte }

var buffers = sync.Pool{New: func() any { return new(Buffer) }}

// Borrow returns a buffer, which is the caller's until Return.
func Borrow() *Buffer { return buffers.Get().(*Buffer) }

// Return gives the buffer back, if it is one: items that were unpacked into it must not be used any more.
func (b *Buffer) Return() {
	if b != nil && cap(b.bytes) <= keptBuffer {
		buffers.Put(b)
	}
}

// Unpack is the function Unpack. The items are in the buffer, or in the frame, until the next call.
func (b *Buffer) Unpack(frame []byte) ([][]byte, error) {
	if b == nil {
		return Unpack(frame)
	}
	packed, err := decompress(b.bytes, frame)
	if err != nil {
		return nil, err
	}
	if cap(packed) > cap(b.bytes) && frame[0] != codecPlain {
		b.bytes = packed
	}
	return UnpackList(packed)
}
