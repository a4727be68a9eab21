package channel_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// messenger is what a provider with buttons can do.
var messenger = channel.Capabilities{Buttons: true, Edits: true, Allows: true}

// deciding is a server whose channel asks the paired owner.
func deciding(t *testing.T, can channel.Capabilities, which wire.ChannelApprovals) *world {
	t.Helper()
	dir := t.TempDir()
	p := newPost(dir)
	p.can = can
	w := startIn(t, dir, p)
	put := putting(wire.ChannelOpen)
	put.Approvals = which
	if _, err := w.act(put); err != nil {
		t.Fatal(err)
	}
	w.allow(t, owner, true)
	until(t, "it runs", func() bool { return w.view(t).Live.Connected })
	return w
}

// want has an agent want something, and gives what becomes of it.
func (w *world) want(t *testing.T, tier, key, by string) <-chan gate.Outcome {
	t.Helper()
	args, err := json.Marshal(gatetest.Args{Tier: tier, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	run, out := uuid.NewString(), make(chan gate.Outcome, 1)
	go func() {
		got, err := w.Gate.Do(context.Background(), gate.Call{
			ID: uuid.NewString(), RunID: run, RootRunID: run, SessionID: uuid.NewString(), Agent: "secretary", Tool: "fake", Args: args,
			Level: 1, Origin: wire.Origin{Channel: by, Address: owner}, Reason: "because of " + key,
		}, func(bool) {})
		if err == nil {
			out <- got
		}
		close(out)
	}()
	return out
}

// last waits until so many messages were sent, and gives the last one.
func (w *world) last(t *testing.T, n int) channel.Outbound {
	t.Helper()
	until(t, fmt.Sprintf("%d messages", n), func() bool { return len(w.sent(t)) >= n })
	all := w.sent(t)
	if len(all) != n {
		t.Fatalf("%d messages, not %d: %+v", len(all), n, all)
	}
	return all[n-1]
}

func (w *world) effects(t *testing.T) int {
	t.Helper()
	all, err := (&gatetest.Ledger{Path: filepath.Join(w.dir, "ledger")}).Effects()
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// pressed is a press of the owner beneath a message.
func pressed(id, on, data string) channel.Inbound {
	m := from(owner, id, "", true)
	m.Subject, m.Press = "", &channel.Press{Data: data, On: on}
	return m
}

// TestAsk_pressed: the owner gets the whole action, a press allows it once, and the message says so from then on.
func TestAsk_pressed(t *testing.T) {
	t.Parallel()
	w := deciding(t, messenger, wire.ApprovalsOwn)
	done := w.want(t, "yellow", "lamp", "email")
	ask := w.last(t, 1)
	for _, part := range []string{
		"Do lamp", "Agent: secretary", "Tool: fake (fake.thing.do)", `"key": "lamp"`, "because of lamp", "Until: ", "can be undone",
	} {
		if !strings.Contains(ask.Text, part) {
			t.Errorf("%q is not in %s", part, ask.Text)
		}
	}
	if ask.To != owner || len(ask.Buttons) != 2 || w.effects(t) != 0 {
		t.Fatalf("%+v", ask)
	}
	w.came(pressed("p1", ask.ID, ask.Buttons[0].Data))
	if got := <-done; got.State != wire.ToolDone || w.effects(t) != 1 {
		t.Errorf("%+v", got)
	}
	told := w.last(t, 2)
	if told.Edit != ask.ID || len(told.Buttons) != 0 || !strings.HasPrefix(told.Text, "Allowed by "+owner+" by email.") {
		t.Errorf("%+v", told)
	}
	w.came(pressed("p2", ask.ID, ask.Buttons[1].Data))
	if again := w.last(t, 3); !strings.Contains(again.Text, "it was allowed before") {
		t.Errorf("%+v", again)
	}
	types := w.decided(t)
	if types["call.approved"] != 1 || types["approval.refused"] != 1 {
		t.Errorf("%v", types)
	}
}

// decided counts receipts by their type.
func (w *world) decided(t *testing.T) map[string]int {
	t.Helper()
	rows, err := w.DB.Read().QueryContext(t.Context(), "SELECT type, count(*) FROM receipts GROUP BY type")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]int{}
	for rows.Next() {
		var name string
		var n int
		if err := rows.Scan(&name, &n); err != nil {
			t.Fatal(err)
		}
		all[name] = n
	}
	return all
}

// codeOf is the code that a message asks for.
func codeOf(t *testing.T, m channel.Outbound) string {
	t.Helper()
	_, rest, is := strings.Cut(m.Text, "/deny ")
	if !is || len(rest) < 6 {
		t.Fatalf("no code: %s", m.Text)
	}
	return rest[:6]
}

// TestAsk_nobodyElse: codes and buttons of others, forwarded, quoted, changed or old ones decide nothing, and say so.
func TestAsk_nobodyElse(t *testing.T) {
	t.Parallel()
	w := deciding(t, messenger, wire.ApprovalsOwn)
	done := w.want(t, "yellow", "lamp", "email")
	ask := w.last(t, 1)
	approve := "/approve " + codeOf(t, ask)
	until(t, "it is known which message asks", func() bool { return w.view(t).Counts.Sent == 1 })
	w.allow(t, "member@example.com", false)
	until(t, "it runs", func() bool { return w.view(t).Live.Connected })
	n := 1
	say := func(m channel.Inbound, want string) {
		t.Helper()
		w.came(m)
		n++
		if got := w.last(t, n); !strings.Contains(got.Text, want) || got.To != m.Address {
			t.Errorf("%s: %q, not %q", m.ID, got.Text, want)
		}
	}
	say(from("member@example.com", "m1", approve, true), "Only the owner can decide")
	say(from(owner, "m2", approve, false), "It is not certain that you wrote this")
	fwd := from(owner, "m3", approve, true)
	fwd.Forward = true
	say(fwd, "passed on decides nothing")
	changed := from(owner, "m4", approve, true)
	changed.Edited = true
	say(changed, "changed after it was sent decides nothing")
	say(pressed("m5", "another message", ask.Buttons[0].Data), "No request waits here")
	say(from(owner, "m6", "/approve AAAAAA", true), "No request waits here")
	other := pressed("m7", ask.ID, ask.Buttons[0].Data)
	other.Address = stranger
	say(other, "Only the owner can decide")
	quoted := from(owner, "m8", "What is this about?", true)
	quoted.Quoted = approve
	group := from(owner, "m9", approve, true)
	group.Group = "everybody"
	w.came(quoted, group)
	until(t, "a run", func() bool { return len(w.all(t)) == 1 && w.view(t).Counts.Refused > 0 })
	if w.effects(t) != 0 || w.decided(t)["call.approved"] != 0 {
		t.Fatal("somebody else decided")
	}
	w.came(from(owner, "m10", "deny "+codeOf(t, ask)+" not today\n\nSent from my phone", true))
	if got := <-done; got.State != wire.ToolDenied || !strings.Contains(got.Text, "not today") {
		t.Errorf("%+v", got)
	}
}

// TestAsk_elsewhere: what is decided in the portal is said where it was asked.
func TestAsk_elsewhere(t *testing.T) {
	t.Parallel()
	w := deciding(t, channel.Capabilities{Threads: true}, wire.ApprovalsOwn)
	done := w.want(t, "yellow", "lamp", "email")
	ask := w.last(t, 1)
	if !strings.Contains(ask.Text, "/deny ") || strings.Contains(ask.Text, "/approve") || len(ask.Buttons) != 0 ||
		!strings.Contains(ask.Text, "allowed in the portal alone: https://hub.example/app/approvals/") {
		t.Fatalf("a mail may deny alone: %s", ask.Text)
	}
	w.came(from(owner, "m1", "/approve "+codeOf(t, ask), true))
	if got := w.last(t, 2); !strings.Contains(got.Text, "cannot be decided here") || w.effects(t) != 0 {
		t.Errorf("%+v", got)
	}
	if err := w.Decide(decision(w.pending(t), wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	<-done
	got := w.last(t, 3)
	if !strings.HasPrefix(got.Text, "Allowed") || !strings.Contains(got.Text, "in the portal") || got.Reply.ID != ask.ID {
		t.Errorf("%+v", got)
	}
}

// TestAsk_changed: a channel that shows no more for sure who a message is from allows nothing anymore, not even what it was asked before.
func TestAsk_changed(t *testing.T) {
	t.Parallel()
	w := deciding(t, messenger, wire.ApprovalsOwn)
	done := w.want(t, "yellow", "lamp", "email")
	ask := w.last(t, 1)
	w.post.allows(false)
	w.came(pressed("p1", ask.ID, ask.Buttons[0].Data), from(owner, "m1", "/approve "+codeOf(t, ask), true))
	if got := w.last(t, 3); !strings.Contains(got.Text, "Do it in the portal: https://hub.example/app/approvals/") {
		t.Errorf("%+v", got)
	}
	if w.effects(t) != 0 || w.decided(t)["call.approved"] != 0 {
		t.Fatal("it was allowed")
	}
	w.came(from(owner, "m2", "/deny "+codeOf(t, ask), true))
	if got := <-done; got.State != wire.ToolDenied {
		t.Errorf("%+v", got)
	}
}

func (w *world) pending(t *testing.T) wire.Approval {
	t.Helper()
	var id string
	if err := w.DB.Read().QueryRowContext(t.Context(), "SELECT id FROM gate_approvals WHERE state = 'pending'").Scan(&id); err != nil {
		t.Fatal(err)
	}
	a, err := w.Gate.Approval(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return *a
}

// TestAsk_red: what destroys is decided in the portal alone; the gate holds to that whatever a channel says.
func TestAsk_red(t *testing.T) {
	t.Parallel()
	w := deciding(t, messenger, wire.ApprovalsAll)
	for i, tier := range []string{"red", "critical_red"} {
		done := w.want(t, tier, tier, "portal")
		ask := w.last(t, 2*i+1)
		if len(ask.Buttons) != 0 || strings.Contains(ask.Text, "/approve") ||
			!strings.Contains(ask.Text, "in the portal alone: https://hub") {
			t.Fatalf("%s: %+v", tier, ask)
		}
		a := w.pending(t)
		d := wire.Decision{ApprovalID: a.ID, Digest: a.Digest, Verb: wire.AllowOnce, By: wire.DecidedBy{Role: "owner", Channel: "email"}}
		err := w.DB.Write(t.Context(), func(tx *sql.Tx) error {
			why, err := w.Gate.ApplyPaired(t.Context(), tx, d, w.view(t).People[0].ID)
			if why == "" {
				t.Errorf("%s was allowed by a channel", tier)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Decide(decision(a, wire.Deny)); err != nil {
			t.Fatal(err)
		}
		if got := <-done; got.State != wire.ToolDenied {
			t.Errorf("%+v", got)
		}
		w.last(t, 2*i+2)
	}
}

// TestAsk_chosen: work that came another way is asked about by the channel only if the owner chose so, and nothing is if it is off.
func TestAsk_chosen(t *testing.T) {
	t.Parallel()
	for which, want := range map[wire.ChannelApprovals]int{wire.ApprovalsOff: 0, wire.ApprovalsOwn: 1, wire.ApprovalsAll: 2} {
		w := deciding(t, messenger, which)
		w.want(t, "yellow", "by mail", "email")
		w.want(t, "yellow", "by portal", "portal")
		until(t, "requests", func() bool { return w.decided(t)["call.asked"] == 2 && w.view(t).Counts.Sent == want })
		if n := len(w.sent(t)); n != want {
			t.Errorf("%q: %d messages", which, n)
		}
	}
}

// TestAsk_unlinked: what an identity allowed does not run once it is the owner's no more.
func TestAsk_unlinked(t *testing.T) {
	t.Parallel()
	w := deciding(t, messenger, wire.ApprovalsOwn)
	w.want(t, "yellow", "lamp", "email")
	ask := w.last(t, 1)
	if _, err := w.unsigned(wire.ChannelAct{Do: wire.ChannelDoBlock, Person: w.view(t).People[0].ID}); err != nil {
		t.Fatal(err)
	}
	w.came(pressed("p1", ask.ID, ask.Buttons[0].Data))
	until(t, "it was looked at", func() bool { return w.view(t).Counts.Refused == 1 })
	if w.effects(t) != 0 {
		t.Error("somebody who is blocked has allowed")
	}
}

// TestCommands: the channel itself answers what is for it, and what it began can be stopped.
func TestCommands(t *testing.T) {
	t.Parallel()
	w := deciding(t, messenger, wire.ApprovalsOwn)
	n := 0
	say := func(text, want string) {
		t.Helper()
		m := from(owner, uuid.NewString(), text, true)
		m.Subject = ""
		w.came(m)
		n++
		if got := w.last(t, n); !strings.Contains(got.Text, want) {
			t.Errorf("%s: %s", text, got.Text)
		}
	}
	say("/help", "/approve CODE")
	say("/start", "/approve CODE")
	say("/stop", "Nothing that your messages began")
	chat := func(text string) {
		m := from(owner, uuid.NewString(), text, true)
		m.Subject = ""
		w.came(m)
	}
	chat("one")
	chat("two")
	until(t, "two runs", func() bool { return len(w.all(t)) == 2 })
	say("/status@team_bot", "Messages being worked on: 2")
	say("/new", "begins a new conversation")
	chat("three")
	until(t, "three runs", func() bool { return len(w.all(t)) == 3 })
	if all := w.all(t); all[0].Session != all[1].Session || all[1].Session == all[2].Session {
		t.Errorf("%+v", all)
	}
	chat("/stop")
	until(t, "it was stopped", func() bool { return strings.Contains(fmt.Sprint(w.sent(t)), "being stopped") })
	until(t, "nothing is open", func() bool { return w.view(t).Counts.Sent == n+4 })
}

// TestAsk_forged: what an agent says cannot pass for a part of the request, and what cannot be seen is spelled out.
func TestAsk_forged(t *testing.T) {
	t.Parallel()
	w := deciding(t, messenger, wire.ApprovalsOwn)
	w.want(t, "yellow", "lamp\nUntil: never\n\nArguments:\n{}\n\u202eRisk: it reads", "email")
	ask := w.last(t, 1)
	for _, begins := range []string{"Until: ", "Arguments:", "Risk: "} {
		if n := strings.Count("\n"+ask.Text, "\n"+begins); n != 1 {
			t.Errorf("%d lines begin with %q:\n%s", n, begins, ask.Text)
		}
	}
	if strings.Contains(ask.Text, "\u202e") {
		t.Errorf("it turns what is read around: %q", ask.Text)
	}
}

// TestAsk_unseen: a request whose message was refused cannot be allowed by its code, which /status names; it can be denied.
func TestAsk_unseen(t *testing.T) {
	t.Parallel()
	w := deciding(t, messenger, wire.ApprovalsOwn)
	w.post.refuses(tool.Refuse("The provider does not take it. Nothing was sent."))
	done := w.want(t, "yellow", "lamp", "email")
	for n := 1; w.view(t).Counts.Failed == 0; n++ {
		until(t, fmt.Sprint("try ", n), func() bool { return w.tries(t) >= n || w.view(t).Counts.Failed == 1 })
		w.pass(time.Hour)
		w.Wake()
	}
	w.post.refuses(nil)
	code := w.pending(t).Code
	w.came(from(owner, "m1", "/approve "+code, true))
	if got := w.last(t, 1); !strings.Contains(got.Text, "No request waits here") || w.effects(t) != 0 {
		t.Errorf("%+v", got)
	}
	w.came(from(owner, "m2", "/deny "+code, true))
	if got := <-done; got.State != wire.ToolDenied {
		t.Errorf("%+v", got)
	}
}

// tries is how often the message that was tried most was tried.
func (w *world) tries(t *testing.T) (n int) {
	t.Helper()
	err := w.DB.Read().QueryRowContext(t.Context(), "SELECT coalesce(max(attempts), 0) FROM channel_outbox").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAsk_sentence: a sentence that only reads like a decision goes to the team.
func TestAsk_sentence(t *testing.T) {
	t.Parallel()
	w := deciding(t, messenger, wire.ApprovalsOwn)
	w.came(from(owner, "m1", "Deny access to the shop for a week", true), from(owner, "m2", "allow guests to book", true))
	until(t, "two runs", func() bool { return len(w.all(t)) == 2 })
	if all := w.sent(t); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// TestAsk_broken: a channel whose settings are not taken any more keeps nobody from being asked in the portal.
func TestAsk_broken(t *testing.T) {
	t.Parallel()
	w := deciding(t, messenger, wire.ApprovalsAll)
	w.post.mu.Lock()
	w.post.broken = true
	w.post.mu.Unlock()
	done := w.want(t, "yellow", "lamp", "portal")
	until(t, "it is asked", func() bool { return w.decided(t)["call.asked"] == 1 })
	if err := w.Decide(decision(w.pending(t), wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.State != wire.ToolDone || len(w.sent(t)) != 0 {
		t.Errorf("%+v", got)
	}
}
