package channel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// openTo is a channel that is open to everybody, as the owner has signed it.
func openTo(t testing.TB, with wire.StrangerSettings) *world {
	t.Helper()
	w := start(t, wire.ChannelOpen)
	w.put(t, with)
	return w
}

// put has the owner sign other settings for strangers.
func (w *world) put(t testing.TB, with wire.StrangerSettings) {
	t.Helper()
	a := putting(wire.ChannelOpen)
	a.Version, a.Strangers = w.view(t).Version, with
	if _, err := w.act(a); err != nil {
		t.Fatal(err)
	}
}

// replies is the setting that lets an agent answer strangers by itself.
var replies = wire.StrangerSettings{Replies: true}

// write has a person write, and answers the run that it begins; an empty answer leaves the run open.
func (w *world) write(t testing.TB, m channel.Inbound, answer string) channel.Start {
	t.Helper()
	n := len(w.all(t))
	w.came(m)
	until(t, "a run", func() bool { return len(w.all(t)) == n+1 })
	s := w.all(t)[n]
	if answer != "" {
		w.answer(t, s.RunID, answer)
	}
	return s
}

// others are the messages to anybody but the owner.
func (w *world) others(t testing.TB) []channel.Outbound {
	t.Helper()
	return slices.DeleteFunc(w.sent(t), func(m channel.Outbound) bool { return m.To == owner })
}

// sentTo waits for a number of messages, and gives the last.
func (w *world) sentTo(t testing.TB, n int) channel.Outbound {
	t.Helper()
	until(t, fmt.Sprintf("%d messages", n), func() bool { return len(w.others(t)) >= n })
	all := w.others(t)
	if len(all) != n {
		t.Fatalf("%d messages, not %d: %+v", len(all), n, all)
	}
	return all[n-1]
}

// known are the strangers of the channel.
func (w *world) known(t testing.TB) []wire.ChannelStranger {
	t.Helper()
	got, err := ask[wire.ChannelStrangersResult](w, wire.MethodChannelStrangers, wire.ChannelStrangersParams{Channel: wire.ChannelEmail})
	if err != nil {
		t.Fatal(err)
	}
	return got.Items
}

// request waits for the n-th request for approval.
func (w *world) request(t *testing.T, n int) (a wire.Approval) {
	t.Helper()
	until(t, "a question", func() bool {
		seen := 0
		for _, s := range w.Sent() {
			if s.Type == wire.TypeApprovalRequest {
				if seen++; seen == n {
					a = approvalOf(t, s.Body)
					return true
				}
			}
		}
		return false
	})
	return a
}

// TestStranger_begins: the run of a stranger says that nobody knows them, stands behind what they wrote, and is no other's conversation.
// The run of somebody whom the owner has confirmed says so.
func TestStranger_begins(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	w.allow(t, "friend@elsewhere.example", false)
	s := w.write(t, from(stranger, "<1@x>", "What do you sell?", true), "")
	if !s.From.Stranger() || len(s.Taint) != 1 || s.Level != 2 || s.Agent != "secretary" {
		t.Errorf("%+v", s)
	}
	other := from("other@elsewhere.example", "<2@x>", "And for me?", true)
	other.Refs = []string{"<1@x>"}
	if o := w.write(t, other, ""); o.Session == s.Session || !o.From.Stranger() {
		t.Errorf("%+v", o)
	}
	if f := w.write(t, from("friend@elsewhere.example", "<3@x>", "Hello", true), ""); f.From.Stranger() || !f.From.Known {
		t.Errorf("%+v", f)
	}
	all := w.known(t)
	if len(all) != 2 || all[0].Address != "other@elsewhere.example" {
		t.Fatalf("%+v", all)
	}
	want := wire.ChannelStranger{
		ID: all[1].ID, Channel: wire.ChannelEmail, Address: stranger, State: wire.StrangerTalking, Messages: 1, Session: s.Session,
		Language: "en", First: all[1].First, Last: all[1].Last, Since: all[1].Since,
	}
	if all[1] != want {
		t.Errorf("%+v, not %+v", all[1], want)
	}
}

