package proxy_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// provider plays both providers: answers of the right shape, as a stream when a stream is asked for.
func provider(w http.ResponseWriter, r *http.Request, body []byte) {
	stream := strings.Contains(string(body), `"stream":true`)
	kind := "application/json"
	if stream {
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Set-Cookie", "session=provider")
	w.Header().Set("X-Request-Id", "req-1")
	_, _ = io.WriteString(w, answers[r.URL.Path][stream])
}

func events(all ...string) string {
	var b strings.Builder
	for _, e := range all {
		kind := ""
		if _, rest, ok := strings.Cut(e, `"type":"`); ok {
			kind, _, _ = strings.Cut(rest, `"`)
		}
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, e)
	}
	return b.String()
}

var answers = map[string]map[bool]string{
	"/v1/chat/completions": {
		false: `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\"path\":\"a\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4}}}`,
		true: `data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"Good "}}]}

data: {"id":"c","choices":[{"index":0,"delta":{"content":"day"},"finish_reason":"stop"}]}

data: {"id":"c","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}

data: [DONE]

`,
	},
	"/v1/responses": {
		false: `{"id":"r","object":"response","status":"completed","output":[{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Good day","annotations":[]}]}],"usage":{"input_tokens":9,"output_tokens":2,"total_tokens":11,"input_tokens_details":{"cached_tokens":1},"output_tokens_details":{"reasoning_tokens":0}}}`,
		true: events(`{"type":"response.output_text.delta","delta":"Good day","item_id":"m","output_index":0,"content_index":0,"sequence_number":1}`,
			`{"type":"response.completed","sequence_number":2,"response":{"id":"r","object":"response","status":"completed","output":[],"usage":{"input_tokens":9,"output_tokens":2,"total_tokens":11}}}`),
	},
	"/v1/embeddings": {false: `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,0.25]}],"model":"large","usage":{"prompt_tokens":6,"total_tokens":6}}`},
	"/v1/messages": {
		false: `{"id":"m","type":"message","role":"assistant","model":"opus","content":[{"type":"tool_use","id":"tu_1","name":"look","input":{"path":"a"}}],"stop_reason":"tool_use","usage":{"input_tokens":30,"output_tokens":4,"cache_read_input_tokens":100,"cache_creation_input_tokens":7}}`,
		true: events(`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"opus","content":[],"usage":{"input_tokens":30,"output_tokens":1,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Good day"}}`,
			`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":8}}`, `{"type":"message_stop"}`),
	},
	"/v1/messages/count_tokens": {false: `{"input_tokens":77}`},
}

// world is a proxy before both providers, and clients of both official SDKs that have nothing but its address and token.
type world struct {
	*rig
	u      *upstream
	value  string // the secret that stands everywhere in what the clients send
	openai openai.Client
	claude anthropic.Client
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{u: newUpstream(t, provider), value: secret(11, 32)}
	w.rig = start(t, proxy.Options{
		Set: profile.Set{Profiles: []profile.Profile{
			{Name: "o", Protocol: profile.OpenAI, BaseURL: w.u.srv.URL + "/v1", Models: []string{"large"}},
			{Name: "a", Protocol: profile.Anthropic, BaseURL: w.u.srv.URL, Models: []string{"opus"}},
		}},
		Keys: map[string]string{"o": "provider-key-" + secret(2, 24), "a": "provider-key-" + secret(3, 24)},
	}, redact.Known{Name: "shop.key", Value: w.value})
	w.openai = openai.NewClient(option.WithBaseURL("http://"+w.tcp+"/v1"), option.WithAPIKey(callerToken), option.WithMaxRetries(0), option.WithHeader(proxy.AgentHeader, "secretary"))
	w.claude = anthropic.NewClient(anthropicoption.WithBaseURL("http://"+w.tcp), anthropicoption.WithAPIKey(callerToken), anthropicoption.WithMaxRetries(0), anthropicoption.WithHeader(proxy.AgentHeader, "it-admin"))
	return w
}

