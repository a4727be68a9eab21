package whatsapp

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
)

// outgoing is a message as WhatsApp takes it.
type outgoing struct {
	Product  string    `json:"messaging_product"`
	Whom     string    `json:"recipient_type"`
	To       string    `json:"to"`
	Type     string    `json:"type"`
	Text     *text     `json:"text,omitempty"`
	Pressed  *pressed  `json:"interactive,omitempty"`
	Template *template `json:"template,omitempty"`
	Answers  *answers  `json:"context,omitempty"`
	Ours     string    `json:"biz_opaque_callback_data,omitempty"` // comes back with what is reported about it
}

type text struct {
	Body    string `json:"body"`
	Preview bool   `json:"preview_url"`
}

type answers struct {
	ID string `json:"message_id"`
}

// pressed is a text with buttons.
type pressed struct {
	Type string `json:"type"`
	Body struct {
		Text string `json:"text"`
	} `json:"body"`
	Action struct {
		Buttons []button `json:"buttons"`
	} `json:"action"`
}

type button struct {
	Type  string `json:"type"`
	Reply struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	} `json:"reply"`
}

// template is a message that Meta has read before, with the words that are filled in.
type template struct {
	Name     string `json:"name"`
	Language struct {
		Code string `json:"code"`
	} `json:"language"`
	Parts []part `json:"components"`
}

type part struct {
	Type  string `json:"type"`
	Words []word `json:"parameters"`
}

type word struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Send implements channel.Channel. WhatsApp knows no repeat, so one of which no answer came is of unknown outcome until it is reported.
func (p *Phone) Send(ctx context.Context, permit gate.Permit, o channel.Outbound) (channel.Delivery, error) {
	api, err := p.open(ctx)
	if err != nil {
		return channel.Delivery{}, tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	all, err := p.messages(ctx, o)
	if err != nil {
		return channel.Delivery{}, err
	}
	if wait := p.quiet.For(p.env.Now()); wait > 0 {
		return channel.Delivery{}, &channel.Later{Text: "WhatsApp asks to wait.", After: wait}
	}
	if err := permit.Redeem(o.Args); err != nil {
		return channel.Delivery{}, tool.Refuse("The permit to send was over. Nothing was sent.")
	}
	last := ""
	for i := range all {
		if last, err = p.part(ctx, api, all, i); err != nil {
			return channel.Delivery{}, err
		}
	}
	return channel.Delivery{ID: last}, nil
}

// messages are those that a text becomes.
func (p *Phone) messages(ctx context.Context, o channel.Outbound) (all []outgoing, err error) {
	at, err := p.env.Heard(ctx, o.To)
	switch {
	case err != nil:
		return nil, tool.Refuse("It is not known when the person wrote last. Nothing was sent.")
	case p.env.Now().Sub(at) < window:
		all = texts(o)
	case o.Page == "":
		return nil, tool.Refuse("The person has not written for a day, and WhatsApp then lets only a template pass. It is for people who " +
			"use the portal. Nothing was sent.")
	case p.set.Template == "":
		return nil, tool.Refuse("The person has not written for a day, and WhatsApp then lets only a template pass. None is set for " +
			"this channel. Nothing was sent; it stands in the portal.")
	default:
		all = []outgoing{p.outside(o)}
	}
	for i := range all {
		all[i].Product, all[i].Whom, all[i].To = "whatsapp", "individual", o.To
	}
	if id := o.Reply.ID; strings.HasPrefix(id, "wamid.") && all[0].Template == nil {
		all[0].Answers = &answers{id}
	}
	all[len(all)-1].Ours = o.ID
	return all, nil
}

// outside is what may be sent to somebody who has not written for a day: where in the portal it stands.
func (p *Phone) outside(o channel.Outbound) outgoing {
	t := &template{Name: p.set.Template, Parts: []part{{Type: "body", Words: []word{{Type: "text", Text: o.Page}}}}}
	t.Language.Code = p.set.Language
	return outgoing{Type: "template", Template: t}
}

// texts are the messages of a text. A request is shown sign by sign, so that none of it hides behind a line through it, and what can be
// done about it stands in a message of its own with the buttons, which takes less.
func texts(o channel.Outbound) (all []outgoing) {
	plain := func(s string) { all = append(all, outgoing{Type: "text", Text: &text{Body: s}}) }
	buttons := o.Buttons[:min(len(o.Buttons), maxButtons)]
	if len(buttons) == 0 {
		for _, one := range channel.Split(o.Text, maxText) {
			plain(one)
		}
		return all
	}
	shown, asks := channel.Verbatim(o.Text, maxText, maxPressed)
	for _, one := range shown {
		plain(one)
	}
	b := &pressed{Type: "button"}
	b.Body.Text = asks
	for _, one := range buttons {
		next := button{Type: "reply"}
		next.Reply.ID, next.Reply.Title = one.Data, clipped(one.Label, maxLabel)
		b.Action.Buttons = append(b.Action.Buttons, next)
	}
	return append(all, outgoing{Type: "interactive", Pressed: b})
}

func clipped(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// part sends one of the messages that a text has become. Once the first is out, the outcome of the whole is open: what WhatsApp does not
// take at once is waited for, and what it refuses leaves a part of an answer.
func (p *Phone) part(ctx context.Context, api *client, all []outgoing, i int) (string, error) {
	return channel.SendPart(ctx, channel.Part[string]{
		N: i, Of: len(all),
		Post: func() (string, error) { return post(ctx, api, all[i]) },
		Refused: func(err error) error {
			p.fails(ctx, tokenAlone(err))
			return p.noted(refusedFor(ctx, err), err)
		},
		Trouble: func(err error) *channel.Trouble { return troubleOf(ctx, err) },
	})
}

// tokenAlone leaves of an error what says that the token is not taken: other refusals of a message say nothing about the channel.
func tokenAlone(err error) error {
	var no *refusal
	if errors.As(err, &no) && refusedWith(no) == errToken {
		return err
	}
	return nil
}

// post sends one message, and gives its id.
func post(ctx context.Context, api *client, m outgoing) (string, error) {
	var sent struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	if err := api.call(ctx, http.MethodPost, api.phone+"/messages", nil, m, &sent); err != nil {
		return "", err
	}
	if len(sent.Messages) != 1 || sent.Messages[0].ID == "" {
		return "", errEnded
	}
	return sent.Messages[0].ID, nil
}

// noted notes what WhatsApp asks to wait of everybody; too much for one person concerns them alone.
func (p *Phone) noted(no, cause error) error {
	var said *refusal
	if !errors.As(cause, &said) || said.code == codePerson {
		return no
	}
	return p.quiet.Noted(no, p.env.Now())
}
