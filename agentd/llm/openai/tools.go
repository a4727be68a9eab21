package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	sdk "github.com/openai/openai-go/v3"

	"gatehouse/agentd/tool"
)

// toolbox keeps each tool in the protocol's words. An agent's tools go out with every step and hardly ever change, and
// writing their schemas costs more than the rest of a request.
type toolbox struct{ known sync.Map } // name of a tool: written

// written is a tool as it was when it was written down.
type written struct {
	from tool.Definition
	json []byte
}

// of gives a tool in the protocol's words.
func (t *toolbox) of(d tool.Definition) ([]byte, error) {
	if w, ok := t.known.Load(d.Name); ok && w.(written).is(d) {
		return w.(written).json, nil
	}
	b, err := toolOf(d)
	if err != nil {
		return nil, err
	}
	t.known.Store(d.Name, written{d, b})
	return b, nil
}

func (w written) is(d tool.Definition) bool {
	return w.from.Doc == d.Doc && bytes.Equal(w.from.Args, d.Args)
}

func toolOf(d tool.Definition) ([]byte, error) {
	var schema map[string]any
	if err := json.Unmarshal(d.Args, &schema); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", d.Name, err)
	}
	b, err := json.Marshal(sdk.ChatCompletionFunctionTool(sdk.FunctionDefinitionParam{
		Name: d.Name, Description: sdk.String(d.Doc), Parameters: schema,
	}))
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", d.Name, err)
	}
	return b, nil
}
