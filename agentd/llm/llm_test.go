package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/tool"
)

// fake is a provider that remembers what reached it.
type fake struct {
	got llm.Outgoing
	err error
}

func (f *fake) Name() string    { return "fake" }
func (f *fake) Rehearsal() bool { return false }
func (f *fake) Stream(_ context.Context, o llm.Outgoing, _ func(string)) (llm.Reply, error) {
	f.got = o
	return llm.Reply{Text: "hi"}, f.err
}

var request = llm.Request{
	Messages: []llm.Message{{Role: llm.User, Text: "a"}, {Role: llm.Assistant, Calls: []llm.Call{{ID: "1", Name: "shell", Args: "{}"}}}, {Role: llm.ToolReply, CallID: "1", Text: "b"}},
	Tools:    []tool.Definition{{Name: "shell"}},
}

func TestAsk_handsOverEverything(t *testing.T) {
	t.Parallel()
	f := &fake{}
	r, err := llm.Ask(t.Context(), f, request, func(string) {})
	if err != nil || r.Text != "hi" {
		t.Fatalf("%+v, %v", r, err)
	}
	m := f.got.Messages()
	if len(m) != 3 || m[0].Text != "a" || m[1].Calls[0].Args != "{}" || m[2].CallID != "1" || len(f.got.Tools()) != 1 {
		t.Errorf("%+v", m)
	}
	m[1].Calls[0].Args = "changed"
	if request.Messages[1].Calls[0].Args != "{}" {
		t.Error("a provider can change the caller's conversation")
	}
}

func TestAsk_errors(t *testing.T) {
	t.Parallel()
	_, err := llm.Ask(t.Context(), &fake{err: errors.New("odd")}, request, func(string) {})
	var known *llm.Error
	if !errors.As(err, &known) || known.Kind != llm.Unavailable || !strings.Contains(err.Error(), "odd") {
		t.Errorf("%v", err)
	}
	why := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := llm.Ask(ctx, &fake{err: errors.New("odd")}, request, func(string) {}); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
}

func TestError_words(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range []llm.Kind{llm.Auth, llm.Rate, llm.Context, llm.Rejected, llm.BadResponse, llm.Unavailable, llm.Timeout} {
		what, help := (&llm.Error{Kind: k}).Words()
		if what == "" || help == "" || seen[what] {
			t.Errorf("%s: %q, %q", k, what, help)
		}
		seen[what] = true
	}
	if _, help := (&llm.Error{Kind: llm.Rate, RetryAfter: 7 * time.Second}).Words(); !strings.Contains(help, "7s") {
		t.Errorf("%q", help)
	}
}
