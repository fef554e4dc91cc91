// Command licenses prints the licences and notices of all modules that a binary of Fielato is
// built from. Archives, packages and images of a release hold what it prints, as most of
// those licences ask for.
//
//	go run ./release/licenses > release/third-party.txt
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	modules, err := linked(ctx)
	stop()
	if err == nil {
		err = printTexts(os.Stdout, modules)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// printTexts writes every text once, below the modules that it belongs to.
func printTexts(w io.Writer, modules []module) error {
	var order []string
	owners := map[string][]string{}
	for _, m := range modules {
		for _, file := range m.files {
			text, err := os.ReadFile(file.path)
			if err != nil {
				return err
			}
			if _, known := owners[string(text)]; !known {
				order = append(order, string(text))
			}
			owners[string(text)] = append(owners[string(text)], m.path+" "+m.version+", "+file.name)
		}
	}
	rule := strings.Repeat("=", 80)
	for _, text := range order {
		if _, err := fmt.Fprintf(w, "%s\n%s\n%s\n\n%s\n\n", rule, strings.Join(owners[text], "\n"), rule, strings.TrimSpace(text)); err != nil {
			return err
		}
	}
	return nil
}
