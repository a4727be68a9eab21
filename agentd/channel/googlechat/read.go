package googlechat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/channel"
)

// event is what Google brings.
type event struct {
	Type    string  `json:"type"`
	Time    string  `json:"eventTime"`
	Message message `json:"message"`
	User    user    `json:"user"`
	Space   space   `json:"space"`
	Action  struct {
		Parameters []parameter `json:"parameters"`
	} `json:"action"`
	Common struct {
		Parameters map[string]string `json:"parameters"`
	} `json:"common"`
}

// The events that are read.
const (
	typeMessage = "MESSAGE"
	typePress   = "CARD_CLICKED"
)

type user struct {
	Name    string `json:"name"`
	Display string `json:"displayName"`
	Type    string `json:"type"`
}

type space struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Kind string `json:"spaceType"` // newer than Type
}

func (s space) private() bool { return s.Kind == "DIRECT_MESSAGE" || s.Kind == "" && s.Type == "DM" }

type message struct {
	Name     string       `json:"name"`
	Time     string       `json:"createTime"`
	Text     string       `json:"text"`
	Argument string       `json:"argumentText"` // without the name of the app
	Thread   thread       `json:"thread"`
	Files    []attachment `json:"attachment"`
}

type thread struct {
	Name string `json:"name"`
}

type attachment struct {
	Name   string `json:"contentName"`
	Kind   string `json:"contentType"`
	Source string `json:"source"`
	Ref    struct {
		Name string `json:"resourceName"`
	} `json:"attachmentDataRef"`
}

type parameter struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// place names a message and the thread that it stands in.
func place(m message) string { return strings.TrimSpace(m.Name + " " + m.Thread.Name) }

// placed gives the names of a message and its thread; empty: it is none of a space.
func placed(place, space string) (message, thread string) {
	message, thread, _ = strings.Cut(place, " ")
	if id, is := strings.CutPrefix(message, space+"/messages/"); !is || !idOf(id) {
		return "", ""
	}
	if id, is := strings.CutPrefix(thread, space+"/threads/"); !is || !idOf(id) {
		thread = ""
	}
	return message, thread
}

// idOf says whether this is the id of a message or a thread, which may have a dot.
func idOf(s string) bool { return ids.MatchString(strings.ReplaceAll(s, ".", "-")) }

// maxAge is how old an event may be: this server forgets after a while that it came.
const maxAge = 30 * 24 * time.Hour

// errMachine is why nobody answers what was not written by a person.
const errMachine = "It was not written by a person."

// read reads an event. That somebody added or removed the app is nothing.
func (a *App) read(e event) (m channel.Inbound, is bool) {
	who, isUser := strings.CutPrefix(e.User.Name, "users/")
	group := spaceOf(e.Space.Name)
	if !isUser || !people.MatchString(who) || group == "" {
		return m, false
	}
	at, err := time.Parse(time.RFC3339, e.Time)
	if err != nil {
		at = a.env.Now()
	}
	if a.env.Now().Sub(at) > maxAge {
		return m, false
	}
	m = channel.Inbound{Time: at.UTC(), Address: who, Name: e.User.Display, Proven: true}
	if !e.Space.private() {
		m.Group, m.Reply.To = hash+group, hash+group
	}
	if e.User.Type != "" && e.User.Type != "HUMAN" {
		m.Skip = errMachine
	}
	if message, _ := placed(e.Message.Name, e.Space.Name); message == "" {
		return m, false
	}
	switch e.Type {
	case typeMessage:
		a.written(&m, e)
	case typePress:
		m.ID = "press/" + e.Message.Name + "/" + who + "/" + e.Time
		m.Press = &channel.Press{Data: pressed(e), On: place(e.Message)}
		m.Reply.To = ""
	default:
		return m, false
	}
	return m, true
}

// pressed is the data of the button that was pressed.
func pressed(e event) string {
	if data, is := e.Common.Parameters[dataKey]; is {
		return data
	}
	for _, p := range e.Action.Parameters {
		if p.Key == dataKey {
			return p.Value
		}
	}
	return ""
}

// written reads what somebody wrote. In a group the name of the app is left out.
func (a *App) written(m *channel.Inbound, e event) {
	w := e.Message
	m.ID, m.Reply.ID = w.Name, place(w)
	m.Text = w.Text
	if m.Group != "" && w.Argument != "" {
		m.Text = w.Argument
	}
	m.Text = strings.TrimSpace(strings.ToValidUTF8(m.Text, "\uFFFD"))
	var uploaded []attachment
	for _, f := range w.Files {
		if f.Source == "DRIVE_FILE" {
			m.Left = append(m.Left, "A file of Google Drive was named, which is not read.")
			continue
		}
		uploaded = append(uploaded, f)
	}
	if len(uploaded) > maxFiles {
		m.Left = append(m.Left, fmt.Sprintf("%d attached files were left out, because %d is the most.", len(uploaded)-maxFiles, maxFiles))
		uploaded = uploaded[:maxFiles]
	}
	if len(uploaded) == 0 {
		return
	}
	files := channel.Fetcher{First: againAfter, Gone: errGone, After: retryAfter}
	m.Fetch = files.All(len(uploaded), func(ctx context.Context, i int) (channel.File, error) {
		api, err := a.open(ctx)
		if err != nil {
			return channel.File{}, err
		}
		file, err := api.fetch(ctx, uploaded[i], i+1)
		if isStale(err) {
			a.forget(api)
		}
		return file, err
	})
}

var _ channel.Hooked = (*App)(nil)
