package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// comparedReport has a floor, and plain twice.
func comparedReport() *report {
	one := func(target string, processor float64) result {
		return result{Target: target, Invoices: 1, Connections: 32, figures: figures{1000, processor}}
	}
	return &report{Rounds: 3, Results: []result{one("plain", 100), one("plain2", 103), one("floor", 160), one("enforce", 320)}}
}

// TestSharesOfTheFloorAreComparedWithTheLast, which the same command records.
func TestSharesOfTheFloorAreComparedWithTheLast(t *testing.T) {
	file := filepath.Join(t.TempDir(), "last.txt")
	var out bytes.Buffer
	if err := comparedReport().compare(file, false, &out); err == nil {
		t.Error("there is no file, and nobody is told")
	}
	if err := comparedReport().compare(file, true, &out); err != nil {
		t.Fatal(err)
	}
	later := comparedReport()
	later.Results[3].figures[processorFigure] = 400
	later.Results[3].Disturbed = 2
	out.Reset()
	if err := later.compare(file, false, &out); err != nil {
		t.Fatal(err)
	}
	want := ` 32 connections,   1 invoice(s): plain     ÷ floor 0.62, last 0.62
 32 connections,   1 invoice(s): plain2    ÷ plain 1.03, last 1.03 (the noise)
 32 connections,   1 invoice(s): enforce   ÷ floor 2.50, last 2.00, 2 of 3 rounds disturbed by others
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

// TestAFailedRunIsNotRecorded, nor is one without processor time.
func TestAFailedRunIsNotRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "last.txt")
	failed := comparedReport()
	failed.Results[0].Failed = 1
	if err := failed.compare(file, true, &bytes.Buffer{}); err != nil {
		t.Error(err)
	}
	unknown := comparedReport()
	for i := range unknown.Results {
		unknown.Results[i].figures[processorFigure] = 0
	}
	if err := unknown.compare(file, true, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "not known") {
		t.Error(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it was recorded")
	}
}

func TestAFileThatHasNoFigures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "last.txt")
	if err := os.WriteFile(file, []byte("# fine\n\n32 1 plain soon\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := comparedReport().compare(file, true, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "plain soon") {
		t.Error(err)
	}
}

// TestTheLastFiguresOfTheRepositoryCanBeRead, as .ci/run does.
func TestTheLastFiguresOfTheRepositoryCanBeRead(t *testing.T) {
	last, err := readLast(filepath.Join("testdata", "last.txt"))
	if err != nil || last["32 1 enforce"] <= 0 || last["32 1 plain2"] <= 0 {
		t.Errorf("%v: %v", last, err)
	}
}

// TestAShortRunIsComparedAndRecorded: there is no open loop in it, and no other target in the file.
func TestAShortRunIsComparedAndRecorded(t *testing.T) {
	if processorTime() == 0 {
		t.Log("this system does not tell processor time")
		return
	}
	file := filepath.Join(t.TempDir(), "last.txt")
	args := []string{
		"-targets", "plain,plain2,floor", "-duration", "50ms", "-rounds", "2", "-repeats", "0", "-connections", "4", "-invoices", "1",
		"-data", t.TempDir(), "-last", file,
	}
	for _, more := range [][]string{{"-record"}, nil} {
		var out, progress bytes.Buffer
		if code := run(t.Context(), append(args, more...), &out, &progress); code != 0 || strings.Contains(progress.String(), "p50") {
			t.Fatalf("exit status %d\n%s", code, &progress)
		}
		if !strings.Contains(out.String(), "plain     ÷ floor ") || !strings.Contains(out.String(), "plain2    ÷ plain ") {
			t.Error(out.String())
		}
		if known := !strings.Contains(out.String(), "last none"); known == (more != nil) {
			t.Errorf("last figures are known: %t", known)
		}
	}
	if last, err := readLast(file); err != nil || len(last) != 2 || last["4 1 plain"] <= 0 {
		t.Errorf("%v: %v", last, err)
	}
}
