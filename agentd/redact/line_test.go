package redact

import (
	"strings"
	"testing"
	"time"
)

// TestScan_oneLine: the words of a text without line ends are not read to its end for each of them, nor does base64 cost
// more than other text: that would take minutes where it should take a second. The limit is far above what a busy machine needs.
func TestScan_oneLine(t *testing.T) {
	t.Parallel()
	const size, limit = 150_000, 5 * time.Second
	e := New()
	for _, unit := range []string{"token,", "token;", "token|", "token --name=", "api_key?", "pin ", "password x ", "cookie=", "azcsA1", "AzCsA1", "+AStA1"} {
		text := strings.Repeat(unit, size/len(unit))
		began := time.Now()
		e.Text(text)
		if took := time.Since(began); took > limit {
			t.Errorf("%d bytes of %q took %v", len(text), unit, took)
		}
	}
}
