package googlechat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
)

// outgoing is a message as Google takes it.
type outgoing struct {
	Text   string  `json:"text"`
	Cards  []card  `json:"cardsV2"`
	Thread *thread `json:"thread,omitempty"`
}

// card is one with a row of buttons.
type card struct {
	ID   string `json:"cardId"`
	Card struct {
		Sections []section `json:"sections"`
	} `json:"card"`
}

type section struct {
	Widgets []widget `json:"widgets"`
}

type widget struct {
	Buttons struct {
		All []button `json:"buttons"`
	} `json:"buttonList"`
}

type button struct {
	Text    string `json:"text"`
	OnClick struct {
		Action struct {
			Function   string      `json:"function"`
			Parameters []parameter `json:"parameters"`
		} `json:"action"`
	} `json:"onClick"`
}

// dataKey names the parameter of a button that holds its data.
const dataKey = "data"

// Send implements channel.Channel.
func (a *App) Send(ctx context.Context, p gate.Permit, o channel.Outbound) (channel.Delivery, error) {
	if _, err := a.open(ctx); err != nil {
		return channel.Delivery{}, tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	if wait := a.quiet.For(a.env.Now()); wait > 0 {
		return channel.Delivery{}, &channel.Later{Text: "Google Chat asks to wait.", After: wait}
	}
	if err := p.Redeem(o.Args); err != nil {
		return channel.Delivery{}, tool.Refuse("The permit to send was over. Nothing was sent.")
	}
	space, err := a.chatWith(ctx, o.To)
	if err != nil { // which sends nothing, whatever came of it
		a.fails(ctx, keyAlone(err))
		if no := a.quiet.Noted(refusedFor(ctx, err), a.env.Now()); no != nil {
			return channel.Delivery{}, no
		}
		return channel.Delivery{}, tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	parts := texts(o)
	if o.Edit != "" {
		return a.replace(ctx, o, space, parts[len(parts)-1])
	}
	last := ""
	for i := range parts {
		if last, err = a.part(ctx, o, space, parts, i); err != nil {
			return channel.Delivery{}, err
		}
	}
	return channel.Delivery{ID: last}, nil
}

// texts are the messages that a text becomes. A request is shown sign by sign.
func texts(o channel.Outbound) []string {
	if len(o.Buttons) == 0 {
		return channel.Split(o.Text, maxText)
	}
	shown, asks := channel.Verbatim(o.Text, maxText, maxText)
	return append(shown, asks)
}

// part sends one of the messages that a text has become. Once the first is out, the outcome of the whole is open: what Google does not take
// at once is waited for, and what it refuses leaves a part of an answer.
func (a *App) part(ctx context.Context, o channel.Outbound, space string, parts []string, i int) (string, error) {
	m := outgoing{Text: parts[i], Cards: []card{}}
	if i == len(parts)-1 {
		m.Cards = cards(o.Buttons)
	}
	if _, name := placed(o.Reply.ID, space); name != "" {
		m.Thread = &thread{name}
	}
	return channel.SendPart(ctx, channel.Part[string]{
		N: i, Of: len(parts),
		Post: func() (string, error) { return a.post(ctx, space, m, requestID(o.ID, i)) },
		Refused: func(err error) error {
			a.fails(ctx, keyAlone(err))
			return a.quiet.Noted(refusedFor(ctx, err), a.env.Now())
		},
		Trouble: func(err error) *channel.Trouble { return troubleOf(ctx, err) },
	})
}

// keyAlone leaves of an error what says that the key is not taken: other refusals of a message say nothing about the channel.
func keyAlone(err error) error {
	if errors.Is(err, errKey) || isStale(err) {
		return err
	}
	return nil
}

// A message of which no answer came is sent so often in all, with these times between.
const maxPosts = 3

var againAfter = time.Second

// maxAgain is how long a repeat may wait.
const maxAgain = 20 * time.Second

// errOpen is how a message ends of which nobody knows whether Google has it.
var errOpen = &channel.Trouble{Text: "Google Chat has not said whether it has the message."}

// post sends one message, and names it. Once an answer was missing, what is said about a repeat says nothing about the first.
func (a *App) post(ctx context.Context, space string, m outgoing, request string) (id string, err error) {
	q := url.Values{"messageReplyOption": {"REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD"}}
	if request != "" {
		q.Set("requestId", request)
	}
	for try := range maxPosts {
		var sent message
		again := a.call(ctx, http.MethodPost, "/v1/"+space+"/messages?"+q.Encode(), m, &sent)
		if name, _ := placed(sent.Name, space); again == nil && name != "" {
			return place(sent), nil
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
		case sure && !busy, request == "", try+1 == maxPosts, wait > maxAgain, channel.Rest(ctx, wait) != nil:
			return "", errOpen
		}
	}
	return "", errOpen
}

// requestID names one part of a message to Google, in the form of a UUID.
func requestID(id string, part int) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", id, part))
	s := hex.EncodeToString(sum[:16])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// replace puts a text in the place of a message, and takes its buttons away or puts others there. Doing so twice does no more than once.
func (a *App) replace(ctx context.Context, o channel.Outbound, space, text string) (channel.Delivery, error) {
	name, _ := placed(o.Edit, space)
	if name == "" {
		return channel.Delivery{}, tool.Refuse("This is no message of the app. Nothing was changed.")
	}
	err := a.call(ctx, http.MethodPatch, "/v1/"+name+"?updateMask=text,cardsV2", outgoing{Text: text, Cards: cards(o.Buttons)}, nil)
	if err == nil {
		return channel.Delivery{ID: o.Edit}, nil
	}
	a.fails(ctx, keyAlone(err))
	if no := a.quiet.Noted(refusedFor(ctx, err), a.env.Now()); no != nil {
		return channel.Delivery{}, no
	}
	return channel.Delivery{}, troubleOf(ctx, err)
}

// cards shows buttons. Without any there are no cards, which takes those of a message away that is changed.
func cards(buttons []channel.Button) []card {
	if len(buttons) == 0 {
		return []card{}
	}
	var w widget
	for _, one := range buttons {
		b := button{Text: one.Label}
		b.OnClick.Action.Function = "press"
		b.OnClick.Action.Parameters = []parameter{{dataKey, one.Data}}
		w.Buttons.All = append(w.Buttons.All, b)
	}
	c := card{ID: "request"}
	c.Card.Sections = []section{{Widgets: []widget{w}}}
	return []card{c}
}
