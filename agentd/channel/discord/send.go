package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
)

// outgoing is a message as Discord takes it.
type outgoing struct {
	Text    string     `json:"content"`
	Rows    []row      `json:"components"`
	Flags   int        `json:"flags"`
	Names   names      `json:"allowed_mentions"`
	Nonce   string     `json:"nonce,omitempty"`
	Once    bool       `json:"enforce_nonce,omitempty"`
	Answers *reference `json:"message_reference,omitempty"`

	Attached []attached `json:"attachments,omitempty"`
	files    []channel.File
}

// noPreview keeps Discord from fetching the addresses in a text, some of which can be used once.
const noPreview = 1 << 2

// names says whom a text may call. It is nobody, whatever it says.
type names struct {
	Parse []string `json:"parse"`
}

// reference is the message that another one answers.
type reference struct {
	ID   string `json:"message_id"`
	Must bool   `json:"fail_if_not_exists"`
}

// row is a row of buttons.
type row struct {
	Type    int      `json:"type"`
	Buttons []button `json:"components"`
}

type button struct {
	Type  int    `json:"type"`
	Style int    `json:"style"`
	Label string `json:"label"`
	Data  string `json:"custom_id"`
}

// Numbers of Discord for rows and buttons, and how many buttons a row has.
const (
	typeRow    = 1
	typeButton = 2
	styleGrey  = 2
	inRow      = 5
)

// Send implements channel.Channel. Discord knows the repeat of a message by its nonce for some minutes, so one of which no answer came is
// sent again at once, and only when that does not help either is its outcome open.
func (b *Bot) Send(ctx context.Context, p gate.Permit, o channel.Outbound) (channel.Delivery, error) {
	api, err := b.open(ctx)
	if err != nil {
		return channel.Delivery{}, tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	if wait := b.quiet.For(b.env.Now()); wait > 0 {
		return channel.Delivery{}, &channel.Later{Text: "Discord asks to wait.", After: wait}
	}
	if err := p.Redeem(o.Args); err != nil {
		return channel.Delivery{}, tool.Refuse("The permit to send was over. Nothing was sent.")
	}
	chat, err := b.chatWith(ctx, api, o.To)
	if err != nil { // which sends nothing, whatever came of it
		if no := b.quiet.Noted(refusedFor(ctx, err), b.env.Now()); no != nil {
			return channel.Delivery{}, no
		}
		return channel.Delivery{}, tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	parts := channel.Split(shown(o), maxText)
	if o.Edit != "" {
		return b.replace(ctx, api, o, chat, parts[len(parts)-1])
	}
	last := ""
	for i := range parts {
		if last, err = b.part(ctx, api, o, chat, parts, i); err != nil {
			return channel.Delivery{}, err
		}
	}
	return channel.Delivery{ID: place(chat, last)}, nil
}

// shown is the text of a message. Beneath which there are buttons, that is shown sign by sign: no word of a request may hide behind a
// link or a bar, or show itself as something else.
func shown(o channel.Outbound) string {
	if len(o.Buttons) == 0 {
		return o.Text
	}
	return plain.Replace(o.Text)
}

var plain = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "|", `\|`, ">", `\>`, "<", `\<`, "#", `\#`,
	"[", `\[`, "]", `\]`)

// part sends one of the messages that a text has become. Once the first is out, the outcome of the whole is open: what Discord does not
// take at once is waited for, and what it refuses leaves a part of an answer.
func (b *Bot) part(ctx context.Context, api *client, o channel.Outbound, chat string, parts []string, i int) (string, error) {
	m := outgoing{Text: parts[i], Flags: noPreview, Names: names{[]string{}}, Nonce: nonce(o.ID, i), Once: o.ID != ""}
	if i == 0 && strings.HasPrefix(o.To, hash) {
		m.Answers = below(o, chat)
	}
	if i == len(parts)-1 {
		m.Rows, m.Attached, m.files = rows(o.Buttons), namesOf(o.Files), o.Files
	}
	return channel.SendPart(ctx, channel.Part[string]{
		N: i, Of: len(parts),
		Post:    func() (string, error) { return b.post(ctx, api, chat, m) },
		Refused: func(err error) error { return b.quiet.Noted(refusedFor(ctx, err), b.env.Now()) },
		Trouble: func(err error) *channel.Trouble { return troubleOf(ctx, err) },
	})
}

// A message of which no answer came is sent so often in all, with these times between.
const maxPosts = 3

var againAfter = time.Second

// post sends one message, and gives its number. Once an answer was missing, what is said about a repeat says nothing about the first.
func (*Bot) post(ctx context.Context, api *client, chat string, m outgoing) (id string, err error) {
	var sent struct {
		ID string `json:"id"`
	}
	for try := range maxPosts {
		again := api.call(ctx, http.MethodPost, "/channels/"+chat+"/messages", m, &sent)
		if again == nil && isNumber(sent.ID) {
			return sent.ID, nil
		}
		if again == nil {
			again = errEnded
		}
		wait := againAfter << try
		after, busy := retryAfter(again)
		if busy {
			wait = after
		}
		sure := refusedFor(ctx, again) != nil
		switch {
		case try == 0 && sure:
			return "", again
		case sure && !busy, m.Nonce == "", try+1 == maxPosts, wait > maxAgain, channel.Rest(ctx, wait) != nil:
			return "", errOpen
		}
	}
	return "", errOpen
}

// maxAgain is how long a repeat may wait: Discord knows it for some minutes.
const maxAgain = 20 * time.Second

// errOpen is how a message ends of which nobody knows whether Discord has it.
var errOpen = &channel.Trouble{Text: "Discord has not said whether it has the message."}

// nonce names one part of a message to Discord, in at most 25 characters.
func nonce(id string, part int) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", id, part))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// replace puts a text in the place of a message. Doing so twice does no more than once.
func (b *Bot) replace(ctx context.Context, api *client, o channel.Outbound, chat, text string) (channel.Delivery, error) {
	of, id, _ := strings.Cut(o.Edit, "/")
	if of != chat || !isNumber(id) {
		return channel.Delivery{}, tool.Refuse("This is no message of the bot. Nothing was changed.")
	}
	m := outgoing{Text: text, Flags: noPreview, Names: names{[]string{}}, Rows: rows(o.Buttons)}
	err := api.call(ctx, http.MethodPatch, "/channels/"+chat+"/messages/"+id, m, nil)
	if err == nil {
		return channel.Delivery{ID: o.Edit}, nil
	}
	if no := b.quiet.Noted(refusedFor(ctx, err), b.env.Now()); no != nil {
		return channel.Delivery{}, no
	}
	return channel.Delivery{}, troubleOf(ctx, err)
}

// below has an answer in a group stand beneath what it answers.
func below(o channel.Outbound, chat string) *reference {
	of, id, _ := strings.Cut(o.Reply.ID, "/")
	if of != chat || !isNumber(id) {
		return nil
	}
	return &reference{ID: id}
}

// rows shows buttons. Without any there are no rows, which takes those of a message away that is changed.
func rows(buttons []channel.Button) []row {
	all := []row{}
	for i, one := range buttons {
		if i%inRow == 0 {
			all = append(all, row{Type: typeRow})
		}
		last := &all[len(all)-1]
		last.Buttons = append(last.Buttons, button{Type: typeButton, Style: styleGrey, Label: one.Label, Data: one.Data})
	}
	return all
}
