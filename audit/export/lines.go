package export

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export/internal/invoice"
	"github.com/fielato/fielato/audit/export/internal/jsonline"
)

// chunkBytes is about how much of a file is read at a time.
const chunkBytes = 128 << 10

// chunk is a run of whole lines.
type chunk struct {
	// line is the number of the first, from 1.
	line int
	text [][]byte // each with its end
}

// errDamaged is wrapped by the errors of a file that was read and is not in order. They are
// findings; other errors mean that the file could not be read.
var errDamaged = errors.New("the file is damaged")

// lines reads a file of records, and hashes it as it stands.
type lines struct {
	file  fs.File
	hash  hash.Hash
	bytes int64
	// raw counts and hashes; plain reads from it, through zstd if the file name ends so.
	raw   io.Reader
	plain io.Reader
	zstd  *zstd.Decoder
}

func openLines(folder fs.FS, name string) (*lines, error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	l := &lines{file: file, hash: sha256.New()}
	l.raw = io.TeeReader(file, writerFunc(func(p []byte) {
		l.hash.Write(p)
		l.bytes += int64(len(p))
	}))
	l.plain = l.raw
	if strings.HasSuffix(name, ".zst") {
		if l.zstd, err = zstd.NewReader(l.raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(32<<20)); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		l.plain = l.zstd
	}
	return l, nil
}

// writerFunc is a writer that takes everything.
type writerFunc func(p []byte)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

func (l *lines) close() error {
	if l.zstd != nil {
		l.zstd.Close()
	}
	return l.file.Close()
}

// sum reads the rest of the file, and returns the length and the SHA-256 of the file.
func (l *lines) sum() (int64, string, error) {
	if _, err := io.Copy(io.Discard, l.raw); err != nil {
		return 0, "", err
	}
	return l.bytes, hex.EncodeToString(l.hash.Sum(nil)), nil
}

// chunks yields the lines. It ends with an error that wraps errDamaged where the file
// is no text of whole lines.
func (l *lines) chunks(ctx context.Context) iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		reader := bufio.NewReaderSize(l.plain, chunkBytes)
		next := chunk{line: 1}
		size := 0
		for {
			line, err := readLine(reader)
			if err == nil {
				next.text, size = append(next.text, line), size+len(line)
			}
			if size >= chunkBytes || err != nil && len(next.text) > 0 {
				if ctx.Err() != nil {
					yield(chunk{}, ctx.Err())
					return
				}
				if !yield(next, nil) {
					return
				}
				next, size = chunk{line: next.line + len(next.text)}, 0
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(chunk{}, fmt.Errorf("line %d: %w", next.line, l.judge(err)))
				return
			}
		}
	}
}

// judge marks an error about the file's content as damage, and passes an error of reading it on.
func (l *lines) judge(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) || errors.Is(err, errDamaged) {
		return err
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// readLine returns the next line with its end, in memory of its own.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		some, err := r.ReadSlice('\n')
		line = append(line, some...)
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, fmt.Errorf("%w: the last line has no end", errDamaged)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxLine:
			return nil, fmt.Errorf("%w: a line is longer than %d bytes", errDamaged, maxLine)
		}
	}
}

// readRecord is what a line was read as.
type readRecord struct {
	line    int
	record  *audit.Record // nil if the line is none
	leaf    tlog.Hash
	details []invoice.Detail
	err     error
}

// lineReaders holds the readers that are not in use.
var lineReaders = sync.Pool{New: func() any { return new(jsonline.Reader) }}

// readChunk reads the records of a chunk, on any goroutine.
func readChunk(c chunk) []readRecord {
	reader := lineReaders.Get().(*jsonline.Reader)
	defer lineReaders.Put(reader)
	all := make([]readRecord, len(c.text))
	for i, text := range c.text {
		r := &all[i]
		r.line = c.line + i
		if r.record, r.leaf, r.err = reader.Read(text); r.record != nil {
			r.details = invoice.Details(r.record)
		}
	}
	return all
}
