package frame

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/klauspost/compress/s2"

	"github.com/fielato/fielato/audit"
)

// The first byte of a frame is its codec. The codes and the dictionary of a code never change:
// stores are full of them. A better dictionary gets a code of its own.
//
// S2 and not zstd, because a gateway runs out of processor first. A lot of 250 (240 kB) takes
// 86 µs and 38.3 kB with S2, 278 µs and 20.7 kB with zstd at its fastest. Of 35 exchanges of
// one invoice each content takes 0.4 µs and 344 bytes with S2, 2.6 µs and 247 bytes with zstd.
const (
	codecPlain = 0
	codecS2v1  = 1 // S2 with dictionary-1.txt
	codecS2    = 2 // S2
)

const (
	// dictionaryBytes is the largest frame with a dictionary of synthetic bodies. The content
	// of one record, 1,409 bytes, becomes 526 bytes with it and 950 without. The records of a
	// larger frame are each other's dictionary, and S2 without one is several times as fast.
	dictionaryBytes = 6 << 10
	// maxFrame bounds what a damaged frame can make Decompress allocate.
	maxFrame = 256 << 20
)

// ErrDamaged wraps audit.ErrDamaged: the bytes are no frame, or no list.
var ErrDamaged = fmt.Errorf("%w frame", audit.ErrDamaged)

//go:embed dictionary-1.txt
var dictionaryText []byte

// dictionary1 is safe for concurrent use.
var dictionary1 = s2.MakeDict(dictionaryText, nil)

// scratch holds buffers for the worst case of a compression.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// Compress returns the frame of data.
func Compress(data []byte) []byte {
	buffer := scratch.Get().(*[]byte)
	defer scratch.Put(buffer)
	if n := s2.MaxEncodedLen(len(data)); n > cap(*buffer) {
		*buffer = make([]byte, n)
	}
	var code byte
	var body []byte
	if len(data) <= dictionaryBytes {
		code, body = codecS2v1, dictionary1.Encode((*buffer)[:cap(*buffer)], data)
	} else {
		code, body = codecS2, s2.Encode((*buffer)[:cap(*buffer)], data)
	}
	if len(body) >= len(data) {
		code, body = codecPlain, data
	}
	return append(append(make([]byte, 0, 1+len(body)), code), body...)
}

// Decompress returns what Compress was given. Errors wrap ErrDamaged.
func Decompress(frame []byte) ([]byte, error) { return decompress(nil, frame) }

// decompress is Decompress in the memory of into if there is enough of it.
func decompress(into, frame []byte) ([]byte, error) {
	if len(frame) == 0 {
		return nil, fmt.Errorf("no codec: %w", ErrDamaged)
	}
	body := frame[1:]
	switch frame[0] {
	case codecPlain:
		return body, nil
	case codecS2v1, codecS2:
		n, err := s2.DecodedLen(body)
		if err != nil || n > maxFrame {
			return nil, fmt.Errorf("length: %w", ErrDamaged)
		}
		decode := s2.Decode
		if frame[0] == codecS2v1 {
			decode = dictionary1.Decode
		}
		if n > cap(into) {
			into = make([]byte, n)
		}
		data, err := decode(into[:n], body)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return data, nil
	}
	return nil, fmt.Errorf("codec %d, a newer Fielato wrote this: %w", frame[0], ErrDamaged)
}
