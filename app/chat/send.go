package chat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/server"
)

// Dispatcher is the agent that one talks to by default.
const Dispatcher = "dispatcher"

// MaxText is how many characters a message may have.
const MaxText = 32_000

// Message is what a person writes to an agent.
type Message struct {
	SessionID string // of the conversation; empty: a new one
	Agent     string // empty: the dispatcher
	Text      string
	Files     []string // that go with it: paths beneath the data folder, of files that are there
	// Once is the same for every try to send this message; empty: a try of its own. With another text, or other files, it is
	// another message.
	Once string
}

// Sent says where the answer will come.
type Sent struct {
	RunID     string
	SessionID string
	Queued    bool // the server is away: the message waits, sealed, and is delivered when it is back
	Ended     bool // a repeat, whose run has ended meanwhile
	Moved     bool // the conversation was over, and another one goes on from it
}

var agentID = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

// Send gives a message to the customer's team. It returns when the message is durable: on the server, or sealed in
// the outbox when the server is away. The server takes a run id once, so both ways may deliver, and a message that was
// sent before has the run id that it had then.
func (s *Service) Send(ctx context.Context, of account.CustomerID, from wire.Origin, m Message) (Sent, error) {
	if err := m.complete(); err != nil {
		return Sent{}, err
	}
	if s.Standing != nil {
		if err := s.Standing.Paused(ctx, of); err != nil {
			return Sent{}, err
		}
	}
	at, err := s.placeOf(ctx, of, from, m)
	if err != nil {
		return Sent{}, err
	}
	body := wire.ChatMessage{
		RunID: at.RunID, SessionID: at.SessionID, Agent: m.Agent, Text: m.Text, Files: m.Files, Time: s.Now().UTC(), From: from,
	}
	sent := Sent{RunID: at.RunID, SessionID: at.SessionID}
	ack, err := server.Ask[wire.ChatAck](ctx, s.Peer, of, wire.MethodChatPost, body, postWait)
	if err == nil || !isAway(err) {
		sent.Ended = ack.State != "" && !ack.State.Open()
		if uuid.Validate(ack.SessionID) == nil {
			sent.SessionID, sent.Moved = ack.SessionID, true
		}
		return sent, err
	}
	sent.Queued = true
	return sent, s.queue(ctx, of, wire.TypeChatMessage, body)
}

// complete fills in what was left out and says what does not fit.
func (m *Message) complete() error {
	bad := map[string]string{}
	m.Text = strings.TrimSpace(m.Text)
	switch n := utf8.RuneCountInString(m.Text); {
	case m.Text == "":
		bad["text"] = "Write something first."
	case n > MaxText:
		bad["text"] = fmt.Sprintf("This is %d characters too long. Shorten it, or send it in parts.", n-MaxText)
	case !utf8.ValidString(m.Text) || strings.ContainsRune(m.Text, 0):
		bad["text"] = "This has characters that are no text. Nothing was sent; type it, or paste it from a text editor."
	}
	if m.Agent == "" {
		m.Agent = Dispatcher
	}
	if !agentID.MatchString(m.Agent) {
		bad["agent"] = "There is no agent of that name."
	}
	if m.SessionID != "" && uuid.Validate(m.SessionID) != nil {
		bad["session_id"] = "This is not an id of ours."
	}
	switch {
	case len(m.Files) > wire.MaxFiles:
		bad["files"] = fmt.Sprintf("A message can have at most %d files. Nothing was sent.", wire.MaxFiles)
	case slices.ContainsFunc(m.Files, func(name string) bool { return !isPath(name) }):
		bad["files"] = "This is not the path of a file on your server. Nothing was sent."
	}
	if len(bad) > 0 {
		return fault.Bad(bad)
	}
	return nil
}

// maxPath is how many bytes the path of a file may have.
const maxPath = 4096

// isPath reports whether a name can be the path of a file beneath the data folder; whether there is such a file, the server
// knows.
func isPath(name string) bool {
	return name != "." && len(name) <= maxPath && fs.ValidPath(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

// queue keeps a frame for the customer's server, which is away, and wakes the link in case it has come back meanwhile.
func (s *Service) queue(ctx context.Context, of account.CustomerID, t wire.Type, body any) error {
	id, err := s.Servers.ServerOf(ctx, of)
	if err != nil {
		return fmt.Errorf("queue %s: %w", t, err)
	}
	key, err := s.Outbox.SealKey(ctx, id)
	if err != nil {
		return fmt.Errorf("queue %s: %w", t, err)
	}
	f, err := relay.NewFrame(t, key, body, s.Now())
	if err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	if err := s.Outbox.Put(ctx, id, f); err != nil {
		return fmt.Errorf("queue %s: %w", t, err)
	}
	if err := s.Live.Nudge(string(id)); err != nil {
		s.Log.WarnContext(ctx, "link not told of message", "server_id", id, "error", err)
	}
	return nil
}

// isAway says whether a server could not be reached, as opposed to having refused.
func isAway(err error) bool {
	var f *fault.Fault
	return errors.As(err, &f) && f.Kind == fault.Away
}
