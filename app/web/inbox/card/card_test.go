package card

import (
	"encoding/json"
	"slices"
	"testing"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
	"gatehouse/views/ui"

	view "gatehouse/views/inbox"
)

func look() Look { return Look{Agent: Unread} }

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		want     []Arg
	}{
		{"what people look for first stands first", `{"text":"b","subject":"a","to":"c"}`, []Arg{{"to", KindText, "c"}, {"subject", KindText, "a"}, {"text", KindText, "b"}}},
		{"numbers keep every digit", `{"n":9007199254740993,"e":1e400}`, []Arg{{"n", KindNumber, "9007199254740993"}, {"e", KindNumber, "1e400"}}},
		{"yes and no", `{"deep":false}`, []Arg{{"deep", KindBool, "false"}}},
		{"lists and objects stay JSON", `{"l":[1,2],"o":{"a":null}}`, []Arg{{"l", KindJSON, "[\n  1,\n  2\n]"}, {"o", KindJSON, "{\n  \"a\": null\n}"}}},
		{"nothing", `{"x":null}`, []Arg{{"x", KindJSON, "null"}}},
		{"no object", `["a"]`, nil},
		{"cut off", `{"a":"b"`, []Arg{{"a", KindText, "b"}}},
		{"erased", ``, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Parse(json.RawMessage(c.in)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestOf_everyArgumentStandsOnTheCardOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	letter := Of(ctx, wire.Approval{
		Tool: "message", Args: json.RawMessage(`{"to":"a@example.com","subject":"s","text":"t","channel":"mail"}`),
	}, look())
	if letter.Draft == nil || *letter.Draft != (ui.Draft{To: "a@example.com", Subject: "s", Body: "t"}) || !slices.Equal(letter.Args, []ui.Arg{{Name: "channel", Value: "mail"}}) {
		t.Errorf("letter: %+v, arguments %+v", letter.Draft, letter.Args)
	}
	file := Of(ctx, wire.Approval{Tool: "file_write", Args: json.RawMessage(`{"path":"a.txt","content":"x"}`), Diff: &wire.Diff{Path: "a.txt", Unified: "@@ -0,0 +1 @@\n+x\n"}}, look())
	if !slices.Equal(file.Args, []ui.Arg{{Name: "path", Value: "a.txt"}}) || file.Diff == nil {
		t.Errorf("file: %+v", file.Args)
	}
	unproven := Of(ctx, wire.Approval{Tool: "file_write", Args: json.RawMessage(`{"path":"a.txt","content":"x"}`)}, look())
	if len(unproven.Args) != 2 {
		t.Errorf("without a diff the content is not shown: %+v", unproven.Args)
	}
	odd := Of(ctx, wire.Approval{Tool: "message", Args: json.RawMessage(`{"to":["a","b"],"text":"t"}`)}, look())
	if odd.Draft != nil || len(odd.Args) != 2 {
		t.Errorf("a letter without one recipient is drawn as one: %+v", odd)
	}
}

func TestOf_windowsWithinWhatTheTierAllows(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for tier, want := range map[string][]int{"yellow": {15, 480}, "red": {15}, "critical_red": nil, "unheard_of": nil} {
		got := Of(ctx, wire.Approval{Tier: tier, Windows: []int{15, 480, 0, -5, 9999}}, look()).Windows
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", tier, got, want)
		}
	}
}

func TestOf_facts(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	got := Of(ctx, wire.Approval{Facts: []wire.Fact{{Text: "14 files"}, {Text: "3.5 MB"}, {Name: "bytes", Value: 3514368, Text: "3514368 bytes"}, {Text: "new file"}, {}}}, look()).Facts
	if want := []ui.Fact{{Value: "14", Name: "files"}, {Value: "3.5", Name: "MB"}, {Value: "3.5", Name: "MB"}, {Value: "new file"}}; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestOf_staffMayNotEdit(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := wire.Approval{Args: json.RawMessage(`{"path":"a"}`)}
	if !Of(ctx, a, look()).MayEdit || Of(ctx, a, Look{Agent: Unread, Staff: true}).MayEdit {
		t.Error("who may edit is wrong")
	}
}

// TestOf_answer: an answer by a channel is shown as the letter that it is, and cannot be edited: its server would refuse it.
func TestOf_answer(t *testing.T) {
	t.Parallel()
	p := Of(t.Context(), wire.Approval{Tool: answers, Args: json.RawMessage(`{"channel":"email","to":"a@b.example","text":"Hi"}`)}, look())
	if p.MayEdit || p.Draft == nil || p.Draft.To != "a@b.example" || p.Draft.Body != "Hi" || len(p.Args) != 1 {
		t.Errorf("%+v", p)
	}
}

func TestFurther(t *testing.T) {
	t.Parallel()
	at := func(s wire.ApprovalState, e wire.Execution) *wire.Approval {
		return &wire.Approval{State: s, Execution: e}
	}
	pending, allowed := at(wire.ApprovalPending, wire.ExecNone), at(wire.ApprovalAllowed, wire.ExecQueued)
	done := at(wire.ApprovalAllowed, wire.ExecDone)
	if !Further(allowed, pending) || Further(pending, allowed) || Further(allowed, done) || !Further(done, allowed) || Further(done, done) {
		t.Error("a decision or its execution can go back")
	}
}

func TestUnread(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"it-admin": "IT admin", "dispatcher": "Front desk", "front-of-house": "Front of house", "": "", "-x": "-x"} {
		if got := Unread(id).Name; got != want {
			t.Errorf("%q is called %q, want %q", id, got, want)
		}
	}
}

// TestOf_vouched: whoever may sign finds on the card what the server says and how it vouches for it; nobody else does.
func TestOf_vouched(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := wire.Approval{
		ID: "i", RunID: "r", State: wire.ApprovalPending, Tool: "t", Args: json.RawMessage(`{}`), ArgsHash: canonical.Sum([]byte(`{}`)),
		Summary: "Delete nothing", Vouched: &wire.Vouched{Key: "ab", Sig: "cd"},
	}
	says, err := a.Says()
	if p := Of(ctx, a, look()); err != nil || p.Says != string(says) || p.Vouched != "ab cd" {
		t.Errorf("%q by %q, want %q: %v", p.Says, p.Vouched, says, err)
	}
	decided, earlier := a, a
	decided.State, earlier.Vouched = wire.ApprovalAllowed, nil
	for name, p := range map[string]view.CardProps{
		"staff": Of(ctx, a, Look{Agent: Unread, Staff: true}), "decided": Of(ctx, decided, look()),
		"an earlier server": Of(ctx, earlier, look()),
	} {
		if p.Says != "" || p.Vouched != "" {
			t.Errorf("%s: %q by %q", name, p.Says, p.Vouched)
		}
	}
}

// TestOf_unlike: a card whose arguments are not those that the server asks about says so, and gives no leave.
func TestOf_unlike(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	const args, masked = `{"path":"books"}`, `{"path":"[masked]"}`
	pending := func(shown, argsHash, shownHash string) wire.Approval {
		return wire.Approval{
			ID: shown + argsHash + shownHash, RunID: "r", State: wire.ApprovalPending, Tool: "file_delete", Digest: "d",
			Args: json.RawMessage(shown), ArgsHash: argsHash, ShownHash: shownHash,
		}
	}
	real, seen := canonical.Sum([]byte(args)), canonical.Sum([]byte(masked))
	for name, a := range map[string]wire.Approval{
		"as asked": pending(args, real, ""), "written in another way": pending(`{ "path" : "books" }`, real, ""), "masked": pending(masked, real, seen),
	} {
		if p := Of(ctx, a, look()); p.Unlike || !p.MayEdit || p.Shown == "" || !a.Shows([]byte(p.Shown)) {
			t.Errorf("%s: %+v", name, p)
		}
	}
	for name, a := range map[string]wire.Approval{
		"another path": pending(`{"path":"tmp"}`, real, ""), "erased": pending("", real, ""), "masked, and not said": pending(masked, real, ""),
		"one name twice": pending(`{"path":"tmp","path":"books"}`, real, ""), "another mask": pending(`{"path":"x"}`, real, seen), "bare": pending(args, real, seen),
	} {
		if p := Of(ctx, a, look()); !p.Unlike || p.MayEdit || p.Shown != "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if p := Of(t.Context(), pending("", real, ""), Look{Agent: Unread, Staff: true}); p.Unlike {
		t.Error("staff, who are not told what is asked, are warned of it")
	}
}
