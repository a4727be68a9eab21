package rehearsal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFirstTasks: the messages that the hub prepares for new customers lead to the tool that each is about, in every language.
func TestFirstTasks(t *testing.T) {
	t.Parallel()
	want := map[string]string{"write": "file_write", "mail": "message", "files": "file_list"}
	catalogues, err := filepath.Glob("../../../views/i18n/*/task.json")
	if err != nil || len(catalogues) < 2 {
		t.Fatalf("%v, %v", catalogues, err)
	}
	for _, path := range catalogues {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var texts map[string]string
		if err := json.Unmarshal(b, &texts); err != nil {
			t.Fatal(err)
		}
		tried := 0
		for key, text := range texts {
			about, _, _ := strings.Cut(strings.TrimPrefix(key, "task."), "_")
			tool, ok := want[about]
			if !ok {
				continue
			}
			tried++
			k := talk{tools: append(admin, "message"), answer: always("[denied] A person denied this.")}
			k.run(t, text)
			if len(k.calls) == 0 || !strings.Contains(k.calls[0], tool) {
				t.Errorf("%s: %q calls %v, want %s", key, text, k.calls, tool)
			}
		}
		if tried < 18 {
			t.Errorf("%s has %d messages", path, tried)
		}
	}
}
