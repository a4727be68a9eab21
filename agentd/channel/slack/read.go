package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/channel"
)

// message is a message as Slack shows it.
type message struct {
	Type    string       `json:"type"`
	Kind    string       `json:"subtype"`
	Where   string       `json:"channel_type"`
	Channel string       `json:"channel"`
	User    string       `json:"user"`
	Bot     string       `json:"bot_id"`
	Text    string       `json:"text"`
	At      string       `json:"ts"`
	Thread  string       `json:"thread_ts"`
	Parent  string       `json:"parent_user_id"` // who began the thread
	Files   []attachment `json:"files"`
	Beside  []struct {
		Text     string `json:"text"`
		Fallback string `json:"fallback"`
	} `json:"attachments"` // somebody else's messages and pages, as Slack shows them
	Edited *struct {
		At string `json:"ts"`
	} `json:"edited"`
	Now *message `json:"message"` // of a change
}

// Kinds of messages that people write, and of channels.
var byPeople = map[string]bool{"": true, "file_share": true, "thread_broadcast": true, "me_message": true}

const (
	whereIM     = "im"
	kindChanged = "message_changed"
	slackbot    = "USLACKBOT"
)

// press is a button that somebody has pressed.
type press struct {
	Type string `json:"type"`
	User struct {
		ID   string `json:"id"`
		Name string `json:"username"`
	} `json:"user"`
	On struct {
		Channel string `json:"channel_id"`
		At      string `json:"message_ts"`
	} `json:"container"`
	Actions []struct {
		Data string `json:"value"`
		At   string `json:"action_ts"`
	} `json:"actions"`
}

// slash is a command that somebody has typed to the app, which nobody else sees.
type slash struct {
	User    string `json:"user_id"`
	Name    string `json:"user_name"`
	Text    string `json:"text"`
	Trigger string `json:"trigger_id"`
}

// errMachine is why nobody answers what was not written by a person.
const errMachine = "It was not written by a person."

// read makes a message of what Slack brings, and says how far that is. What is nothing to answer is no message.
func (r *run) read(ctx context.Context, f frame) (m channel.Inbound, at cursor) {
	at = r.at
	defer func() {
		if fault := recover(); fault != nil { // it is what anybody sends, and must not hold up others
			r.env.Log.Error("event not read", "channel", r.Name(), "panic", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
			m = channel.Inbound{}
		}
	}()
	var of struct {
		Team  string `json:"team_id"`
		App   string `json:"api_app_id"`
		Inner struct {
			ID string `json:"id"`
		} `json:"team"`
		Event message `json:"event"`
	}
	if json.Unmarshal(f.Payload, &of) != nil {
		r.env.Log.Warn("event not read", "channel", r.Name(), "event", f.Type)
		return m, at
	}
	if of.App != r.api.id || of.Team+of.Inner.ID != r.me.Team {
		return m, at // another workspace has the app as well
	}
	switch f.Type {
	case "events_api":
		m = r.written(ctx, of.Event)
		if m.ID != "" && m.Group == "" && !m.Edited {
			at = at.took(of.Event.Channel, of.Event.At)
		}
	case "interactive":
		m = r.pressed(f.Payload)
	case "slash_commands":
		m = r.commanded(f.Payload)
	}
	return m, at
}

// place names a message, and the thread that it stands in.
func place(chat, at, thread string) string {
	if thread == "" || thread == at {
		return chat + "/" + at
	}
	return chat + "/" + at + "/" + thread
}

// written reads what somebody wrote. In private the app is told of everything, in groups of what names it.
func (r *run) written(ctx context.Context, w message) (m channel.Inbound) {
	private := w.Type == "message" && w.Where == whereIM && strings.HasPrefix(w.Channel, "D")
	if !private && (w.Type != "app_mention" || strings.HasPrefix(w.Channel, "D")) {
		return m
	}
	edit := ""
	if w.Kind == kindChanged {
		if w.Now == nil || w.Now.Edited == nil { // Slack has added a preview, and the like
			return m
		}
		chat := w.Channel
		w, edit = *w.Now, w.Now.Edited.At
		w.Channel = chat
	}
	if w.User == r.me.User || !byPeople[w.Kind] && w.Bot == "" || !chatID.MatchString(w.Channel) || !stamp.MatchString(w.At) {
		return m
	}
	m = channel.Inbound{
		ID: place(w.Channel, w.At, ""), Time: timeOf(w.At), Proven: true, Text: plain(w.Text, r.me.User),
		Reply: channel.Reply{ID: place(w.Channel, w.At, w.Thread)},
	}
	if !private {
		m.Group = groupMark + w.Channel
		m.Reply.To = m.Group
	}
	if w.Bot != "" || w.User == slackbot || !userID.MatchString(w.User) {
		m.Skip = errMachine
		return m
	}
	m.Address, m.Name = w.User, r.nameOf(ctx, r.api, w.User)
	if w.Thread != "" && w.Thread != w.At && w.Parent == w.User { // beneath what they wrote themselves
		m.Refs = []string{place(w.Channel, w.Thread, "")}
	}
	if edit != "" {
		m.ID, m.Edited = m.ID+"/"+edit, true
		return m
	}
	for _, one := range w.Beside {
		text := one.Text
		if text == "" {
			text = one.Fallback
		}
		m.Quoted = strings.TrimSpace(m.Quoted + "\n\n" + plain(text, ""))
	}
	m.Forward = m.Text == "" && m.Quoted != ""
	r.attach(&m, w)
	return m
}

func timeOf(at string) time.Time {
	seconds, rest, _ := strings.Cut(at, ".")
	s, _ := strconv.ParseInt(seconds, 10, 64) // it is made of digits
	micros, _ := strconv.ParseInt(rest, 10, 64)
	return time.Unix(s, micros*1000).UTC()
}

// pressed reads which button somebody pressed.
func (r *run) pressed(payload []byte) channel.Inbound {
	var p press
	err := json.Unmarshal(payload, &p)
	on := p.On
	if err != nil || p.Type != "block_actions" || len(p.Actions) != 1 || !userID.MatchString(p.User.ID) || !chatID.MatchString(on.Channel) {
		return channel.Inbound{}
	}
	m := channel.Inbound{
		ID: "press/" + place(on.Channel, on.At, "") + "/" + p.Actions[0].At + "/" + p.User.ID, Time: r.env.Now(), Address: p.User.ID,
		Name: p.User.Name, Proven: true, Press: &channel.Press{Data: p.Actions[0].Data, On: place(on.Channel, on.At, "")},
	}
	if !strings.HasPrefix(on.Channel, "D") {
		m.Group = groupMark + on.Channel
	}
	return m
}

// orders are what the app is told by its command at Slack, which keeps words after a slash for itself.
var orders = regexp.MustCompile(`(?i)^(approve|allow|deny|new|stop|status|help|start)\b`)

// commanded reads what somebody typed after the app's command. The answer goes to them in private, wherever they typed it.
func (r *run) commanded(payload []byte) channel.Inbound {
	var s slash
	if json.Unmarshal(payload, &s) != nil || s.Trigger == "" || !userID.MatchString(s.User) {
		return channel.Inbound{}
	}
	text := strings.TrimSpace(plain(s.Text, ""))
	switch {
	case text == "":
		text = "/help"
	case orders.MatchString(text):
		text = "/" + text
	}
	return channel.Inbound{ID: "slash/" + s.Trigger, Time: r.env.Now(), Address: s.User, Name: s.Name, Proven: true, Text: text}
}
