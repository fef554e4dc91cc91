package testrun

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

// summarizing is set in the process that sums up what another one prints.
const summarizing = "FIELATO_TEST_SUMMARIZE"

// Summary is off where nobody reads the lines at the end, as .ci/run does not: the process that writes them takes
// as long to start as the tests of a small package.
const Summary = "FIELATO_TEST_SUMMARY"

// patience is how long the end of a process waits for what still prints: a process that a test
// has left behind must not keep it.
const patience = 10 * time.Second

// Summarizes reports whether this process was started to sum up the tests of another one, and
// does so. TestMain calls it, or Main, before anything else.
//
// It is a process of its own, so that nothing is lost of a test that panics or takes too long:
// the process of the tests ends at once then, whatever its goroutines have yet to write.
func Summarizes() bool {
	if os.Getenv(summarizing) == "" {
		return false
	}
	signal.Ignore(os.Interrupt) // the tests end by it, and then their output does
	sumUp(os.Stdin, os.Stdout)
	return true
}

// sumUp copies what tests print, and writes a line for each that has failed behind it.
func sumUp(printed io.Reader, to io.Writer) {
	var failed failures
	_, _ = io.Copy(to, io.TeeReader(printed, &failed))
	failed.print(to)
}

// summarize leads the standard output of the process through another one, which writes a line
// for each failure in the end. The function that it returns waits for that.
func summarize() (done func()) {
	if asked("test.v") == "test2json" || asked("test.fuzz") != "" || asked("test.fuzzworker") == "true" {
		return func() {} // another program reads the output
	}
	program, err := os.Executable()
	if err != nil {
		return func() {}
	}
	read, write, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	own := os.Stdout
	other := exec.Command(program)
	other.Env = append(os.Environ(), summarizing+"=1")
	other.Stdin, other.Stdout, other.Stderr = read, own, os.Stderr
	err = other.Start()
	_ = read.Close()
	if err != nil {
		_ = write.Close()
		return func() {}
	}
	os.Stdout = write
	return func() {
		os.Stdout = own
		_ = write.Close()
		late := time.AfterFunc(patience, func() { _ = other.Process.Kill() })
		_ = other.Wait()
		late.Stop()
	}
}

// asked is the value of a flag of the tests, none if there is no such flag.
func asked(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}