// check looks at what arrived: no secret, no token of the caller, the provider's own key, and the words around.
func (w *world) check(t *testing.T, keyHeader, key string) {
	t.Helper()
	w.u.wantNoSecret(t, "a request of an SDK", w.value, callerToken)
	got := w.u.last(t)
	if got.header.Get(keyHeader) != key {
		t.Errorf("the key arrived as %q", got.header.Get(keyHeader))
	}
	if !strings.Contains(string(got.body), "[SECRET:shop.key]") || !strings.Contains(string(got.body), "the words around") {
		t.Errorf("the provider was told %s", got.body)
	}
	if got.header.Get("X-Stainless-Lang") != "" || got.header.Get("Cookie") != "" || got.header.Get(proxy.AgentHeader) != "" {
		t.Errorf("headers of the caller arrived: %v", got.header)
	}
}

func (w *world) text() string { return "the words around " + w.value + " stay" }

func TestSDK_openAI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := "Bearer provider-key-" + secret(2, 24)
	params := openai.ChatCompletionNewParams{
		Model: "large",
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("You are " + w.text()), openai.UserMessage(w.text()),
			{OfAssistant: &openai.ChatCompletionAssistantMessageParam{ToolCalls: []openai.ChatCompletionMessageToolCallUnionParam{{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: "call_0", Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: "look", Arguments: `{"path":"` + w.value + `","` + w.value + `":1}`},
			}}}}},
			openai.ToolMessage("result: "+w.text(), "call_0"),
		},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "look", Description: openai.String("Looks. " + w.text()), Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{"path": map[string]any{"type": "string", "description": w.text()}}},
		})},
		Metadata: shared.Metadata{"note": w.value, w.value: "key"},
		User:     openai.String(w.value),
	}
	whole, err := w.openai.Chat.Completions.New(t.Context(), params)
	if err != nil || whole.Choices[0].Message.ToolCalls[0].Function.Arguments != `{"path":"a"}` {
		t.Fatalf("%+v, %v", whole, err)
	}
	w.check(t, "Authorization", key)

	params.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := w.openai.Chat.Completions.NewStreaming(t.Context(), params)
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		acc.AddChunk(stream.Current())
	}
	if stream.Err() != nil || acc.Choices[0].Message.Content != "Good day" || acc.Usage.CompletionTokens != 5 {
		t.Fatalf("%+v, %v", acc.ChatCompletion, stream.Err())
	}
	w.check(t, "Authorization", key)

	e, err := w.openai.Embeddings.New(t.Context(), openai.EmbeddingNewParams{Model: "large", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{w.text(), "more"}}})
	if err != nil || len(e.Data) != 1 || e.Data[0].Embedding[1] != 0.25 {
		t.Fatalf("%+v, %v", e, err)
	}
	w.check(t, "Authorization", key)

	list, err := w.openai.Models.List(t.Context())
	if err != nil || len(list.Data) != 2 || list.Data[0].ID != "large" {
		t.Errorf("models: %+v, %v", list, err)
	}
}

func TestSDK_openAIResponses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params := responses.ResponseNewParams{
		Model: "large", Instructions: openai.String("Be brief. " + w.text()),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage(w.text(), responses.EasyInputMessageRoleUser),
			responses.ResponseInputItemParamOfFunctionCall(`{"a":"`+w.value+`"}`, "call_1", "look"),
			responses.ResponseInputItemParamOfFunctionCallOutput("out: " + w.text()),
		}},
		Metadata: shared.Metadata{"k": w.value},
	}
	whole, err := w.openai.Responses.New(t.Context(), params)
	if err != nil || whole.OutputText() != "Good day" {
		t.Fatalf("%+v, %v", whole, err)
	}
	key := "Bearer provider-key-" + secret(2, 24)
	w.check(t, "Authorization", key)
	stream := w.openai.Responses.NewStreaming(t.Context(), params)
	var text strings.Builder
	for stream.Next() {
		text.WriteString(stream.Current().Delta)
	}
	if stream.Err() != nil || text.String() != "Good day" {
		t.Fatalf("%q, %v", text.String(), stream.Err())
	}
	w.check(t, "Authorization", key)
}

