package channel_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/channel"
)

// TestFileName: what a sender calls a file is never a folder, hidden, or a secret.
func TestFileName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"../../etc/passwd": "1-passwd", ".env": "1-env", `C:\x\invoice 3.pdf`: "1-invoice_3.pdf", "": "1-file", "a\nb.txt": "1-ab.txt",
		strings.Repeat("x", 300) + ".pdf": "1-" + strings.Repeat("x", 106) + ".pdf",
		strings.Repeat("𠀀", 80) + ".pdf":  "1-" + strings.Repeat("𠀀", 26) + ".pdf",
		"a." + strings.Repeat("ü", 300):   "1-a." + strings.Repeat("ü", 44) + "." + strings.Repeat("ü", 9),
	} {
		if got := channel.FileName(name, "", 1); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
