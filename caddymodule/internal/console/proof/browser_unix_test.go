//go:build unix

package proof_test

import (
	"os/exec"
	"syscall"
)

// endWhole has a command end with all that it has started: the browser is behind a script that does not give its place
// to it, and would go on for ever.
func endWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
