package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/channel"
)

// message is a message as Discord shows it.
type message struct {
	ID      string       `json:"id"`
	Channel string       `json:"channel_id"`
	Guild   string       `json:"guild_id"`
	Author  user         `json:"author"`
	Webhook string       `json:"webhook_id"`
	Type    int          `json:"type"`
	Text    string       `json:"content"`
	Time    string       `json:"timestamp"`
	Edited  string       `json:"edited_timestamp"`
	Names   []user       `json:"mentions"`
	Files   []attachment `json:"attachments"`
	Answers *struct {
		Author user   `json:"author"`
		Text   string `json:"content"`
	} `json:"referenced_message"`
	Refers struct {
		Type int `json:"type"`
	} `json:"message_reference"`
	Passed []struct {
		Message struct {
			Text  string       `json:"content"`
			Files []attachment `json:"attachments"`
		} `json:"message"`
	} `json:"message_snapshots"`
	Stickers []struct{} `json:"sticker_items"`
	Poll     *struct{}  `json:"poll"`
}

// Kinds of messages that people write, and of references.
const (
	kindPlain   = 0
	kindAnswer  = 19
	refersAhead = 1 // somebody else's message is passed on
)

// press is a component that somebody has pressed.
type press struct {
	ID      string `json:"id"`
	Type    int    `json:"type"`
	Token   string `json:"token"`
	Guild   string `json:"guild_id"`
	Channel string `json:"channel_id"`
	User    *user  `json:"user"`
	Message struct {
		ID string `json:"id"`
	} `json:"message"`
	Member *struct {
		User user `json:"user"`
	} `json:"member"`
	Data struct {
		ID string `json:"custom_id"`
	} `json:"data"`
}

const pressComponent = 3

// errMachine is why nobody answers what was not written by a person.
const errMachine = "It was not written by a person."

// read makes a message of an event, and names the private chat in which it was written. An event that is nothing to answer is no message.
func (r *run) read(f frame) (m channel.Inbound, chat string) {
	defer func() {
		if fault := recover(); fault != nil { // it is what anybody sends, and must not hold up others
			r.env.Log.Error("event not read", "channel", r.Name(), "panic", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
			m, chat = channel.Inbound{}, ""
		}
	}()
	var w message
	var p press
	var err error
	switch f.Type {
	case "MESSAGE_CREATE":
		if err = json.Unmarshal(f.Data, &w); err == nil {
			m = r.written(w)
		}
	case "MESSAGE_UPDATE":
		if err = json.Unmarshal(f.Data, &w); err == nil && w.Edited != "" { // else Discord has added a preview, and the like
			m = r.written(w)
		}
		if m.ID != "" {
			m.ID, m.Edited, m.Fetch = m.ID+"/"+w.Edited, true, nil
		}
		return m, ""
	case "INTERACTION_CREATE":
		if err = json.Unmarshal(f.Data, &p); err == nil {
			m = r.pressed(p)
		}
	}
	if err != nil {
		r.env.Log.Warn("event not read", "channel", r.Name(), "event", f.Type)
	}
	if w.Guild == "" && m.ID != "" && m.Press == nil {
		chat = w.Channel
	}
	return m, chat
}

// place names a message.
func place(chat, message string) string { return chat + "/" + message }

func nameOf(u user) string {
	if u.Name == "" || u.Name == u.Global {
		return u.Global
	}
	return strings.TrimSpace(u.Global + " @" + u.Name)
}

// pressed reads which button somebody pressed, and tells Discord that it has come.
func (r *run) pressed(p press) channel.Inbound {
	if p.Type != pressComponent || !isNumber(p.ID) {
		return channel.Inbound{}
	}
	go r.api.acknowledge(p) // within three seconds, else it says that the bot does not answer
	who, group := p.User, ""
	if p.Guild != "" || p.Member != nil {
		group = hash + p.Channel
		if p.Member != nil {
			who = &p.Member.User
		}
	}
	if who == nil || !isNumber(who.ID) {
		return channel.Inbound{}
	}
	m := channel.Inbound{
		ID: "press/" + p.ID, Time: r.env.Now(), Address: who.ID, Name: nameOf(*who), Group: group, Proven: true,
		Press: &channel.Press{Data: p.Data.ID, On: place(p.Channel, p.Message.ID)},
	}
	if who.Bot {
		m.Skip = errMachine
	}
	return m
}

// callbackQuiet says that a press has come, and that what shows it comes later.
const callbackQuiet = 6

func (c *client) acknowledge(p press) {
	if strings.ContainsAny(p.Token, "/?#% \r\n") || p.Token == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), askWithin)
	defer cancel()
	path := "/interactions/" + p.ID + "/" + p.Token + "/callback"
	_ = c.call(ctx, "POST", path, map[string]int{"type": callbackQuiet}, nil) // what was pressed is taken whatever it says
}

// written reads what somebody wrote. What stands in a group and does not name the bot is nothing.
func (r *run) written(w message) (m channel.Inbound) {
	if !isNumber(w.ID) || !isNumber(w.Channel) || w.Author.ID == r.me.ID || w.Type != kindPlain && w.Type != kindAnswer {
		return m
	}
	if w.Guild != "" && !slices.ContainsFunc(w.Names, func(u user) bool { return u.ID == r.me.ID }) {
		return m
	}
	at := place(w.Channel, w.ID)
	when, err := time.Parse(time.RFC3339, w.Time)
	if err != nil {
		when = r.env.Now()
	}
	m = channel.Inbound{
		ID: at, Time: when.UTC(), Proven: true, Text: strings.ToValidUTF8(w.Text, "\uFFFD"), Reply: channel.Reply{ID: at},
	}
	if w.Guild != "" {
		m.Group, m.Reply.To = hash+w.Channel, hash+w.Channel
		m.Text = cutName(m.Text, r.me.ID)
	}
	if w.Author.Bot || w.Author.System || w.Webhook != "" || !isNumber(w.Author.ID) {
		m.Skip = errMachine
		return m
	}
	m.Address, m.Name = w.Author.ID, nameOf(w.Author)
	if to := w.Answers; to != nil && to.Author.ID != r.me.ID { // else its conversation has it
		m.Quoted = to.Text
	}
	if w.Refers.Type == refersAhead {
		m.Forward = true
		for _, one := range w.Passed {
			m.Quoted = strings.TrimSpace(m.Quoted + "\n\n" + one.Message.Text)
			w.Files = append(w.Files, one.Message.Files...)
		}
	}
	r.attach(&m, w)
	return m
}

// cutName takes the name of the bot off the beginning of a text.
func cutName(text, id string) string {
	text = strings.TrimSpace(text)
	for _, name := range []string{"<@" + id + ">", "<@!" + id + ">"} {
		if rest, named := strings.CutPrefix(text, name); named {
			return strings.TrimSpace(rest)
		}
	}
	return text
}
