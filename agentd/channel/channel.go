package channel

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Channel is one provider of messages.
type Channel interface {
	// Name is that of the channel.
	Name() string
	// Run hands on what comes until ctx ends or the connection does. Its error is a *Trouble where a person can help.
	Run(ctx context.Context, inbox chan<- Inbound) error
	// Send sends a message, or with m.Edit puts it in the place of one. It redeems the permit for m.Args before its first effect.
	// An error of type *tool.Refused or *Later says that nothing was sent; any other leaves that open. A text that is longer than
	// one message may be is sent as several (Split). Once a part of it or a file is out, the outcome of the whole is open.
	Send(ctx context.Context, p gate.Permit, m Outbound) (Delivery, error)
	// Capabilities says what the provider can do.
	Capabilities() Capabilities
	// Check signs in and says, in words for people, what does not work; empty texts: all does.
	Check(ctx context.Context) (reads, sends string)
}

// Typer is a channel that can show that an answer is being written. What goes wrong with it is nobody's concern.
type Typer interface {
	// Typing shows it to somebody for some seconds.
	Typing(ctx context.Context, to string)
}

// Settings are what a person has set for a channel; which of them count, its kind knows.
type Settings struct {
	Mail wire.MailSettings
	Chat wire.ChatSettings
}

// Env is what a channel gets from the server.
type Env struct {
	Cursor   string                                          // how far its messages were taken; empty: nothing was
	Password func(ctx context.Context) (secret.Value, error) // empty: there is none
	// Heard is when somebody wrote or pressed last; zero: never.
	Heard func(ctx context.Context, address string) (time.Time, error)
	// Hook is the address to which the provider brings messages; empty: it is asked for them. OurHook says whether an address is, or was,
	// such a one of this server's hub.
	Hook    string
	OurHook func(address string) bool
	BaseURL string               // that stands in for the provider's; empty: its own
	Up      func(account string) // to be called when Run can take messages: as whom, if settings do not say
	Now     func() time.Time
	Log     *slog.Logger
}

// Kind is one kind of channel.
type Kind struct {
	// Make makes a channel of its settings. An error of type *wire.RPCError says what is wrong with them.
	Make func(s Settings, e Env) (Channel, error)
	// Address gives an address in the form in which addresses are compared, or an error that says it is none.
	Address func(s string) (string, error)
	// Secrets names what Env.Password holds, where that is an object of several (Fields). None: it is one text.
	Secrets []string
	// MaySecrets names what the object may hold besides.
	MaySecrets []string
	// NoSecret: it signs in without one.
	NoSecret bool
}

// Capabilities are what a provider can do.
type Capabilities struct {
	Threads  bool  // answers stand beneath what they answer
	Buttons  bool  // else those of a message are left out
	Edits    bool  // a message that was sent can be replaced
	Allows   bool  // a press or a message there shows for sure who it is from, and may allow what the gate lets a channel allow
	MaxText  int   // characters of one message; 0: no limit
	MaxFile  int64 // bytes of one file
	MaxFiles int   // of one message

	SendBytes int64 // of all files together that go with one answer
	SendFiles int   // that go with one answer; 0: none do
}

// Inbound is a message that came, in the form that all channels share.
type Inbound struct {
	Cursor string // how far the provider's messages are taken with it
	ID     string // of the provider, by which a repeat is known; empty: only the cursor moves
	Time   time.Time

	Address string // of the sender, in the form in which addresses are compared
	Name    string // what they call themselves, which anybody can
	Group   string // of several people in which it was written; empty: it was written to this server alone
	Edited  bool   // it stands in the place of one that came before
	Press   *Press // a button was pressed, and nothing written
	Proven  bool   // it is the sender's for sure
	Forged  bool   // the provider says that it is not
	Why     string // it is not Proven, in words that follow "because"
	Skip    string // why it is never answered: a machine has sent it, or this server; empty: it is answered

	Refs    []string // messages of the conversation that it belongs to, newest first
	Subject string
	Text    string                                                  // what the sender wrote
	Quoted  string                                                  // what they quoted or forwarded
	Further string                                                  // texts that stand beside what they wrote, and may be anybody's
	Forward bool                                                    // it is somebody else's message that they pass on
	Files   []File                                                  // attached
	Fetch   func(ctx context.Context) (files []File, left []string) // gets more, and says what it cannot get; nil: there are none
	Left    []string                                                // what was left out, in words for the reader
	Reply   Reply

	Report *Report // nothing was written: the provider says what became of a message of ours
	Taken  func()  // called once the message is durable; nil: nobody waits for it
}

// Report is what a provider says later about a message that it took.
type Report struct {
	On    string // the provider's id of our message
	ID    string // Outbound.ID, if the provider gives it back with the last part of a message; empty: it does not
	State ReportState
	Why   string // it failed, in words for people
}

// ReportState is how far a message has come.
type ReportState string

// The states, in their order. What failed has reached nobody.
const (
	Sent      ReportState = "sent"
	Delivered ReportState = "delivered"
	Seen      ReportState = "read"
	Failed    ReportState = "failed"
)

// Press says which button was pressed.
type Press struct {
	Data string // of the button
	On   string // the provider's id of the message that it stands beneath
}

// Button stands beneath a message. What is pressed comes back as a Press, whose data anybody may have made.
type Button struct {
	Label string `json:"label"`
	Data  string `json:"data"` // 64 bytes at most
}

// File is an attached file.
type File struct {
	Name string // safe to be the name of a file
	Data []byte
}

// Reply is what an answer needs to know about the message it answers.
type Reply struct {
	ID      string   `json:"id"`           // of the message
	To      string   `json:"to,omitempty"` // where the answer goes; empty: to who wrote it
	Refs    []string `json:"refs"`         // oldest first
	Subject string   `json:"subject"`
	Note    string   `json:"note,omitempty"` // stands above the answer
}

// Outbound is a message that is to be sent.
type Outbound struct {
	ID      string // names it; the provider's id is made of it
	To      string
	Subject string
	Text    string
	Buttons []Button // without Capabilities.Buttons there are none
	Edit    string   // the provider's id of our message that this one replaces, buttons and all; empty: it is a new one
	Files   []File   // go with it, within Capabilities; with Edit or Buttons there are none
	Reply   Reply
	Page    string          // where the owner reads and decides the same in the portal; empty: it is for somebody else
	Args    json.RawMessage // for which the permit was given
}

// Delivery is what the provider said about a message that it has taken.
type Delivery struct {
	ID string // of the provider; of several messages, that of the last, which has the buttons
}

// Later says that the provider takes no message now, and that nothing was sent.
type Later struct {
	Text  string
	After time.Duration // what it asks to wait; 0: it does not say
}

func (l *Later) Error() string { return l.Text }

// Trouble is why a channel does not run.
type Trouble struct {
	Text string // for people
	Hard bool   // trying again alone does not help: a person has to do something
}

func (t *Trouble) Error() string { return t.Text }
