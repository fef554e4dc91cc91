package caddymodule_test

import (
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
)

// roleVariable names the environment variable that gives a process of the test binary
// another part than to run tests.
const roleVariable = "FIELATO_TEST_ROLE"

// playRole lives the life of another process, one of these or one that all packages share;
// it reports whether this is one.
func playRole(roles map[string]func()) bool {
	all := map[string]func(){"service": playService, "command": playCommand, "stub": playStub}
	maps.Copy(all, roles)
	play, ok := all[os.Getenv(roleVariable)]
	if ok {
		play()
	}
	return ok
}

// roleProcess is a process of the test binary with a part, not yet started, with more
// variables in its environment. It is killed when the test ends.
func roleProcess(t testing.TB, role string, environment ...string) *exec.Cmd {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(append(os.Environ(), roleVariable+"="+role), environment...)
	return process
}

// commandLine names the environment variable with the arguments of a process that is the
// command.
const commandLine = "FIELATO_TEST_COMMAND_LINE"

// commandProcess is a process that runs a command line, the whole way through Caddy's own
// main function.
func commandProcess(t testing.TB, line string) *exec.Cmd {
	t.Helper()
	return roleProcess(t, "command", commandLine+"="+line)
}

// playCommand is the life of that process.
func playCommand() {
	os.Args = append([]string{"fielato"}, strings.Fields(os.Getenv(commandLine))...)
	caddycmd.Main() // ends the process unless all went well
}
