package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

func TestRunsList(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case newest(o).Role == llm.ToolReply:
			return say("ok", text)
		case isDispatcher(o):
			return calls(hand("h", "it-admin", "do it"))
		case strings.Contains(newest(o).Text, "talk"):
			return say("hm", text)
		}
		return calls(doit("a", "yellow", "x", ""))
	}}})
	var all []wire.ChatMessage
	for i := range 5 {
		m, _ := s.ask(t, "it-admin", fmt.Sprintf("talk 100%% %d", i))
		all = append(all, m)
	}
	deed, _ := s.ask(t, "dispatcher", "a deed")
	list := func(p wire.ListParams) wire.RunsResult { return call[wire.RunsResult](t, s, wire.MethodRunsList, p) }
	var ids []string
	p := wire.ListParams{Limit: 2}
	for pages := 0; ; pages++ {
		got := list(p)
		for _, r := range got.Items {
			ids = append(ids, r.ID)
		}
		if p.After = got.Next; p.After == "" {
			if pages != 2 {
				t.Errorf("%d pages", pages+1)
			}
			break
		}
	}
	if len(ids) != 6 || ids[0] != deed.RunID || ids[5] != all[0].RunID {
		t.Errorf("%v", ids)
	}
	for name, c := range map[string]struct {
		p    wire.ListParams
		want int
	}{
		"words":                   {wire.ListParams{Q: "TALK"}, 5},
		"percent taken literally": {wire.ListParams{Q: "100% 3"}, 1},
		"no such words":           {wire.ListParams{Q: "100_ 3"}, 0},
		"tier of the tree":        {wire.ListParams{Tier: "yellow"}, 1},
		"tool of the tree":        {wire.ListParams{Tool: "shell"}, 1},
		"agent, delegated too":    {wire.ListParams{Agent: "it-admin"}, 6},
		"session":                 {wire.ListParams{Session: all[2].SessionID}, 1},
		"all of it":               {wire.ListParams{Agent: "it-admin", Tier: "yellow", Tool: "shell", Q: "do"}, 1},
	} {
		if got := list(c.p); len(got.Items) != c.want || got.Next != "" {
			t.Errorf("%s: %d items", name, len(got.Items))
		}
	}
	if _, err := s.rt.Methods().Answer(t.Context(), wire.MethodRunsList, []byte(`{"after":"x"}`)); err == nil ||
		!strings.Contains(err.Error(), "bad_request") {
		t.Errorf("%v", err)
	}
}

// The list shows what an answer says, not the line that announces it.
func TestSessionsList_skipsTheAnnouncement(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"The IT admin reports:\n\nThe disk is fine today.\nMore of it.": "The disk is fine today.",
		"The IT admin reports:\n\nnotes holds 2 entries:\n- a\n- b":     "notes holds 2 entries:",
		"These are all of them:\n\n":                                    "These are all of them:",
		"The disk is fine today.\nThese are the figures:\n- 12 %":       "The disk is fine today.",
	} {
		s := start(t, options{model: says(answer)})
		s.ask(t, "it-admin", "Tell me:\nhow is the disk?")
		page := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{})
		if len(page.Items) != 1 || page.Items[0].LastLine != want || page.Items[0].Title != "Tell me:" {
			t.Errorf("%q: %+v", answer, page.Items)
		}
	}
}

func TestSessionsList(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("an answer\nof two lines")})
	var want []string
	for i := range 5 {
		m, _ := s.ask(t, "it-admin", fmt.Sprintf("## Question %d\nmore", i))
		want = append([]string{m.SessionID}, want...)
	}
	var got []string
	p := wire.ListParams{Limit: 2}
	for {
		page := call[wire.SessionsResult](t, s, wire.MethodSessionsList, p)
		for _, c := range page.Items {
			got = append(got, c.ID)
			if !strings.HasPrefix(c.Title, "Question ") || c.LastLine != "an answer" || c.Runs != 1 || c.State != wire.RunDone ||
				c.Verdict != wire.VerdictNothingRan {
				t.Errorf("%+v", c)
			}
		}
		if p.After = page.Next; p.After == "" {
			break
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if page := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{Q: "question 3"}); len(page.Items) != 1 {
		t.Errorf("%+v", page)
	}
	if page := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{Agent: "secretary"}); len(page.Items) != 0 {
		t.Errorf("%+v", page)
	}
}

func TestAgentsList(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: once(doit("a", "green", "x", ""))})
	s.ask(t, "it-admin", "Go")
	cfg := wire.Config{Version: 4, DefaultLevel: 2, TimeZone: "UTC", Agents: map[string]wire.AgentConfig{
		"secretary": {Level: 1, Unlocked: []string{"message"}}, "it-admin": {Off: true},
	}}
	if err := s.DB.Write(t.Context(), applying(func(tx tx) error { return s.Config.Apply(context.Background(), tx, cfg) })); err != nil {
		t.Fatal(err)
	}
	got := call[wire.AgentsResult](t, s, wire.MethodAgentsList, nil)
	if len(got.Items) != 3 || got.Items[0].ID != "dispatcher" || got.ConfigVersion != 4 || got.Model != "test-model" || got.Rehearsal {
		t.Fatalf("%+v", got)
	}
	admin, secretary := got.Items[1], got.Items[2]
	if !admin.Off || !admin.Inherited || admin.Level != 2 {
		t.Errorf("%+v", admin)
	}
	if admin.Calls7d != 1 || admin.LastActive.IsZero() || len(admin.Starters) == 0 {
		t.Errorf("%+v", admin)
	}
	if secretary.Inherited || secretary.Level != 1 || secretary.Calls7d != 0 || !secretary.LastActive.IsZero() {
		t.Errorf("%+v", secretary)
	}
	for _, tool := range secretary.Tools {
		if tool.Name == "shell" && (tool.Visible || !strings.Contains(tool.Why, "profile")) {
			t.Errorf("%+v", tool)
		}
	}
	_, e := s.ask(t, "it-admin", "Go")
	if d := data[wire.ErrorData](t, e); d.Type != "refused" || !strings.Contains(d.Title, "switched off") {
		t.Errorf("%+v", d)
	}
}

func TestRPC_strangers(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("x")})
	for m, c := range map[wire.Method]struct{ params, want string }{
		"no.such":               {`{}`, "bad_request"},
		wire.MethodRunGet:       {`{"run_id":"nobody"}`, "not_found"},
		wire.MethodRunEvents:    {`{"run_id":"nobody"}`, "not_found"},
		wire.MethodRunReceipts:  {`{"run_id":"nobody"}`, "not_found"},
		wire.MethodSessionGet:   {`{"session_id":"nobody"}`, "not_found"},
		wire.MethodChatPost:     {`[]`, "bad_request"},
		wire.MethodSessionsList: {`{"after":"1"}`, "bad_request"},
	} {
		if _, err := s.rt.Methods().Answer(t.Context(), m, json.RawMessage(c.params)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", m, err)
		}
	}
}
