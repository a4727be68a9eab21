package redact

import (
	"os"
	"strings"
	"testing"

	"gatehouse/agentd/linear"
)

// TestScan_oneLine: the words of a text without line ends are not read to its end for each of them, nor does base64 cost
// more than other text: that would take minutes where it should take a second. The limit is far above what a busy machine needs.
func TestScan_oneLine(t *testing.T) {
	t.Parallel()
	e, size := New(), 12_000
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		size = 24_000
	}
	for _, unit := range []string{"token,", "token;", "token|", "token --name=", "api_key?", "pin ", "password x ", "cookie=", "einmalpassw", "backup-code", "glpat-", "pw:", "azcsA1", "AzCsA1", "+AStA1"} {
		linear.Check(t, unit, size, func(n int) { e.Text(strings.Repeat(unit, n/len(unit))) })
	}
}
