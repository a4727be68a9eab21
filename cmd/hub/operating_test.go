package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse/cmd/hub/units"
)

// TestOperating_namesWhatThereIs: each command, flag, variable, unit that docs/OPERATING.md names is there. A heavy test follows its
// blocks on a whole machine (cmd/hub/e2e/fleet).
func TestOperating_namesWhatThereIs(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/OPERATING.md")
	ok(t, err)
	text := string(raw)
	args := map[string]string{}
	for _, c := range commands() {
		args[c.name] = c.args
	}
	seen := 0
	for _, m := range regexp.MustCompile("(?m)(?:^|`|HUB_KEY_FILE=\\S+ )hub( [a-z-][^`\n]*)").FindAllStringSubmatch(text, -1) {
		words := strings.Fields(m[1])
		if words[0] == "--env" {
			words = words[2:]
		}
		if len(words) == 0 || words[0] == "--help" {
			continue // what every command can do
		}
		says, there := args[words[0]]
		if !there {
			t.Errorf("there is no hub %s", words[0])
		}
		seen++
		for _, w := range words[1:] {
			if strings.HasPrefix(w, "--") && !strings.Contains(says, w) {
				t.Errorf("hub %s has no %s", words[0], w)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d commands were found: the test does not read the page any more", seen)
	}
	var vars []string
	for f := range fields() {
		vars = append(vars, f.Tag.Get("env"))
	}
	for _, m := range regexp.MustCompile(`\b((?:HUB|SMTP|NATS|DATABASE|MAIL|GATEHOUSE)_[A-Z_]+)\b`).FindAllString(text, -1) {
		if m != "GATEHOUSE_SOAK" && !slices.Contains(vars, m) && !slices.Contains(vars, strings.TrimSuffix(m, "_FILE")) {
			t.Errorf("there is no variable %s", m)
		}
	}
	for _, m := range regexp.MustCompile(`gatehouse-[a-z]+(?:@\d+)?(?:\.timer)?`).FindAllString(text, -1) {
		name := regexp.MustCompile(`@\d+`).ReplaceAllString(m, "@")
		if !slices.ContainsFunc(units.Names(), func(n string) bool { return n == name || n == name+".service" }) {
			t.Errorf("there is no unit %s", m)
		}
	}
}
