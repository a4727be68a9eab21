package rehearsal_test

import (
	"slices"
	"testing"
)

// TestFile: asked for a file itself, it attaches it, or hands that to whoever can; a mail to an address and a reading stay what they are.
func TestFile(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		"Send me the file notes/opening-hours.txt":     `attach {"path":"notes/opening-hours.txt"}`,
		"Please send me offers/offer.pdf as a file":    `attach {"path":"offers/offer.pdf"}`,
		"Schick mir die Datei notes/opening-hours.txt": `attach {"path":"notes/opening-hours.txt"}`,
		"Read the file notes/opening-hours.txt":        `file_read {"path":"notes/opening-hours.txt"}`,
	} {
		k := talk{tools: []string{"attach", "file_read", "file_list"}, answer: always("Attached.")}
		if k.run(t, task); !slices.Contains(k.calls, want) {
			t.Errorf("%s: %q", task, k.calls)
		}
	}
}
