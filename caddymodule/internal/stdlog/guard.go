package stdlog

import (
	"bytes"
	"io"
	"log"
)

// Guard guards the output of package log. Caddy replaces the output whenever it loads a configuration: then it is to be
// called again. Where the output is guarded already, it does nothing.
func Guard() {
	if _, ok := log.Writer().(*guarded); !ok {
		log.SetOutput(&guarded{log.Writer()})
	}
}

// guarded is the output of package log, which calls Write once for each line, and never twice at a time.
type guarded struct{ output io.Writer }

// unsolicited is the part of the line that stands before the bytes.
var unsolicited = []byte("Unsolicited response received on idle HTTP channel")

// Write implements io.Writer.
func (g *guarded) Write(line []byte) (int, error) {
	at := bytes.Index(line, unsolicited)
	if at < 0 {
		return g.output.Write(line)
	}
	kept := append(bytes.Clone(line[:at+len(unsolicited)]), '\n')
	if _, err := g.output.Write(kept); err != nil {
		return 0, err
	}
	return len(line), nil
}
