package live

import (
	"context"
	"errors"

	"github.com/a-h/templ"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/relay"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// menu is what is pushed into every open page: how many approvals wait, that one came, that the server went or came.
type menu struct {
	*Stream
	of account.CustomerID

	count, server bool     // to be looked at again
	begun         bool     // the first look is over
	back          bool     // the server can be asked again: the page is to be brought up to date
	asked         []string // approvals that notices named since the last look
	shown         int
	away          bool // what the page says
	mute          bool // the server is linked, but does not answer
	bare          bool // the page was drawn without its server, and nothing but loading it again fills it
}

func (m *menu) notice(n relay.Notice) bool {
	switch n.Kind {
	case relay.KindApproval:
		m.count, m.asked = true, append(m.asked, n.ID)
		return true
	case relay.KindServer:
		m.server = true
		return true
	}
	return false
}

func (m *menu) flush(ctx context.Context) ([]templ.Component, error) {
	if !m.begun {
		m.begun, m.count, m.server, m.shown = true, true, true, -1
	}
	a, errA := m.flushCount(ctx)
	b, errB := m.flushServer(ctx)
	return append(a, b...), errors.Join(errA, errB)
}

func (m *menu) flushCount(ctx context.Context) ([]templ.Component, error) {
	if !m.count {
		return nil, nil
	}
	n, err := m.Inbox.Pending(ctx, m.of)
	if err != nil {
		return nil, err
	}
	m.count = false
	said := m.announce(ctx)
	if n == m.shown {
		return said, nil
	}
	m.shown = n
	return append(said, ui.PushBadge(frame.Badge, n)), nil
}

// announce says aloud which approvals have just come.
func (m *menu) announce(ctx context.Context) []templ.Component {
	var out []templ.Component
	for _, id := range m.asked {
		it, err := m.Inbox.Get(ctx, m.of, id)
		if err == nil && it.State == wire.ApprovalPending {
			out = append(out, ui.Say(i18n.T(ctx, "portal.say.asks", "agent", m.Agents.Agent(ctx, m.of, it.Agent).Name, "what", it.Summary)))
		}
	}
	m.asked = nil
	return out
}

// flushServer takes the banner down or puts it up when that changes.
func (m *menu) flushServer(ctx context.Context) ([]templ.Component, error) {
	if !m.server {
		return nil, nil
	}
	srv, err := m.Frames.Server(ctx, m.of)
	if err != nil {
		return nil, err
	}
	m.server = false
	away := m.mute || m.Frames.Unlinked(ctx, srv)
	if away == m.away {
		return nil, nil
	}
	m.away, m.back = away, !away
	switch {
	case away:
		return []templ.Component{portal.Banner(frame.Offline(ctx, srv, portal.Home))}, nil
	case m.bare:
		return []templ.Component{portal.BannerBack()}, nil
	}
	return []templ.Component{portal.Banner(nil)}, nil
}

// answers notes that the server answers again.
func (m *menu) answers() { m.mute, m.server = false, true }
