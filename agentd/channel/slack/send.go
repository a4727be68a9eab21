package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
)

// block is a part of a message.
type block struct {
	Type     string    `json:"type"`
	Text     *plainly  `json:"text,omitempty"`
	Elements []element `json:"elements,omitempty"`
}

// plainly is a text that is shown sign by sign.
type plainly struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func shown(text string) *plainly { return &plainly{"plain_text", escaped.Replace(text)} }

// element is a button.
type element struct {
	Type string   `json:"type"`
	ID   string   `json:"action_id"`
	Text *plainly `json:"text"`
	Data string   `json:"value"`
}

// Send implements channel.Channel. Slack knows no repeat, so a message of which no answer came is not sent again.
func (a *App) Send(ctx context.Context, p gate.Permit, o channel.Outbound) (channel.Delivery, error) {
	api, err := a.open(ctx)
	if err != nil {
		return channel.Delivery{}, tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	if wait := a.quiet.For(a.env.Now()); wait > 0 {
		return channel.Delivery{}, &channel.Later{Text: "Slack asks to wait.", After: wait}
	}
	if err := p.Redeem(o.Args); err != nil {
		return channel.Delivery{}, tool.Refuse("The permit to send was over. Nothing was sent.")
	}
	chat, err := a.chatWith(ctx, api, o.To)
	if err != nil { // which sends nothing, whatever came of it
		if no := a.quiet.Noted(refusedFor(ctx, err), a.env.Now()); no != nil {
			return channel.Delivery{}, no
		}
		return channel.Delivery{}, tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	parts := channel.Split(o.Text, maxText)
	if o.Edit != "" {
		return a.replace(ctx, api, o, chat, parts[len(parts)-1])
	}
	files, err := api.upload(ctx, o.Files)
	if err != nil { // which shows nobody anything, whatever came of it
		if no := a.quiet.Noted(refusedFor(ctx, err), a.env.Now()); no != nil {
			return channel.Delivery{}, no
		}
		return channel.Delivery{}, tool.Refuse("A file could not be given to Slack: %s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	last := ""
	for i := range parts {
		if last, err = a.part(ctx, api, o, chat, parts, i); err != nil {
			return channel.Delivery{}, err
		}
	}
	if len(files) > 0 {
		if err := a.share(ctx, api, o, chat, files); err != nil {
			return channel.Delivery{}, fmt.Errorf("the text was sent, its files were not: %w", troubleOf(ctx, err))
		}
	}
	return channel.Delivery{ID: place(chat, last, "")}, nil
}

// form is a message as Slack takes it. What stands above buttons is shown sign by sign: no word of a request may hide behind a link, or
// show itself as something else. Slack fetches no address in it, some of which can be used once.
func form(chat, text string, plainText bool, buttons []channel.Button) url.Values {
	blocks := []block{}
	if plainText {
		for _, one := range sections(text) {
			if strings.TrimSpace(one) != "" {
				blocks = append(blocks, block{Type: "section", Text: shown(one)})
			}
		}
	}
	if len(buttons) > 0 {
		row := block{Type: "actions"}
		for i, one := range buttons {
			row.Elements = append(row.Elements, element{"button", "b" + strconv.Itoa(i), shown(one.Label), one.Data})
		}
		blocks = append(blocks, row)
	}
	raw, err := json.Marshal(blocks)
	if err != nil {
		raw = []byte("[]") // never: it is made of texts
	}
	return url.Values{
		"channel": {chat}, "text": {escaped.Replace(text)}, "blocks": {string(raw)}, "parse": {"none"}, "link_names": {"false"},
		"unfurl_links": {"false"}, "unfurl_media": {"false"},
	}
}

// part sends one of the messages that a text has become. Once the first is out, the outcome of the whole is open: what Slack does not take
// at once is waited for, and what it refuses leaves a part of an answer.
func (a *App) part(ctx context.Context, api *client, o channel.Outbound, chat string, parts []string, i int) (string, error) {
	var buttons []channel.Button
	if i == len(parts)-1 {
		buttons = o.Buttons
	}
	m := form(chat, parts[i], len(o.Buttons) > 0, buttons)
	if thread := below(o, chat); thread != "" {
		m.Set("thread_ts", thread)
	}
	return channel.SendPart(ctx, channel.Part[string]{
		N: i, Of: len(parts),
		Post:    func() (string, error) { return api.post(ctx, "chat.postMessage", m) },
		Refused: func(err error) error { return a.quiet.Noted(refusedFor(ctx, err), a.env.Now()) },
		Trouble: func(err error) *channel.Trouble { return troubleOf(ctx, err) },
	})
}

// post sends or changes one message, and gives its name.
func (c *client) post(ctx context.Context, method string, m url.Values) (at string, err error) {
	var sent struct {
		At string `json:"ts"`
	}
	if err := c.call(ctx, method, m, &sent); err != nil {
		return "", err
	}
	if !stamp.MatchString(sent.At) {
		return "", errEnded
	}
	return sent.At, nil
}

// replace puts a text in the place of a message, buttons and all. Doing so twice does no more than once.
func (a *App) replace(ctx context.Context, api *client, o channel.Outbound, chat, text string) (channel.Delivery, error) {
	of, at, _ := strings.Cut(o.Edit, "/")
	if of != chat || !stamp.MatchString(at) {
		return channel.Delivery{}, tool.Refuse("This is no message of the app. Nothing was changed.")
	}
	m := form(chat, text, len(o.Buttons) > 0, o.Buttons)
	m.Set("ts", at)
	_, err := api.post(ctx, "chat.update", m)
	if err == nil {
		return channel.Delivery{ID: o.Edit}, nil
	}
	if no := a.quiet.Noted(refusedFor(ctx, err), a.env.Now()); no != nil {
		return channel.Delivery{}, no
	}
	return channel.Delivery{}, troubleOf(ctx, err)
}

// below is the thread that an answer stands in: in a group always, in private where the question stood in one.
func below(o channel.Outbound, chat string) string {
	parts := strings.Split(o.Reply.ID, "/")
	if len(parts) < 2 || parts[0] != chat {
		return ""
	}
	thread := parts[len(parts)-1]
	if len(parts) == 2 && !strings.HasPrefix(o.To, groupMark) || !stamp.MatchString(thread) {
		return ""
	}
	return thread
}
