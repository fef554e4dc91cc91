package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	_ "github.com/fielato/fielato/caddymodule/command" // registers the commands
)

// shown is a command in a page: in a block or between backticks, there also without the words
// before "audit".
var shown = regexp.MustCompile("(?:fielato wsfev1 |`(audit (?:search|show|tail|stats|outages|evidence|export|verify|checkpoint|consistency|copy|prove|check-proof|new-key|purge|hold)\\b))([^|>#)`\n]*)")

// TestCommandsInThePagesExist, and take the flags that the pages give them.
func TestCommandsInThePagesExist(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(file) == "reference.md" {
			continue // made of the commands
		}
		for _, found := range shown.FindAllStringSubmatch(string(text), -1) {
			checked++
			// An N stands for a number, and one of several words for each of them.
			line := regexp.MustCompile(`\bN\b`).ReplaceAllString(found[1]+found[2], "1")
			line = regexp.MustCompile(`\b(\w+)\|[\w|]+`).ReplaceAllString(line, "$1")
			if err := parse(strings.Fields(line)); err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(file), strings.TrimSpace(found[0]), err)
			}
		}
	}
	if checked < 80 {
		t.Errorf("only %d commands", checked)
	}
}

// parse looks a command up and gives it its flags. Commands remember flags: each line has new ones.
func parse(arguments []string) error {
	root := &cobra.Command{Use: "wsfev1"}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	found, rest, err := root.Find(arguments)
	switch {
	case err != nil:
		return err
	case found.HasSubCommands() && len(rest) > 0 && rest[0] != "…" && !strings.HasPrefix(rest[0], "-"):
		return fmt.Errorf("no command %s", rest[0])
	}
	always := []string{"--help", "--version"} // made when a command runs
	return found.ParseFlags(slices.DeleteFunc(rest, func(flag string) bool { return slices.Contains(always, flag) }))
}
