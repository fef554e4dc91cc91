package login

import (
	"errors"
	"fmt"

	"github.com/fielato/fielato/internal/durable"
	"github.com/fielato/fielato/wsfev1"
)

// ticketFile is the file of --save. The nil one saves nothing.
type ticketFile struct {
	file *durable.NewFile
	// whole: the ticket is in the file.
	whole bool
}

// newTicketFile makes the file, none for no path.
func newTicketFile(path string) (*ticketFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := durable.CreateNew(path)
	if err != nil {
		return nil, fmt.Errorf("--save: %w", err)
	}
	return &ticketFile{file: file}, nil
}

// write writes the ticket. After it the file outlives a power cut.
func (f *ticketFile) write(document wsfev1.Secret) error {
	if f == nil {
		return nil
	}
	_, err := f.file.WriteString(document.Reveal())
	if err = errors.Join(err, f.file.Finish()); err != nil {
		return fmt.Errorf("--save: writing the ticket: %w", err)
	}
	f.whole = true
	return nil
}

// close removes a file without a whole ticket, and adds what went wrong with that to an error.
func (f *ticketFile) close(err error) error {
	if f == nil || f.whole {
		return err
	}
	if removed := f.file.Abandon(); removed != nil {
		return errors.Join(err, fmt.Errorf("--save: %w", removed))
	}
	return err
}
