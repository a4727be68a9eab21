package signal

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"gatehouse/agentd/channel"
)

// event is what signal-cli hands on.
type event struct {
	Account   string   `json:"account"`
	Envelope  envelope `json:"envelope"`
	Exception *struct {
		Type string `json:"type"`
	} `json:"exception"`
}

// envelope is one message of Signal, of whatever kind.
type envelope struct {
	ID        string `json:"sourceUuid"`
	Number    string `json:"sourceNumber"`
	Name      string `json:"sourceName"`
	Timestamp int64  `json:"timestamp"` // Unix milliseconds; with the sender it names the message
	Data      *data  `json:"dataMessage"`
	Edit      *struct {
		Target int64 `json:"targetSentTimestamp"`
		Data   *data `json:"dataMessage"`
	} `json:"editMessage"`
}

// data is what somebody wrote.
type data struct {
	Timestamp int64        `json:"timestamp"`
	Text      string       `json:"message"`
	Once      bool         `json:"viewOnce"`
	Names     []name       `json:"mentions"`
	Files     []attachment `json:"attachments"`
	Quote     *struct {
		ID     string `json:"authorUuid"`
		Number string `json:"authorNumber"`
		Text   string `json:"text"`
	} `json:"quote"`
	Group *struct {
		ID   string `json:"groupId"`
		Type string `json:"type"`
	} `json:"groupInfo"`
	Sticker  *struct{}  `json:"sticker"`
	Contacts []struct{} `json:"contacts"`
}

// name is a place in a text where somebody is named. It counts UTF-16 units.
type name struct {
	Name   string `json:"name"`
	Number string `json:"number"`
	ID     string `json:"uuid"`
	Start  int    `json:"start"`
	Length int    `json:"length"`
}

// place names a message: within a chat by when it was sent, and by whom.
func place(at int64, author, chat string) string {
	return strconv.FormatInt(at, 10) + "/" + author + "/" + chat
}

// message makes a message of an event, and says when it was sent. One that is nothing to answer is no message. An event of another
// account is an error: signal-cli runs for that one.
func (r *run) message(raw []byte) (m channel.Inbound, at int64, err error) {
	defer func() {
		if fault := recover(); fault != nil { // it is what anybody sends, and must not hold up others
			r.env.Log.Error("event not read", "channel", r.Name(), "panic", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
			m = channel.Inbound{}
		}
	}()
	var e event
	if json.Unmarshal(raw, &e) != nil {
		r.env.Log.Warn("event not read", "channel", r.Name())
		return m, 0, nil
	}
	if e.Account != "" && e.Account != r.set.Account && e.Account != r.id {
		return m, 0, errNoAccount
	}
	env := e.Envelope
	if !isID(env.ID) || env.Timestamp <= 0 {
		return m, 0, nil
	}
	switch {
	case e.Exception != nil && strings.Contains(e.Exception.Type, "UntrustedIdentity"):
		m = r.from(env, "")
		m.Skip = "The sender's safety number has changed, and nobody has confirmed it on the server."
	case env.Data != nil:
		m = r.written(env, *env.Data)
	case env.Edit != nil && env.Edit.Data != nil:
		m = r.written(env, *env.Edit.Data)
		m.Edited, m.Fetch = true, nil
	}
	return m, env.Timestamp, nil
}

// from is a message of somebody without what they wrote.
func (r *run) from(env envelope, group string) channel.Inbound {
	chat := env.ID
	if group != "" {
		chat = groupMark + group
	}
	at := place(env.Timestamp, env.ID, chat)
	m := channel.Inbound{
		ID: at, Time: time.UnixMilli(env.Timestamp).UTC(), Address: env.ID, Name: strings.TrimSpace(env.Name + " " + env.Number),
		Proven: true, Reply: channel.Reply{ID: at},
	}
	if group != "" {
		m.Group, m.Reply.To = chat, chat
	}
	return m
}

// written reads what somebody wrote. What stands in a group and is not meant for the account is nothing.
func (r *run) written(env envelope, d data) (m channel.Inbound) {
	group := ""
	if d.Group != nil {
		if group = d.Group.ID; group == "" || !r.named(d) {
			return m
		}
	}
	if strings.TrimSpace(d.Text) == "" && len(d.Files) == 0 && d.Sticker == nil && len(d.Contacts) == 0 {
		return m // somebody reacted, joined, called, and the like
	}
	m = r.from(env, group)
	m.Text = r.text(d)
	if q := d.Quote; q != nil && !r.isMe(q.ID, q.Number) { // else its conversation has it
		m.Quoted = q.Text
	}
	r.attach(&m, d)
	return m
}

// isMe says whether this is the account itself.
func (r *run) isMe(id, number string) bool {
	return number != "" && number == r.set.Account || id != "" && (id == r.set.Account || id == r.id)
}

// named says whether something in a group is meant for the account: it names it, or answers it.
func (r *run) named(d data) bool {
	if d.Quote != nil && r.isMe(d.Quote.ID, d.Quote.Number) {
		return true
	}
	return slices.ContainsFunc(d.Names, func(n name) bool { return r.isMe(n.ID, n.Number) })
}

// text is what somebody wrote, with names in the places that Signal leaves for them, and without that of the account at its beginning.
func (r *run) text(d data) string {
	units := utf16.Encode([]rune(strings.ToValidUTF8(d.Text, "\uFFFD")))
	names := slices.SortedFunc(slices.Values(d.Names), func(a, b name) int { return a.Start - b.Start })
	var b strings.Builder
	done := 0
	for _, n := range names {
		if n.Start < done || n.Length < 0 || n.Start+n.Length > len(units) || n.Start+n.Length < n.Start {
			continue
		}
		b.WriteString(string(utf16.Decode(units[done:n.Start])))
		if done = n.Start + n.Length; !r.isMe(n.ID, n.Number) || strings.TrimSpace(b.String()) != "" {
			b.WriteString("@" + n.Name)
		}
	}
	b.WriteString(string(utf16.Decode(units[done:])))
	if len(names) == 0 {
		return b.String()
	}
	return strings.TrimSpace(b.String())
}
