package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/internal/backend"
)

// progressOf returns a function that shows the progress of an export or import; nil unless
// the standard error is a terminal.
func progressOf(cmd *cobra.Command, done string) func(backend.Contents) {
	terminal := cli.TerminalOf(cmd)
	if terminal == nil {
		return nil
	}
	return func(c backend.Contents) { fmt.Fprintf(terminal, "%s: %v\r", done, c) }
}

// writeOutput writes the file of --output. It replaces an existing file only when all is
// written.
func writeOutput(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(cmd.OutOrStdout())
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeTo(path, write)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("--output %s: %w", path, err)
	}
	err = errors.Join(write(temporary), temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("--output %s: %w", path, err), os.Remove(temporary.Name()))
	}
	return nil
}

// writeTo writes to a file that cannot be replaced, such as a pipe or a device.
func writeTo(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	return errors.Join(write(file), file.Close())
}

// openInput opens the source of an import. An import may read it twice, so a pipe is copied
// to a file first; release removes that file.
func openInput(cmd *cobra.Command, path string) (source io.ReadSeeker, release func() error, err error) {
	in := cmd.InOrStdin()
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, nil, fmt.Errorf("give a file that ledger export wrote, or - for the standard input: %w", err)
		}
		in = file
	}
	release = func() error { return nil }
	file, isFile := in.(*os.File)
	if isFile && path != "-" {
		release = file.Close
	}
	if isFile {
		info, err := file.Stat()
		if err == nil && info.IsDir() {
			err = fmt.Errorf("%s is a folder: give a file that ledger export wrote", path)
		}
		if err != nil {
			return nil, nil, errors.Join(err, release())
		}
		if info.Mode().IsRegular() {
			return file, release, nil
		}
	}
	copied, err := spool(in)
	if err = errors.Join(err, release()); err != nil {
		return nil, nil, fmt.Errorf("copying %s: %w", path, err)
	}
	return copied, func() error { return errors.Join(copied.Close(), os.Remove(copied.Name())) }, nil
}

// spool copies a stream to a temporary file.
func spool(in io.Reader) (_ *os.File, err error) {
	file, err := os.CreateTemp("", "fielato-import-*")
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(file, in)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return file, nil
}