// TestStranger_isAsked: without the owner's signature for it, an answer to a stranger waits for a person. The first says that a machine
// writes, in the language of the message; the next does not say it again.
func TestStranger_isAsked(t *testing.T) {
	t.Parallel()
	w := openTo(t, wire.StrangerSettings{})
	w.write(t, from(stranger, "<1@x>", "Was kostet ein Rad, und haben Sie eins für mich?", true), "Fünf Euro.")
	a := w.request(t, 1)
	if a.Tier != "yellow_external" || len(w.others(t)) != 0 || !strings.Contains(string(a.Args), "KI-Assistenten") {
		t.Fatalf("%+v, sent %+v", a, w.others(t))
	}
	if w.known(t)[0].Told {
		t.Error("they count as told before they were")
	}
	if err := w.Decide(decision(a, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	const first = "Sie schreiben mit einem KI-Assistenten dieses Unternehmens. Schreiben Sie MENSCH"
	if m := w.sentTo(t, 1); !strings.HasPrefix(m.Text, first) || !strings.HasSuffix(m.Text, "\n\nFünf Euro.") || m.To != stranger {
		t.Errorf("%+v", m)
	}
	until(t, "they were told", func() bool { return w.known(t)[0].Told })
	w.write(t, from(stranger, "<2@x>", "Danke!", true), "Gern.")
	if err := w.Decide(decision(w.request(t, 2), wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	if m := w.sentTo(t, 2); m.Text != "Gern." {
		t.Errorf("%+v", m)
	}
}

// TestStranger_replies: with the owner's signature for it, the answer to who wrote goes out by itself. Where it is not sure who wrote,
// and once the owner has taken it back, a person is asked.
func TestStranger_replies(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	w.write(t, from(stranger, "<1@x>", "Do you have a bike for me?", true), "We do.")
	m := w.sentTo(t, 1)
	if !strings.HasPrefix(m.Text, "You are talking to an AI assistant of this business.") || !strings.HasSuffix(m.Text, "We do.") ||
		m.To != stranger || m.Reply.ID != "<1@x>" {
		t.Errorf("%+v", m)
	}
	for _, s := range w.Sent() {
		if s.Type == wire.TypeApprovalRequest {
			t.Errorf("a person was asked: %s", s.Body)
		}
	}
	w.write(t, from("victim@elsewhere.example", "<2@x>", "Write to me", false), "Buy this!")
	if a := w.request(t, 1); !strings.Contains(a.Destination, "victim@elsewhere.example") {
		t.Errorf("%+v", a)
	}
	w.put(t, wire.StrangerSettings{})
	w.write(t, from(stranger, "<3@x>", "And a lamp?", true), "That too.")
	if a := w.request(t, 2); !strings.Contains(a.Destination, stranger) {
		t.Errorf("%+v", a)
	}
	if len(w.others(t)) != 1 {
		t.Errorf("%+v", w.others(t))
	}
}

// TestStranger_repliesFirst: however many answers wait for a person, one that nobody is asked about does not wait with them.
func TestStranger_repliesFirst(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	for i := range 12 {
		w.write(t, from(fmt.Sprintf("p%d@elsewhere.example", i), fmt.Sprintf("<%d@x>", i), "Write to me", false), "Hello.")
	}
	w.request(t, 10)
	w.write(t, from(stranger, "<a@x>", "Do you have a bike?", true), "We do.")
	if m := w.sentTo(t, 1); m.To != stranger {
		t.Errorf("%+v", m)
	}
}

// TestStranger_repliesAskedAbout: of answers that should go out by themselves and that the gate asks about all the same, some are put to
// the owner. The others wait, and are not denied for being too many.
func TestStranger_repliesAskedAbout(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	w.level.Store(1)
	w.put(t, replies)
	const people = 24 // more than an agent may ask about at once
	for i := range people {
		w.write(t, from(fmt.Sprintf("p%d@elsewhere.example", i), fmt.Sprintf("<%d@x>", i), "Do you have a bike?", true), "We do.")
	}
	w.request(t, 8)
	until(t, "all are in the outbox", func() bool { return w.view(t).Counts.Waiting == people })
	if n := w.view(t).Counts; n.Failed != 0 || n.Sent != 0 {
		t.Errorf("%+v", n)
	}
}

// TestStranger_ownersRoom: strangers whose messages are being worked on leave the owner room, and one of them leaves the others theirs.
func TestStranger_ownersRoom(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	for i := range wire.MaxChannelOpen + 5 {
		address := stranger
		if i >= wire.MaxStrangerOpen {
			address = fmt.Sprintf("p%d@elsewhere.example", i)
		}
		w.write(t, from(address, fmt.Sprintf("<%d@x>", i), "Hello", true), "")
	}
	w.came(from(stranger, "<more@x>", "Hello", true))
	until(t, "one more of theirs is refused", func() bool { return w.view(t).Counts.Refused == 1 })
	if s := w.write(t, from(owner, "<own@x>", "Mine", true), ""); !s.From.Owner {
		t.Errorf("%+v", s)
	}
}

// TestStranger_repliesSigned: nobody but the owner's key lets an agent answer by itself, and only on a channel that is open.
func TestStranger_repliesSigned(t *testing.T) {
	t.Parallel()
	w := openTo(t, wire.StrangerSettings{})
	a := putting(wire.ChannelOpen)
	a.Version, a.Strangers = w.view(t).Version, replies
	if _, err := w.unsigned(a); errCode(err) != "signature_required" {
		t.Errorf("without a signature: %v", err)
	}
	for _, p := range []wire.ChannelPolicy{wire.ChannelPairing, wire.ChannelAllowlist} {
		a := putting(p)
		a.Version, a.Strangers = w.view(t).Version, replies
		if _, err := w.act(a); errCode(err) != "bad_request" {
			t.Errorf("%s: %v", p, err)
		}
	}
	if w.view(t).Strangers.Replies {
		t.Error("it was set all the same")
	}
	out, err := w.Gate.Do(t.Context(), callOf(t, channel.SendArgs{
		Channel: "email", ID: "01975000-0000-7000-8000-000000000002", Kind: "person", To: stranger, Subject: "x", Text: "x",
	}), func(bool) {})
	if err != nil || out.State != wire.ToolDenied || len(w.others(t)) != 0 {
		t.Errorf("what no person has written: %+v %v", out, err)
	}
}

// TestStranger_stop: STOP takes back what waits and ends everything; START lets them be answered again.
func TestStranger_stop(t *testing.T) {
	t.Parallel()
	w := openTo(t, wire.StrangerSettings{})
	w.write(t, from(stranger, "<1@x>", "What is the price?", true), "Five euros.")
	a := w.request(t, 1)
	open := w.write(t, from(stranger, "<2@x>", "Still there?", true), "")
	w.came(from(stranger, "<3@x>", "Stop!", true))
	if m := w.sentTo(t, 1); m.Text != "You get no more messages from us here. Write START when you want to go on." {
		t.Errorf("%+v", m)
	}
	until(t, "the request is withdrawn", func() bool { p, err := w.Pending(a.RunID); return err == nil && len(p) == 0 })
	if err := w.Decide(decision(a, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	w.answer(t, open.RunID, "Yes, I am.")
	w.came(from(stranger, "<4@x>", "Hello?", true), from(stranger, "<5@x>", "START", true))
	if m := w.sentTo(t, 2); !strings.HasPrefix(m.Text, "You get answers again.") {
		t.Errorf("%+v", m)
	}
	if n := len(w.all(t)); n != 2 {
		t.Errorf("%d runs", n)
	}
	w.write(t, from(stranger, "<6@x>", "What is the price?", true), "")
}

// TestStranger_person: who asks for a person gets one. The agent is silent there, what they write stands in the conversation, a person
// answers by the channel, and the agent goes on when it gets the conversation back.
func TestStranger_person(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	w.write(t, from(stranger, "<1@x>", "Can you help me?", true), "I can try.")
	w.sentTo(t, 1)
	if s := w.write(t, from(stranger, "<2@x>", "Person", true), ""); s.Say == "" {
		t.Errorf("a model is asked: %+v", s)
	}
	if m := w.sentTo(t, 2); !strings.HasPrefix(m.Text, "I have told a person of the business") {
		t.Errorf("%+v", m)
	}
	s := w.write(t, from(stranger, "<3@x>", "It is about my order", true), "This must not go out.")
	if s.Say == "" || !strings.Contains(s.Text, "It is about my order") {
		t.Errorf("%+v", s)
	}
	until(t, "the owner is told", func() bool { return len(w.sent(t)) == len(w.others(t))+1 })
	for _, m := range w.sent(t) {
		if m.To == owner && m.Page != "https://hub.example/app/channels" {
			t.Errorf("it leads to %q", m.Page)
		}
	}
	who := w.known(t)[0]
	if who.State != wire.StrangerPerson || w.view(t).Wrote.Person != 1 {
		t.Errorf("%+v", who)
	}
	text := wire.ChannelAct{Do: wire.ChannelDoWrite, Person: who.ID, Text: "It comes on Monday.", Version: w.view(t).Version}
	if _, err := w.unsigned(text); errCode(err) != "signature_required" {
		t.Errorf("without a signature: %v", err)
	}
	if _, err := w.act(text); err != nil {
		t.Fatal(err)
	}
	if m := w.sentTo(t, 3); m.Text != "It comes on Monday." || m.To != stranger || m.Reply.ID != "<3@x>" {
		t.Errorf("%+v", m)
	}
	if _, err := w.unsigned(wire.ChannelAct{Do: wire.ChannelDoBack, Person: who.ID}); err != nil {
		t.Fatal(err)
	}
	if s := w.write(t, from(stranger, "<4@x>", "Thank you for that", true), "You are welcome."); s.Say != "" {
		t.Errorf("%+v", s)
	}
	if m := w.sentTo(t, 4); m.Text != "You are welcome." {
		t.Errorf("%+v", m)
	}
}

// TestStranger_personMany: however many ask for a person, the owner is told five times within an hour, and the page shows all of them.
func TestStranger_personMany(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	asks := func(n int) {
		t.Helper()
		w.write(t, from(fmt.Sprintf("p%d@elsewhere.example", n), fmt.Sprintf("<%d@x>", n), "Person", true), "")
	}
	told := func(want int) {
		t.Helper()
		all, err := w.columnOf("SELECT address FROM channel_outbox WHERE kind = 'told'")
		if err != nil || len(all) != want {
			t.Errorf("told %v, %v", all, err)
		}
	}
	for n := range 7 {
		asks(n)
	}
	told(5)
	if n := w.view(t).Wrote.Person; n != 7 {
		t.Errorf("%d wait for a person", n)
	}
	w.pass(61 * time.Minute)
	asks(7)
	told(6)
}

// TestStranger_limits: one stranger who writes on and on is told once, and uses up nothing of what others may.
func TestStranger_limits(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	for i := range wire.MaxStrangerHour {
		w.write(t, from(stranger, fmt.Sprintf("<%d@x>", i), "More of the same", true), "No.")
		w.sentTo(t, i+1)
	}
	w.came(from(stranger, "<a@x>", "More", true), from(stranger, "<b@x>", "And more", true))
	if m := w.sentTo(t, wire.MaxStrangerHour+1); !strings.HasPrefix(m.Text, "You have written more than the AI assistant can answer") {
		t.Errorf("%+v", m)
	}
	until(t, "both are refused", func() bool { return w.view(t).Counts.Refused == 2 })
	w.write(t, from("other@elsewhere.example", "<c@x>", "Hello", true), "Hello.")
	w.sentTo(t, wire.MaxStrangerHour+2)
	w.pass(61 * time.Minute)
	w.write(t, from(stranger, "<d@x>", "Hello again", true), "")
}

// TestStranger_pages: the list comes in pages, who wrote last first.
func TestStranger_pages(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	for i := range 5 {
		w.write(t, from(fmt.Sprintf("p%d@elsewhere.example", i), fmt.Sprintf("<%d@x>", i), "Hello", true), "Hello.")
	}
	var seen []string
	p := wire.ChannelStrangersParams{Channel: wire.ChannelEmail, Limit: 2}
	for range 3 {
		got, err := ask[wire.ChannelStrangersResult](w, wire.MethodChannelStrangers, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range got.Items {
			seen = append(seen, s.Address[:2])
		}
		p.After = got.Next
	}
	if !slices.Equal(seen, []string{"p4", "p3", "p2", "p1", "p0"}) || p.After != "" {
		t.Errorf("%v, then %q", seen, p.After)
	}
	p.After = "nowhere"
	if _, err := ask[wire.ChannelStrangersResult](w, wire.MethodChannelStrangers, p); errCode(err) != "bad_request" {
		t.Errorf("%v", err)
	}
	if _, err := w.unsigned(wire.ChannelAct{Do: wire.ChannelDoTake, Person: w.known(t)[0].ID}); err != nil {
		t.Fatal(err)
	}
	p.After, p.State = "", wire.StrangerPerson
	got, err := ask[wire.ChannelStrangersResult](w, wire.MethodChannelStrangers, p)
	if err != nil || len(got.Items) != 1 || got.Items[0].Address != "p4@elsewhere.example" {
		t.Errorf("%+v %v", got, err)
	}
}
