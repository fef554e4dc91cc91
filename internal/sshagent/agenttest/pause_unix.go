//go:build unix

package agenttest

import (
	"os"
	"syscall"
)

// Pause has it hang, until Resume.
func (a *Agent) Pause() { a.signal(syscall.SIGSTOP) }

// Resume has it go on.
func (a *Agent) Resume() { a.signal(syscall.SIGCONT) }

func (a *Agent) signal(of os.Signal) {
	a.t.Helper()
	if err := a.process.Process.Signal(of); err != nil {
		a.t.Fatal(err)
	}
}
