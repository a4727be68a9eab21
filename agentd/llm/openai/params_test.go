package openai

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/tool"
)

// conversation has every kind of message, and text that JSON must escape.
var conversation = []llm.Message{
	{Role: llm.System, Text: "You are \"it-admin\" <b>&</b> \u2028 ok"},
	{Role: llm.User, Text: "How full is the disk?\n\tNow."},
	{Role: llm.Assistant, Text: "I look.", Calls: []llm.Call{{ID: "a", Name: "shell", Args: `{"command":"df -h"}`}}},
	{Role: llm.ToolReply, Text: "", CallID: "a"},
	{Role: llm.Assistant, Calls: []llm.Call{{ID: "b", Name: "shell", Args: `{"command":`}, {ID: "c", Name: "file_list", Args: `[]`}}},
	{Role: llm.ToolReply, Text: "no such tool", CallID: "b"},
	{Role: llm.Assistant, Text: "It is half full."},
	{Role: llm.Assistant},
	{Role: llm.User, Text: strings.Repeat("word ", 100)},
}

// asSDK puts the same into the SDK's own types.
func asSDK(t *testing.T, d tool.Definition) sdk.ChatCompletionNewParams {
	t.Helper()
	body := sdk.ChatCompletionNewParams{Model: "model", StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)}}
	for _, m := range conversation {
		switch m.Role {
		case llm.System:
			body.Messages = append(body.Messages, sdk.SystemMessage(m.Text))
		case llm.ToolReply:
			body.Messages = append(body.Messages, sdk.ToolMessage(m.Text, m.CallID))
		case llm.User:
			body.Messages = append(body.Messages, sdk.UserMessage(m.Text))
		case llm.Assistant:
			var a sdk.ChatCompletionAssistantMessageParam
			if m.Text != "" || len(m.Calls) == 0 {
				a.Content.OfString = sdk.String(m.Text)
			}
			for _, c := range m.Calls {
				a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
					ID: c.ID, Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: arguments(c.Args)},
				}})
			}
			body.Messages = append(body.Messages, sdk.ChatCompletionMessageParamUnion{OfAssistant: &a})
		}
	}
	var schema map[string]any
	if err := json.Unmarshal(d.Args, &schema); err != nil {
		t.Fatal(err)
	}
	body.Tools = append(body.Tools, sdk.ChatCompletionFunctionTool(sdk.FunctionDefinitionParam{Name: d.Name, Description: sdk.String(d.Doc), Parameters: schema}))
	return body
}

// TestBody_asTheSDK: the body means what the SDK's own types would have written.
func TestBody_asTheSDK(t *testing.T) {
	t.Parallel()
	d := tool.Definition{Name: "shell", Doc: "Runs a <command>.", Args: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)}
	want := meaning(t, asSDK(t, d))
	want["stream"] = true // the SDK adds it when it sends
	var box toolbox
	one, err := box.of(d)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bodyOf("model", conversation, [][]byte{one})
	if err != nil {
		t.Fatal(err)
	}
	if got := meaning(t, json.RawMessage(b)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	b, err = bodyOf("model", conversation, nil)
	if err != nil {
		t.Fatal(err)
	}
	delete(want, "tools")
	if got := meaning(t, json.RawMessage(b)); !reflect.DeepEqual(got, want) {
		t.Errorf("without tools: got  %v\nwant %v", got, want)
	}
}

func meaning(t *testing.T, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestBody_nameOfNoTool: endpoints refuse a whole conversation for a name that cannot be one, and what a model calls need
// not be one, nor what stands in the place of a secret in it.
func TestBody_nameOfNoTool(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"shell": "shell", "web-search_2": "web-search_2", "send_[SECRET:crm.key]": "send__SECRET_crm_key_", "send_mails…": "send_mails_", "": "_",
	} {
		m := messageOf(llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "a", Name: name, Args: "{}"}}})
		if got := m.Calls[0].Function.Name; got != want {
			t.Errorf("%q goes out as %q, want %q", name, got, want)
		}
	}
}
