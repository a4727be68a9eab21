package whatsapp

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/channel"
)

// brought is what Meta brings: several messages and reports at once.
type brought struct {
	Entries []struct {
		Changes []struct {
			Field string `json:"field"`
			Value struct {
				Number struct {
					ID string `json:"phone_number_id"`
				} `json:"metadata"`
				Contacts []contact `json:"contacts"`
				Messages []message `json:"messages"`
				Statuses []status  `json:"statuses"`
			} `json:"value"`
		} `json:"changes"`
	} `json:"entry"`
}

// contact is what somebody calls themselves.
type contact struct {
	ID      string `json:"wa_id"`
	Profile struct {
		Name string `json:"name"`
	} `json:"profile"`
}

// status is what became of a message of ours.
type status struct {
	ID     string `json:"id"`
	State  string `json:"status"`
	Ours   string `json:"biz_opaque_callback_data"`
	Errors []struct {
		Code int `json:"code"`
	} `json:"errors"`
}

// message is one that somebody sent.
type message struct {
	ID    string `json:"id"`
	From  string `json:"from"`
	Group string `json:"group_id"`
	Time  string `json:"timestamp"`
	Type  string `json:"type"`
	Text  struct {
		Body string `json:"body"`
	} `json:"text"`
	Image    media `json:"image"`
	Document media `json:"document"`
	Audio    media `json:"audio"`
	Video    media `json:"video"`
	Location struct {
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
		Name      string  `json:"name"`
		Address   string  `json:"address"`
	} `json:"location"`
	Button struct {
		Text string `json:"text"`
	} `json:"button"`
	Pressed struct {
		Button struct {
			ID string `json:"id"`
		} `json:"button_reply"`
	} `json:"interactive"`
	On struct {
		ID        string `json:"id"`
		Forwarded bool   `json:"forwarded"`
		Often     bool   `json:"frequently_forwarded"`
	} `json:"context"`
}

// media is a file that lies at Meta.
type media struct {
	ID      string `json:"id"`
	Kind    string `json:"mime_type"`
	Name    string `json:"filename"`
	Caption string `json:"caption"`
}

// reported reads what became of a message of ours.
func reported(s status) (m channel.Inbound, is bool) {
	r := &channel.Report{On: s.ID, ID: s.Ours}
	switch s.State {
	case "sent":
		r.State = channel.Sent
	case "delivered":
		r.State = channel.Delivered
	case "read":
		r.State = channel.Seen
	case "failed":
		r.State = channel.Failed
		code := 0
		if len(s.Errors) > 0 {
			code = s.Errors[0].Code
		}
		r.Why = reportedWith(code)
	default:
		return m, false
	}
	return channel.Inbound{Report: r}, s.ID != ""
}

// written reads what somebody sent. What is written in a group is nothing.
func (p *Phone) written(w message, names []contact) (m channel.Inbound, is bool) {
	from, err := Address(w.From)
	if err != nil || w.ID == "" || w.Group != "" {
		return m, false
	}
	m = channel.Inbound{ID: w.ID, Time: p.env.Now(), Address: from, Proven: true, Reply: channel.Reply{ID: w.ID}}
	if at, err := strconv.ParseInt(w.Time, 10, 64); err == nil {
		m.Time = time.Unix(at, 0).UTC()
	}
	for _, c := range names {
		if c.ID == w.From {
			m.Name = c.Profile.Name
		}
	}
	if w.Type == "interactive" && w.Pressed.Button.ID != "" {
		m.Press = &channel.Press{Data: w.Pressed.Button.ID, On: w.On.ID}
		return m, true
	}
	if m.Text, is = p.content(&m, w); !is {
		return m, false
	}
	m.Text = strings.ToValidUTF8(m.Text, "\uFFFD")
	if w.On.Forwarded || w.On.Often { // the words are somebody else's
		m.Forward, m.Quoted, m.Text = true, m.Text, ""
	}
	p.note(from, w.ID)
	return m, true
}

// content is the text of a message, with what stands beside it. What people do not send to be answered, such as a reaction, is nothing.
func (p *Phone) content(m *channel.Inbound, w message) (text string, is bool) {
	switch w.Type {
	case "text":
		return w.Text.Body, w.Text.Body != ""
	case "button": // beneath a template
		return w.Button.Text, w.Button.Text != ""
	case "image":
		return p.attached(m, w.Image), true
	case "document":
		return p.attached(m, w.Document), true
	case "audio":
		return p.attached(m, w.Audio), true
	case "video":
		return p.attached(m, w.Video), true
	case "location":
		l := w.Location
		return strings.TrimSpace(fmt.Sprintf("%s\n%s\n%f, %f", l.Name, l.Address, l.Latitude, l.Longitude)), true
	case "reaction", "system", "ephemeral":
		return "", false
	}
	m.Left = append(m.Left, "Something was sent that is not read, such as a sticker, a contact or an order.")
	return "", true
}
