package signal

import (
	"cmp"
	"context"
	"encoding/base64"
	"mime"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
)

// editableFor is how long Signal's programs take a change of a message, less an hour.
const editableFor = 23 * time.Hour

// Send implements channel.Channel. Signal knows no repeat, so a message of which no answer came is not sent again. No text can call anybody
// or show itself as something else: Signal takes names and forms beside a text alone.
func (a *Account) Send(ctx context.Context, p gate.Permit, o channel.Outbound) (channel.Delivery, error) {
	if wait := a.quiet.For(a.env.Now()); wait > 0 {
		return channel.Delivery{}, &channel.Later{Text: "Signal asks to wait.", After: wait}
	}
	if err := p.Redeem(o.Args); err != nil {
		return channel.Delivery{}, tool.Refuse("The permit to send was over. Nothing was sent.")
	}
	api, parts := a.open(), channel.Split(o.Text, maxText)
	edit, err := a.edited(o)
	if err != nil {
		return channel.Delivery{}, err
	}
	if edit != 0 {
		parts = parts[len(parts)-1:]
	}
	last := int64(0)
	for i := range parts {
		if last, err = a.part(ctx, api, o, parts, i, edit); err != nil {
			return channel.Delivery{}, err
		}
	}
	if edit != 0 {
		return channel.Delivery{ID: o.Edit}, nil
	}
	return channel.Delivery{ID: sentAt(last, o.To)}, nil
}

// sentAt names a message of the account.
func sentAt(at int64, to string) string { return strconv.FormatInt(at, 10) + "/" + to }

// edited is when the message was sent that this one replaces; 0: it is a new one, also because the other is too old to be changed.
func (a *Account) edited(o channel.Outbound) (int64, error) {
	if o.Edit == "" {
		return 0, nil
	}
	at, to, _ := strings.Cut(o.Edit, "/")
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil || to != o.To {
		return 0, tool.Refuse("This is no message of the account. Nothing was changed.")
	}
	if a.env.Now().Sub(time.UnixMilli(n)) > editableFor {
		return 0, nil
	}
	return n, nil
}

// part sends one of the messages that a text has become. Once the first is out, the outcome of the whole is open: what Signal does not
// take at once is waited for, and what it refuses leaves a part of an answer.
func (a *Account) part(ctx context.Context, api *client, o channel.Outbound, parts []string, i int, edit int64) (int64, error) {
	m := where(o.To)
	m["message"] = parts[i]
	switch {
	case edit != 0:
		m["editTimestamp"] = edit
	case i == 0 && strings.HasPrefix(o.To, groupMark):
		below(m, o)
	}
	limit := sendWithin
	if len(o.Files) > 0 && i == len(parts)-1 {
		m["attachments"], limit = attachments(o.Files), fileWithin
	}
	return channel.SendPart(ctx, channel.Part[int64]{
		N: i, Of: len(parts),
		Post:    func() (int64, error) { return api.post(ctx, m, limit) },
		Refused: func(err error) error { return a.quiet.Noted(refusedFor(ctx, err), a.env.Now()) },
		Trouble: func(err error) *channel.Trouble { return troubleOf(ctx, err) },
	})
}

// post sends one message, and gives when it was sent, by which Signal names it.
func (c *client) post(ctx context.Context, m map[string]any, limit time.Duration) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var got sent
	if err := c.within(ctx, "send", m, &got); err != nil {
		return 0, err
	}
	if got.Timestamp <= 0 {
		return 0, errEnded
	}
	return got.Timestamp, nil
}

// attachments are files as signal-cli takes them with a request, so that it need not read any of the server's.
func attachments(files []channel.File) (all []string) {
	for _, f := range files {
		kind := cmp.Or(mime.TypeByExtension(path.Ext(f.Name)), "application/octet-stream")
		kind, _, _ = strings.Cut(kind, ";")
		name := url.QueryEscape(f.Name) // as signal-cli reads it
		all = append(all, "data:"+kind+";filename="+name+";base64,"+base64.StdEncoding.EncodeToString(f.Data))
	}
	return all
}

// below has an answer in a group quote what it answers, which the programs of those in the group have.
func below(m map[string]any, o channel.Outbound) {
	at, rest, _ := strings.Cut(o.Reply.ID, "/")
	author, chat, _ := strings.Cut(rest, "/")
	if n, err := strconv.ParseInt(at, 10, 64); err == nil && chat == o.To && isID(author) {
		m["quoteTimestamp"], m["quoteAuthor"] = n, author
	}
}
