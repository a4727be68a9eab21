package secret_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"gatehouse/agentd/vault/secret"
)

type wrapped struct{ inner secret.Value }

// TestValue_doesNotPrint tries every verb, on the value, a pointer to it and values that hold it.
func TestValue_doesNotPrint(t *testing.T) {
	t.Parallel()
	const word = "zebra-canary-1"
	v := secret.New(word)
	holders := []any{v, &v, wrapped{v}, &wrapped{v}, []secret.Value{v}, map[string]secret.Value{"k": v}, []any{v}, fmt.Errorf("x %v", v)}
	var all strings.Builder
	for _, h := range holders {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%p", "%t", "%o"} {
			fmt.Fprintf(&all, verb+"\n", h)
		}
	}
	log := slog.New(slog.NewJSONHandler(&all, nil))
	log.Info("value", "v", v, "w", wrapped{v}, "list", []secret.Value{v})
	slog.New(slog.NewTextHandler(&all, nil)).Info("value", "v", v, "w", wrapped{v})
	if strings.Contains(all.String(), word) || strings.Contains(all.String(), fmt.Sprintf("%x", word)) {
		t.Errorf("printed: %s", all.String())
	}
	if v.Reveal() != word || (secret.Value{}).Reveal() != "" || !(secret.Value{}).Empty() {
		t.Error("Reveal does not give the value")
	}
}

func TestValue_isNotWritten(t *testing.T) {
	t.Parallel()
	v := secret.New("zebra-canary-2")
	if out, err := json.Marshal(map[string]any{"v": v}); err == nil {
		t.Errorf("marshalled: %s", out)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err == nil || strings.Contains(b.String(), "zebra") {
		t.Errorf("encoded: %q, %v", b.String(), err)
	}
}
