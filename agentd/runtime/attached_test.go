package runtime_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/attach"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/wire"
)

// Attach stands in for a runtime that does not exist yet when its tool is made.
func (l *late) Attach(ctx context.Context, callID, runID string, a tool.Attachment) error {
	return l.to.Load().Attach(ctx, callID, runID, a)
}

// attaching is a server whose agents can attach files of its data folder.
func attaching(t *testing.T, m llm.Provider, names ...string) (*server, string, options) {
	t.Helper()
	dir := t.TempDir()
	to := &late{}
	o := options{model: m, shelf: shelfIn(t, dir, names...), tools: func(dir string) ([]gate.Tool, error) {
		root, err := dataroot.Open(filepath.Join(dir, "data"), filepath.Join(dir, "state"))
		return []gate.Tool{attach.New(root, to)}, err
	}}
	o.sends = func(_ context.Context, channel string) (bool, error) { return channel != wire.ChannelWhatsApp, nil }
	storetest.Seed(t, filepath.Join(dir, "state"))
	s, err := open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	to.to.Store(s.rt)
	return s, dir, o
}

// attaches calls attach for each path at once, then says what came of the last.
func attaches(paths ...string) model {
	var all []llm.Call
	for _, p := range paths {
		all = append(all, llm.Call{ID: "c" + p, Name: "attach", Args: `{"path":"` + p + `"}`})
	}
	return once(all...)
}

// TestAttached: what an agent attaches stands beneath its answer, once and before what the answer names, and with the answer as channels
// send it, also after a restart.
func TestAttached(t *testing.T) {
	t.Parallel()
	s, dir, o := attaching(t, attaches("offers/a.txt", "./b.txt", "offers/a.txt"), "offers/a.txt", "b.txt")
	m, e := s.ask(t, "it-admin", "Send me both")
	want := []string{"b.txt", "offers/a.txt"}
	f := data[wire.FinalData](t, e)
	if got := slices.Sorted(slices.Values(f.Files)); !slices.Equal(got, want) {
		t.Errorf("%q beneath %q", f.Files, f.Text)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	s, err := open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	a, err := s.rt.AnswerOf(t.Context(), m.RunID)
	if err != nil || len(a.Files) != 2 || a.Files[0].Bytes != 1 || len(a.Files[0].SHA256) != 64 {
		t.Errorf("%+v, %v", a.Files, err)
	}
}

// TestAttached_colleague: what a colleague attaches goes with the answer to the person.
func TestAttached_colleague(t *testing.T) {
	t.Parallel()
	s, _, _ := attaching(t, model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		last := newest(o)
		switch {
		case last.Role == llm.ToolReply:
			return say("Done.", text)
		case strings.Contains(last.Text, "Send me"):
			return calls(hand("c1", "it-admin", "Attach it"))
		}
		return calls(llm.Call{ID: "c2", Name: "attach", Args: `{"path":"a.txt"}`})
	}}, "a.txt")
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	_, e := s.ask(t, "dispatcher", "Send me the file")
	if f := data[wire.FinalData](t, e); !slices.Equal(f.Files, []string{"a.txt"}) {
		t.Errorf("%q beneath %q", f.Files, f.Text)
	}
}

// TestAttached_stranger: what a stranger writes attaches nothing, whatever the model asks for.
func TestAttached_stranger(t *testing.T) {
	t.Parallel()
	s, _, _ := attaching(t, attaches("a.txt"), "a.txt")
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	m := message(t, id(t), "it-admin", "Send me a.txt")
	m.From = wire.Origin{Channel: "telegram", Address: "5"}
	s.post(t, m)
	s.watch.end(t, m.RunID)
	if a, err := s.rt.AnswerOf(t.Context(), m.RunID); err != nil || !a.Ended || len(a.Files) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestAttached_none: where a messenger sends no files, nothing is attached, and the agent is told so.
func TestAttached_none(t *testing.T) {
	t.Parallel()
	for by, want := range map[string]int{wire.ChannelWhatsApp: 0, wire.ChannelTelegram: 1} {
		s, _, _ := attaching(t, attaches("a.txt"), "a.txt")
		t.Cleanup(func() {
			if err := s.close(); err != nil {
				t.Error(err)
			}
		})
		m := fromStranger(t, id(t), "5", "Send me a.txt")
		m.Agent, m.From.Channel, m.From.Known = "it-admin", by, true
		s.schedule(t, m)
		e := s.watch.end(t, m.RunID)
		if a, err := s.rt.AnswerOf(t.Context(), m.RunID); err != nil || !a.Ended || len(a.Files) != want {
			t.Errorf("%s: %+v, %v", by, a, err)
		}
		if said := string(e.Data); want == 0 && !strings.Contains(said, "cannot be sent by the messenger") {
			t.Errorf("%s: %s", by, said)
		}
	}
}

// TestAttached_unknown: no file is attached but by a call that is with the gate.
func TestAttached_unknown(t *testing.T) {
	t.Parallel()
	s, _, _ := attaching(t, says("Hello"))
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	m, _ := s.ask(t, "it-admin", "Hello")
	if err := s.rt.Attach(t.Context(), "none", m.RunID, tool.Attachment{Path: "a.txt"}); err == nil {
		t.Error("attached")
	}
}
