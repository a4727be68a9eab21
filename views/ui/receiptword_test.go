package ui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"gatehouse/views/ui"
)

// TestReceiptWord_secrets: whatever is recorded of a secret has a name that people read, not that of its type.
func TestReceiptWord_secrets(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../agentd/vault/counter/*.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Clean(f))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"(secret\.[a-z_]+)"`).FindAllSubmatch(b, -1) {
			kinds[string(m[1])] = true
		}
	}
	if len(kinds) < 8 {
		t.Fatalf("found %v alone", kinds)
	}
	for kind := range kinds {
		if ui.ReceiptWord(t.Context(), kind) == kind {
			t.Errorf("%s has no name", kind)
		}
	}
}
