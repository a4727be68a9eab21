package openai

import (
	"encoding/json"
	"fmt"

	sdk "github.com/openai/openai-go/v3"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/tool"
)

// params puts a request into the protocol's words.
func params(model string, o llm.Outgoing) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{
		Model:         model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	for _, m := range o.Messages() {
		p.Messages = append(p.Messages, message(m))
	}
	for _, d := range o.Tools() {
		t, err := function(d)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, t)
	}
	return p, nil // parallel calls are the default everywhere; endpoints that do not know the word refuse it
}

func message(m llm.Message) sdk.ChatCompletionMessageParamUnion {
	switch m.Role {
	case llm.System:
		return sdk.SystemMessage(m.Text)
	case llm.ToolReply:
		return sdk.ToolMessage(m.Text, m.CallID)
	case llm.Assistant:
		return assistant(m)
	}
	return sdk.UserMessage(m.Text)
}

func assistant(m llm.Message) sdk.ChatCompletionMessageParamUnion {
	var a sdk.ChatCompletionAssistantMessageParam
	if m.Text != "" || len(m.Calls) == 0 {
		a.Content.OfString = sdk.String(m.Text)
	}
	for _, c := range m.Calls {
		a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.ID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: arguments(c.Args)},
			},
		})
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: &a}
}

// arguments gives back what the model wrote. Endpoints that read old calls as JSON refuse a conversation in which
// one is broken, so a broken one is wrapped.
func arguments(args string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return args
	}
	wrapped, err := json.Marshal(map[string]string{"malformed": args})
	if err != nil {
		return "{}"
	}
	return string(wrapped)
}

func function(d tool.Definition) (sdk.ChatCompletionToolUnionParam, error) {
	var schema map[string]any
	if err := json.Unmarshal(d.Args, &schema); err != nil {
		return sdk.ChatCompletionToolUnionParam{}, fmt.Errorf("schema of %s: %w", d.Name, err)
	}
	return sdk.ChatCompletionFunctionTool(sdk.FunctionDefinitionParam{
		Name: d.Name, Description: sdk.String(d.Doc), Parameters: schema,
	}), nil
}
