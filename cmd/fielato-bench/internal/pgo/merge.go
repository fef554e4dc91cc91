// Package pgo makes the profile that the go command optimizes builds by, and finds out whether it still
// fits the code. Only the benchmark has it.
package pgo

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/pprof/profile"
)

// MergeFolder makes one profile for builds of the CPU profiles in a folder, whose names end in .pprof, and writes
// it to a file. The comment in it tells how it was made.
func MergeFolder(folder, to, comment string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.pprof")) // sorted
	if err != nil {
		return fmt.Errorf("looking for profiles: %w", err)
	}
	merged, err := merge(files, comment)
	if err != nil {
		return err
	}
	return os.WriteFile(to, merged, 0o644) //nolint:gosec // it becomes a part of the sources, which all may read
}

// merge keeps the parts that the compiler reads: which functions were seen at which of their lines, called from where,
// and how often. Addresses, file names, labels and the moment are left out. The same files give the same bytes.
func merge(files []string, comment string) ([]byte, error) {
	var all []*profile.Profile
	for _, file := range files {
		p, err := Read(file)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, errors.New("there are no profiles to merge")
	}
	merged, err := profile.Merge(all)
	if err != nil {
		return nil, fmt.Errorf("merging profiles: %w", err)
	}
	if err := strip(merged); err != nil {
		return nil, err
	}
	// Stacks that differed in addresses alone are now the same.
	if merged, err = profile.Merge([]*profile.Profile{merged}); err != nil {
		return nil, fmt.Errorf("merging stacks: %w", err)
	}
	merged.TimeNanos, merged.DurationNanos, merged.Comments = 0, 0, []string{comment}
	if len(merged.Sample) == 0 {
		return nil, errors.New("the profiles have no samples: measure for longer")
	}
	var b bytes.Buffer
	if err := merged.Write(&b); err != nil {
		return nil, fmt.Errorf("writing the profile: %w", err)
	}
	return b.Bytes(), nil
}

// strip removes the parts that the compiler does not read.
func strip(p *profile.Profile) error {
	i := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == "samples" && t.Unit == "count" })
	if i < 0 {
		return errors.New("it is no CPU profile: it has no samples/count")
	}
	p.SampleType, p.DefaultSampleType = p.SampleType[i:i+1], ""
	for _, sample := range p.Sample {
		sample.Value = sample.Value[i : i+1]
		sample.Label, sample.NumLabel, sample.NumUnit = nil, nil, nil
	}
	if err := p.Aggregate(true, true, false, true, false, false); err != nil {
		return fmt.Errorf("leaving out addresses: %w", err)
	}
	for _, location := range p.Location {
		location.Mapping = nil
	}
	p.Mapping = nil
	return nil
}

// Read reads a profile from a file.
func Read(file string) (*profile.Profile, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading a profile: %w", err)
	}
	p, err := profile.ParseData(content)
	if err != nil {
		return nil, fmt.Errorf("reading the profile %s: %w", file, err)
	}
	return p, nil
}