func TestSDK_anthropic(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := "provider-key-" + secret(3, 24)
	params := anthropic.MessageNewParams{
		Model: "opus", MaxTokens: 100, System: []anthropic.TextBlockParam{{Text: w.text()}},
		Messages: []anthropic.MessageParam{
			anthropic.NewUserMessage(anthropic.NewTextBlock(w.text()), anthropic.NewDocumentBlock(anthropic.PlainTextSourceParam{Data: "a document: " + w.text()})),
			anthropic.NewAssistantMessage(anthropic.NewToolUseBlock("tu_0", map[string]any{"path": w.value, "deep": []any{map[string]any{w.value: true}}}, "look")),
			anthropic.NewUserMessage(anthropic.NewToolResultBlock("tu_0", "result: "+w.text(), false)),
		},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "look", Description: anthropic.String(w.text()), InputSchema: anthropic.ToolInputSchemaParam{Properties: map[string]any{"path": map[string]any{"type": "string"}}}}}},
	}
	whole, err := w.claude.Messages.New(t.Context(), params)
	if err != nil || len(whole.Content) != 1 || whole.Content[0].Name != "look" {
		t.Fatalf("%+v, %v", whole, err)
	}
	w.check(t, "X-Api-Key", key)

	stream := w.claude.Messages.NewStreaming(t.Context(), params)
	var m anthropic.Message
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if stream.Err() != nil || m.Content[0].Text != "Good day" || m.Usage.OutputTokens != 8 {
		t.Fatalf("%+v, %v", m, stream.Err())
	}
	w.check(t, "X-Api-Key", key)

	n, err := w.claude.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{Model: "opus", Messages: params.Messages})
	if err != nil || n.InputTokens != 77 {
		t.Fatalf("%+v, %v", n, err)
	}
	w.check(t, "X-Api-Key", key)
	list, err := w.claude.Models.List(t.Context(), anthropic.ModelListParams{})
	if err != nil || len(list.Data) != 2 || list.Data[1].ID != "opus" {
		t.Errorf("models: %+v, %v", list, err)
	}
}

// TestSDK_metered adds up what the answers said, per agent, profile and model.
func TestSDK_metered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		if _, err := w.openai.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "large", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello")}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.claude.Messages.New(t.Context(), anthropic.MessageNewParams{Model: "opus", MaxTokens: 9, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello"))}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all three answers are on record", func() bool {
		var n int
		err := w.db.Read().QueryRowContext(t.Context(), "SELECT coalesce(sum(requests), 0) FROM llm_buckets").Scan(&n)
		return err == nil && n == 3
	})
	want := map[string]wire.UsageCounts{
		"secretary/o/large": {Requests: 2, Input: 16, Output: 6, CacheRead: 8},
		"it-admin/a/opus":   {Requests: 1, Input: 30, Output: 4, CacheRead: 100, CacheWrite: 7},
	}
	book, err := meter.Open(t.Context(), w.db, "", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	all, err := book.Changed(t.Context(), 0, wire.MaxUsageRows)
	if err != nil || len(all) != len(want) {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, r := range all {
		if r.UsageCounts != want[r.Agent+"/"+r.Profile+"/"+r.Model] || r.Key != wire.KeyHouse {
			t.Errorf("%+v", r)
		}
	}
}

// TestSDK_errors shows the SDKs errors of a provider in their own shapes, and no key in them.
func TestSDK_errors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.u.answer = func(rw http.ResponseWriter, r *http.Request, _ []byte) {
		rw.Header().Set("Retry-After", "7")
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(rw, `{"type":"error","error":{"type":"invalid_request_error","message":"no such thing for key %s%s","code":"no_such"}}`, r.Header.Get("X-Api-Key"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	}
	_, err := w.openai.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "large", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello")}})
	wantSaid(t, err, "400", "no such thing")
	_, err = w.claude.Messages.New(t.Context(), anthropic.MessageNewParams{Model: "opus", MaxTokens: 9, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello"))}})
	wantSaid(t, err, "400", "no such thing")
	_, err = w.openai.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "never-listed", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello")}})
	wantSaid(t, err, "404", "model_not_found")
}

func wantSaid(t *testing.T, err error, all ...string) {
	t.Helper()
	said := fmt.Sprint(err)
	var e *openai.Error
	if errors.As(err, &e) {
		said += " " + e.Code + " " + e.Message
	}
	for _, s := range all {
		if !strings.Contains(said, s) {
			t.Errorf("nothing about %s in %s", s, said)
		}
	}
	if strings.Contains(said, "provider-key-") {
		t.Errorf("the provider's key is in %s", said)
	}
}
