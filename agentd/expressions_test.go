package agentd

import (
	"testing"

	"gatehouse/agentd/lazyre"
)

// TestExpressions compiles what is otherwise compiled when it is first needed.
func TestExpressions(t *testing.T) {
	t.Parallel()
	if n := lazyre.CompileAll(); n < 100 {
		t.Errorf("only %d expressions", n)
	}
}
