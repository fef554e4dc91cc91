package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// compare writes each target's processor time at capacity as a share of the floor's in the same run,
// beside the last figures, which are in a file. The share of plain2 is of plain: it is the noise. With
// record the file is written anew, unless a request failed.
func (r *report) compare(path string, record bool, out io.Writer) error {
	last, err := readLast(path)
	if err != nil && !(record && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	var now bytes.Buffer
	for _, one := range r.Results {
		share, of, ok := r.shareOfFloor(one)
		if !ok {
			continue
		}
		key := fmt.Sprintf("%d %d %s", one.Connections, one.Invoices, one.Target)
		fmt.Fprintf(&now, "%s %.2f\n", key, share)
		before := "none"
		if figure, ok := last[key]; ok {
			before = fmt.Sprintf("%.2f", figure)
		}
		if _, err := fmt.Fprintf(out, "%3d connections, %3d invoice(s): %-9s ÷ %-5s %.2f, last %s%s\n",
			one.Connections, one.Invoices, one.Target, of, share, before, r.noted(one)); err != nil {
			return err
		}
	}
	if now.Len() == 0 {
		return errors.New("processor time is not known on this system")
	}
	if !record || r.failed() > 0 {
		return nil
	}
	return os.WriteFile(path, append([]byte(lastHead), now.Bytes()...), 0o600) //nolint:gosec // the user names the file
}

// noted tells whether a target's figure is the noise, and whether others have disturbed it.
func (r *report) noted(one result) string {
	note := ""
	if one.Target == againName {
		note = " (the noise)"
	}
	if one.Disturbed > 0 {
		note += fmt.Sprintf(", %d of %d rounds disturbed by others", one.Disturbed, r.Rounds)
	}
	return note
}

// shareOfFloor returns a target's processor time for an answer at capacity ÷ another target's, and that
// target's name. It reports false for the floor itself, and where a figure is not known.
func (r *report) shareOfFloor(one result) (share float64, of string, ok bool) {
	of = floorName
	if one.Target == againName {
		of = plainName
	}
	unit, known := r.figuresOf(of, one)
	if one.Target == floorName || !known {
		return 0, of, false
	}
	share, ok = ratio(one.figures[processorFigure], unit[processorFigure])
	return share, of, ok
}

// lastHead begins the file.
const lastHead = `# What fielato-bench -last FILE -record has found: connections, invoices in a request, target,
# processor time at capacity ÷ the floor's (of plain2 ÷ plain's).
`

// readLast reads the figures, by what stands before them in their line.
func readLast(path string) (map[string]float64, error) {
	file, err := os.Open(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, fmt.Errorf("reading the last figures: %w", err)
	}
	defer file.Close()
	last := map[string]float64{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		figure, err := strconv.ParseFloat(line[i+1:], 64)
		if i < 0 || err != nil {
			return nil, fmt.Errorf("reading the last figures: %s has the line %q", path, line)
		}
		last[line[:i]] = figure
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the last figures: %w", err)
	}
	return last, nil
}
