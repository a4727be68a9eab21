package inbox

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

func reader(t testing.TB, r ui.Request) context.Context {
	t.Helper()
	return ui.With(t.Context(), r)
}

func waiting(id string) CardProps {
	return CardProps{
		ID: id, Code: "ABC234", Base: "/app/approvals", Tier: "yellow_external", Agent: ui.Agent{ID: "secretary", Name: "Secretary"},
		Tool: "message", Action: "mail.message.send", Summary: "E-mail someone@example.com: Hours", Reason: "The owner asked for it.",
		WhyAsked: "It leaves the business.", Facts: []ui.Fact{{Value: "1", Name: "recipient"}}, Session: "s", Run: "r", Digest: "d-" + id,
		Draft: &ui.Draft{To: "someone@example.com", Subject: "Hours", Body: "We open at nine."}, Windows: []int{15, 60}, MayEdit: true,
		Created: noon, Expires: noon.Add(26 * time.Hour), State: "pending", Execution: "none",
	}
}

func drawn(t testing.TB, ctx context.Context, p CardProps, mode ui.Mode) string {
	t.Helper()
	var b strings.Builder
	if err := Card(p, mode).Render(ctx, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCard_keptIsTheSame: a card from memory is the card that is drawn anew, for every reader, time and state.
func TestCard_keptIsTheSame(t *testing.T) {
	t.Parallel()
	first := reader(t, ui.Request{CSRF: "one", Now: noon, Zone: time.UTC})
	drawn(t, first, waiting("a"), ui.Full)
	change := func(fn func(*CardProps)) CardProps { p := waiting("a"); fn(&p); return p }
	vienna := time.FixedZone("CET", 3600)
	for situation, c := range map[string]struct {
		ctx  context.Context
		p    CardProps
		mode ui.Mode
	}{
		"again":            {first, waiting("a"), ui.Full},
		"another sign-in":  {reader(t, ui.Request{CSRF: "two", Now: noon, Zone: time.UTC}), waiting("a"), ui.Full},
		"later":            {reader(t, ui.Request{CSRF: "one", Now: noon.Add(5 * time.Hour), Zone: time.UTC}), waiting("a"), ui.Full},
		"the next day":     {reader(t, ui.Request{CSRF: "one", Now: noon.Add(13 * time.Hour), Zone: time.UTC}), waiting("a"), ui.Full},
		"elsewhere":        {reader(t, ui.Request{CSRF: "one", Now: noon, Zone: vienna}), waiting("a"), ui.Full},
		"another language": {reader(t, ui.Request{CSRF: "one", Now: noon, Zone: time.UTC, Locale: i18n.Pseudo}), waiting("a"), ui.Full},
		"in a thread":      {first, waiting("a"), ui.Inline},
		"another approval": {first, waiting("b"), ui.Full},
		"edited":           {first, change(func(p *CardProps) { p.Digest, p.Summary = "e", "E-mail somebody@example.com" }), ui.Full},
		"agent renamed":    {first, change(func(p *CardProps) { p.Agent.Name = "Front desk" }), ui.Full},
		"allowed":          {first, change(func(p *CardProps) { p.State, p.Execution = "allowed", "queued" }), ui.Full},
		"not taken":        {first, change(func(p *CardProps) { p.Conflict = "The server is away." }), ui.Full},
		"on its own page":  {first, change(func(p *CardProps) { p.Alone = true }), ui.Full},
		"for staff":        {first, change(func(p *CardProps) { p.Staff, p.Customer = true, "Bakery" }), ui.Full},
	} {
		var fresh strings.Builder
		if err := card(c.p, c.mode).Render(c.ctx, &fresh); err != nil {
			t.Fatal(err)
		}
		if was, ok := Remembered(c.ctx, c.p, c.mode); ok && was != fresh.String() {
			t.Errorf("%s: another card is remembered", situation)
		}
		for range 2 {
			if got := drawn(t, c.ctx, c.p, c.mode); got != fresh.String() {
				t.Errorf("%s: the kept card differs:\n%s\n%s", situation, got, fresh.String())
			}
		}
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	var m Memory[int, string]
	for i := range 3 * remembered {
		m.Put(i, "x")
		if len(m.known) > remembered {
			t.Fatalf("%d are remembered", len(m.known))
		}
	}
	last := 3*remembered - 1
	if v, ok := m.Get(last); !ok || v != "x" {
		t.Error("the newest is not remembered")
	}
	m.forget()
	if _, ok := m.Get(last); ok {
		t.Error("what was forgotten is still there")
	}
	m.Put(1, "y")
	if v, _ := m.Get(1); v != "y" {
		t.Error("nothing is remembered any more")
	}
}

// BenchmarkListPage draws the inbox with 40 cards that wait.
func BenchmarkListPage(b *testing.B) {
	p := ListProps{Base: "/app/approvals", Total: 40}
	for i := range p.Total {
		p.Cards = append(p.Cards, waiting(fmt.Sprint("bench-", i)))
	}
	ctx := reader(b, ui.Request{CSRF: "one", Now: noon, Zone: time.UTC, Path: p.Base})
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := ListPage(layout.Frame{Title: "Approvals"}, p).Render(ctx, &out); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(out.Len()))
}
