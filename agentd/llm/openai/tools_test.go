package openai

import (
	"encoding/json"
	"testing"

	"gatehouse/agentd/tool"
)

// TestToolbox: a tool that changed under its name is written anew, and a broken schema is told.
func TestToolbox(t *testing.T) {
	t.Parallel()
	var box toolbox
	for _, doc := range []string{"reads", "reads", "reads and writes"} {
		b, err := box.of(tool.Definition{Name: "file", Doc: doc, Args: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)})
		if want := `{"function":{"name":"file","description":"` + doc + `","parameters":{"properties":{"path":{"type":"string"}},"type":"object"}},"type":"function"}`; err != nil || string(b) != want {
			t.Errorf("got %s, want %s, %v", b, want, err)
		}
	}
	if _, err := box.of(tool.Definition{Name: "broken", Args: json.RawMessage(`{`)}); err == nil {
		t.Error("a schema that is no JSON was sent")
	}
}
