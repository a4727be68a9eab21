package turn

import (
	"strconv"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/ui"
	view "gatehouse/views/portal"

	cardview "gatehouse/views/inbox"
)

// Names finds how an agent is called.
type Names func(agent string) ui.Agent

// Answer is the whole bubble.
func (t *Turn) Answer(names Names) view.AnswerProps {
	return view.AnswerProps{
		Run: t.root, Agent: names(t.agent), State: string(t.State()), Why: t.reason(), Away: t.away && t.Open(),
		Asks: len(t.Waiting()), Work: t.work(t.runs[t.root], names), Note: t.note(), Evidence: t.evidence(),
	}
}

func (t *Turn) reason() string {
	if t.state == wire.RunQueued {
		return t.why
	}
	return ""
}

func (t *Turn) note() *view.NoteProps {
	if t.fault == nil {
		return nil
	}
	return &view.NoteProps{Kind: t.fault.Type, Detail: t.fault.Detail}
}

func (t *Turn) work(w *work, names Names) view.WorkProps {
	p := view.WorkProps{ID: view.WorkID(w.run)}
	for _, it := range w.items {
		p.Items = append(p.Items, t.item(it, names))
	}
	return p
}

func (t *Turn) item(it item, names Names) view.ItemProps {
	if it.text != nil {
		p := it.text.props()
		return view.ItemProps{Text: &p}
	}
	p := t.call(it.call, names)
	return view.ItemProps{Call: &p}
}

func (x *text) props() view.TextProps {
	return view.TextProps{ID: x.id(), Done: x.done, Tail: x.tail(), Cut: x.cut}
}

func (x *text) id() string { return view.TextID(x.run, strconv.Itoa(x.step)) }

func (t *Turn) call(c *call, names Names) view.CallProps {
	p := view.CallProps{
		ID: view.CallID(c.id), Tool: c.data.Tool, Tier: c.data.Tier, State: string(c.data.State), Summary: c.data.Summary,
		Took: time.Duration(c.data.MS) * time.Millisecond,
	}
	for _, a := range c.asks {
		p.Asks = append(p.Asks, t.card(a, names))
	}
	if c.child != nil {
		p.Hand = &view.HandProps{From: names(c.agent), To: names(c.child.agent), Work: t.work(c.child, names)}
	}
	return p
}

func (t *Turn) card(a *ask, names Names) cardview.CardProps {
	now := a.now()
	return card.Of(now, card.Look{Mode: cardview.Inline, Agent: func(id string) string { return names(id).Name }})
}

func (t *Turn) evidence() view.EvidenceProps {
	p := view.EvidenceProps{Run: t.root, Lazy: t.lazy, Receipts: Receipts(t.receipts)}
	if t.final == nil {
		return p
	}
	p.Verdict, p.Model = string(t.final.Verdict), t.final.Usage.Model
	p.Tokens = t.final.Usage.Input + t.final.Usage.Output
	p.Count = len(t.final.Receipts)
	for _, c := range t.final.Claims {
		p.Claims = append(p.Claims, claim(c))
	}
	return p
}

func claim(c wire.Claim) view.ClaimProps {
	return view.ClaimProps{Sentence: c.Sentence, Verdict: string(c.Verdict), Receipts: c.Receipts}
}
