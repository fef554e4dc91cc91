package caddytest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
)

// roleVariable names the environment variable that gives a process of the test binary
// another part than to run tests.
const roleVariable = "FIELATO_TEST_ROLE"

// Roles are the parts that there are, each with the life of its process. A package of tests
// may add its own before its tests run.
var Roles = map[string]func(){"service": playService, "command": playCommand, "stub": playStub}

// playRole lives the life of another process; it reports whether this is one.
func playRole() bool {
	play, ok := Roles[os.Getenv(roleVariable)]
	if ok {
		play()
	}
	return ok
}

// RoleProcess is a process of the test binary with a part, not yet started, with more
// variables in its environment. It is killed when the test ends.
func RoleProcess(t testing.TB, role string, environment ...string) *exec.Cmd {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(append(os.Environ(), roleVariable+"="+role), environment...)
	return process
}

// commandLine names the environment variable with the arguments of a process that is the
// command.
const commandLine = "FIELATO_TEST_COMMAND_LINE"

// CommandProcess is a process that runs a command line, the whole way through Caddy's own
// main function.
func CommandProcess(t testing.TB, line string) *exec.Cmd {
	t.Helper()
	return RoleProcess(t, "command", commandLine+"="+line)
}

// playCommand is the life of that process.
func playCommand() {
	os.Args = append([]string{"fielato"}, strings.Fields(os.Getenv(commandLine))...)
	caddycmd.Main() // ends the process unless all went well
}
