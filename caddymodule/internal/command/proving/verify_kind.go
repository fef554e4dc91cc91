package proving

import (
	"bytes"
	"errors"
	"os"
	"strings"
)

// pathKind is what a path that should be evidence turns out to be.
type pathKind int

const (
	anything pathKind = iota
	aFolder
	aZip
	aProof
)

// kindOf looks at the beginning of a file, so that its name may be any. A file .zip that is not there, or is broken,
// was meant to be one.
func kindOf(path string) pathKind {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return aFolder
	}
	file, err := os.Open(path)
	if err != nil {
		return kindByName(path)
	}
	defer file.Close()
	head := make([]byte, len(proofHead))
	n, _ := file.Read(head) // a file that cannot be read is none of these
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return aZip
	case string(head) == proofHead:
		return aProof
	}
	return kindByName(path)
}

func kindByName(path string) pathKind {
	if strings.HasSuffix(strings.ToLower(path), ".zip") {
		return aZip
	}
	return anything
}

// proofHead begins a proof of one record.
const proofHead = "c2sp.org/tlog-proof@"

// notAnExport says what to do with a file in the place of the folder of an export.
func notAnExport(path string) error {
	switch kindOf(path) {
	case aZip:
		return errors.New("this zip file is no evidence of one invoice: unzip it, and give the folder that audit export wrote")
	case aProof:
		return errors.New("this is the proof of one record: audit check-proof FILE --key KEY checks it")
	}
	return errors.New("this is a file: give the folder that audit export wrote")
}

// notAProof says what to do with something else in the place of a proof; nil for what may be one.
func notAProof(path string) error {
	switch kindOf(path) {
	case aFolder:
		return errors.New("this is a folder: give a proof in it, or check all of it with audit verify --export FOLDER --key KEY")
	case aZip:
		return errors.New("this is a zip file: audit verify --export FILE.zip --key KEY checks the evidence in it")
	}
	return nil
}
