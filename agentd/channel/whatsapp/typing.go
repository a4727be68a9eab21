package whatsapp

import (
	"context"
	"net/http"
	"time"
)

// mark is the newest message of a person, and when it was shown last that it is being answered.
type mark struct {
	id    string
	shown time.Time
}

// maxMarks is of how many people the newest message is known.
const maxMarks = 500

// note notes the newest message of a person.
func (p *Phone) note(from, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.seen) >= maxMarks {
		p.seen = map[string]mark{}
	}
	p.seen[from] = mark{id: id}
}

// shownFor is how long WhatsApp shows that an answer is being written.
const shownFor = 20 * time.Second

// Typing implements channel.Typer: the person's newest message is marked as read, and it is shown that an answer is being written.
func (p *Phone) Typing(ctx context.Context, to string) {
	p.mu.Lock()
	m := p.seen[to]
	now := p.env.Now()
	due := m.id != "" && now.Sub(m.shown) >= shownFor
	if due {
		p.seen[to] = mark{m.id, now}
	}
	p.mu.Unlock()
	if !due {
		return
	}
	api, err := p.open(ctx)
	if err == nil {
		err = api.call(ctx, http.MethodPost, api.phone+"/messages", nil, map[string]any{
			"messaging_product": "whatsapp", "status": "read", "message_id": m.id, "typing_indicator": map[string]string{"type": "text"},
		}, nil)
	}
	if err != nil {
		p.env.Log.DebugContext(ctx, "typing not shown", "channel", p.Name(), "error", troubleOf(ctx, err).Text)
	}
}
