package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// childArgument makes this program play the role that follows.
const childArgument = "play-role"

// isChild reports whether this process is one that startChild has started.
func isChild() bool { return len(os.Args) > 2 && os.Args[1] == childArgument }

// child is a process that plays a role. It ends with its standard input, that is, also
// when this process is killed.
type child struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	// said is the process's standard error, to be read once it has ended.
	said strings.Builder
}

// startChild starts a process that plays a role and waits until it is ready. The caller must
// call end.
func startChild(ctx context.Context, name string, role ...string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	c := &child{name: name, cmd: exec.CommandContext(ctx, program, append([]string{childArgument}, role...)...)}
	c.cmd.Stderr = &c.said
	c.cmd.WaitDelay = time.Second
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	if _, err := c.answer(); err != nil {
		c.end()
		return nil, fmt.Errorf("starting %s: %w: %s", name, err, strings.TrimSpace(c.said.String()))
	}
	return c, nil
}

// ask sends the process a line and returns its answer.
func (c *child) ask(command string) (string, error) {
	_, _ = io.WriteString(c.in, command+"\n") // if it fails, there is no answer either
	text, err := c.answer()
	if errors.Is(err, io.EOF) {
		c.end()
		return "", fmt.Errorf("%s has ended: %s", c.name, strings.TrimSpace(c.said.String()))
	}
	if err != nil {
		return "", fmt.Errorf("asking %s for %s: %w", c.name, command, err)
	}
	return text, nil
}

// answer reads a line: "ok" with what was asked for, or "error" with a reason.
func (c *child) answer() (string, error) {
	line, err := c.out.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSpace(line)
	if text, ok := strings.CutPrefix(line, "ok"); ok {
		return strings.TrimSpace(text), nil
	}
	return "", fmt.Errorf("%s", strings.TrimPrefix(line, "error "))
}

// usage returns the resources that the process has used since it began.
func (c *child) usage() (usage, error) {
	text, err := c.ask("usage")
	if err != nil {
		return usage{}, err
	}
	var u usage
	if _, err := fmt.Sscan(text, &u.processor, &u.peak, &u.objects); err != nil {
		return usage{}, fmt.Errorf("asking %s for usage: %q: %w", c.name, text, err)
	}
	return u, nil
}

// end ends the process and waits until it is gone. It may be called again.
func (c *child) end() {
	_ = c.in.Close()
	kill := time.AfterFunc(5*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	_ = c.cmd.Wait() // its exit status means nothing: it was asked to end
}
