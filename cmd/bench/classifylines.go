package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// shellLines are the commands of the classifier's corpus as lines of input.
func shellLines() ([][]byte, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, name := range []string{"shell_harmless.txt", "shell_adversarial.txt"} {
		raw, err := os.ReadFile(filepath.Join(root, "agentd", "policy", "testdata", name))
		if err != nil {
			return nil, fmt.Errorf("corpus: %w", err)
		}
		for line := range strings.Lines(string(raw)) {
			if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "# ") {
				continue
			}
			q, err := question(commandOf(line, name == "shell_adversarial.txt"))
			if err != nil {
				return nil, err
			}
			out = append(out, q)
		}
	}
	return out, nil
}

// commandOf takes the command out of a line of the corpus: in double quotes it is a Go string, and adversarial ones
// have their tier in front.
func commandOf(line string, tiered bool) string {
	if u, err := strconv.Unquote(line); err == nil && line[0] == '"' {
		line = u
	}
	if tiered {
		_, line, _ = strings.Cut(line, " ")
	}
	return line
}

// question is a line of input for one command.
func question(command string) ([]byte, error) {
	raw, err := json.Marshal(map[string]any{"id": 1, "tool": "shell", "args": map[string]string{"command": command}})
	return append(raw, '\n'), err
}
