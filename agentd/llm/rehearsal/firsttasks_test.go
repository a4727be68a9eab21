package rehearsal_test

import (
	"os"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestFirstTasks: the messages that the hub prepares for new customers lead to the tool that each is about, in every language.
func TestFirstTasks(t *testing.T) {
	t.Parallel()
	want := map[string]string{"note": "memory_write", "write": "file_write", "mail": "message", "files": "file_list"}
	b, err := os.ReadFile("../../../app/welcome/business.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var book struct {
		Kinds []struct {
			ID   string
			Wins []struct {
				Win  string
				Text map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(b, &book); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, kind := range book.Kinds {
		for _, w := range kind.Wins {
			tool, ok := want[w.Win]
			if !ok {
				continue
			}
			for _, text := range w.Text {
				tried++
				k := talk{tools: append(admin, "message", "memory_write"), answer: always("[denied] A person denied this.")}
				k.run(t, text)
				if len(k.calls) == 0 || !strings.Contains(k.calls[0], tool) {
					t.Errorf("%s, %s: %q calls %v, want %s", kind.ID, w.Win, text, k.calls, tool)
				}
			}
		}
	}
	if tried < 40 {
		t.Errorf("only %d messages", tried)
	}
}
