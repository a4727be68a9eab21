package discordtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The routes, as Fail and Calls name them.
const (
	RouteMe       = "me"
	RouteGateway  = "gateway"
	RouteOpen     = "open"     // a private channel is opened
	RouteSend     = "send"     // a message
	RouteEdit     = "edit"     // a message
	RouteMessages = "messages" // those of a channel are read
	RouteTyping   = "typing"
	RouteCallback = "callback" // a press is acknowledged
	RouteFile     = "file"     // an attachment is fetched
)

// route finds what a request is about; nil: nothing that there is.
func (s *Server) route(r *http.Request) (name string, do func() answer) {
	rest, _ := strings.CutPrefix(r.URL.Path, "/api/v10/")
	p := strings.Split(rest, "/")
	switch {
	case r.Method == "GET" && rest == "users/@me":
		return RouteMe, func() answer {
			return answer{200, map[string]any{"id": BotID, "username": BotName, "discriminator": "0", "bot": true}}
		}
	case r.Method == "GET" && rest == "gateway/bot":
		return RouteGateway, s.gatewayBot
	case r.Method == "POST" && rest == "users/@me/channels":
		return RouteOpen, func() answer { return s.open(r) }
	case len(p) == 4 && p[0] == "interactions" && p[3] == "callback":
		return RouteCallback, func() answer { return s.callback(r, p[1]) }
	case len(p) < 3 || p[0] != "channels":
		return "", nil
	case r.Method == "POST" && p[2] == "typing":
		return RouteTyping, func() answer { return answer{http.StatusNoContent, nil} }
	case r.Method == "POST" && len(p) == 3 && p[2] == "messages":
		return RouteSend, func() answer { return s.send(r, p[1]) }
	case r.Method == "GET" && len(p) == 3 && p[2] == "messages":
		return RouteMessages, func() answer { return s.messages(r, p[1]) }
	case r.Method == "PATCH" && len(p) == 4 && p[2] == "messages":
		return RouteEdit, func() answer { return s.edit(r, p[1], p[3]) }
	}
	return "", nil
}

func (s *Server) gatewayBot() answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return answer{200, map[string]any{
		"url": s.gatewayURL(), "shards": 1,
		"session_start_limit": map[string]int{"total": 1000, "remaining": s.left, "reset_after": 3600000, "max_concurrency": 1},
	}}
}

func (s *Server) gatewayURL() string { return "ws" + strings.TrimPrefix(s.URL, "http") + "/gateway" }

func (s *Server) open(r *http.Request) answer {
	var in struct {
		To string `json:"recipient_id"`
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.To == "" || in.To == BotID {
		return refusal(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return answer{200, map[string]any{"id": s.chat(in.To), "type": 1}}
}

// chat is the private channel of a person. The lock is held.
func (s *Server) chat(person string) string {
	if s.chats[person] == "" {
		s.chats[person] = s.number()
	}
	return s.chats[person]
}

// Chat is the private channel of a person.
func (s *Server) Chat(person User) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chat(person.ID)
}

func (s *Server) callback(r *http.Request, id string) answer {
	var in struct {
		Type int `json:"type"`
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.Type != 6 {
		return refusal(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acks = append(s.acks, id)
	return answer{http.StatusNoContent, nil}
}

// body is a message as the bot sends it.
type body struct {
	Text string `json:"content"`
	Rows []struct {
		Type    int `json:"type"`
		Buttons []struct {
			Button
			Type  int `json:"type"`
			Style int `json:"style"`
		} `json:"components"`
	} `json:"components"`
	Flags int `json:"flags"`
	Names *struct {
		Parse []string `json:"parse"`
	} `json:"allowed_mentions"`
	Nonce   string `json:"nonce"`
	Once    bool   `json:"enforce_nonce"`
	Answers struct {
		ID string `json:"message_id"`
	} `json:"message_reference"`
	Attached []struct {
		ID   int    `json:"id"`
		Name string `json:"filename"`
	} `json:"attachments"`
}

// maxCharacters is how long a message may be.
const maxCharacters = 2000

// maxUpload is how many bytes the files of a message may have.
const maxUpload = 10 << 20

// tooLarge is what Discord says about files that are larger.
const tooLarge = "Request entity too large"

// read reads a message: JSON, or a form with files beside it.
func read(r *http.Request, b *body) (files []SentFile, wrong string) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // none is not JSON
	if kind != "multipart/form-data" {
		if json.NewDecoder(r.Body).Decode(b) != nil {
			return nil, "cannot be read"
		}
		return nil, ""
	}
	if err := r.ParseMultipartForm(2 * maxUpload); err != nil || json.Unmarshal([]byte(r.PostForm.Get("payload_json")), b) != nil {
		return nil, "cannot be read"
	}
	for _, a := range b.Attached {
		all := r.MultipartForm.File[fmt.Sprintf("files[%d]", a.ID)]
		if len(all) != 1 {
			return nil, "Invalid attachment"
		}
		if all[0].Size > maxUpload {
			return nil, tooLarge
		}
		f, err := all[0].Open()
		if err != nil {
			return nil, "cannot be read"
		}
		data, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, "cannot be read"
		}
		files = append(files, SentFile{a.Name, data})
	}
	if len(files) != len(r.MultipartForm.File) {
		return nil, "Invalid attachment"
	}
	return files, ""
}

// take checks what Discord checks: the length, and what buttons say.
func take(r *http.Request, chat string) (m Sent, b body, wrong string) {
	files, wrong := read(r, &b)
	if wrong != "" {
		return m, b, wrong
	}
	m = Sent{
		Files: files, Channel: chat, Text: strings.TrimSpace(b.Text), Answers: b.Answers.ID, Nonce: b.Nonce,
		Quiet: b.Flags == 4 && b.Names != nil && len(b.Names.Parse) == 0,
	}
	switch {
	case m.Text == "":
		return m, b, "Cannot send an empty message"
	case utf8.RuneCountInString(b.Text) > maxCharacters:
		return m, b, "Must be 2000 or fewer in length."
	case len(b.Nonce) > 25 || len(b.Rows) > 5:
		return m, b, "Must be fewer"
	}
	for _, row := range b.Rows {
		if row.Type != 1 || len(row.Buttons) < 1 || len(row.Buttons) > 5 {
			return m, b, "BASE_TYPE_BAD_LENGTH"
		}
		var all []Button
		for _, one := range row.Buttons {
			if n := len(one.Data); one.Type != 2 || one.Style < 1 || one.Label == "" || n < 1 || n > 100 {
				return m, b, "COMPONENT_INVALID"
			}
			all = append(all, one.Button)
		}
		m.Rows = append(m.Rows, all)
	}
	return m, b, ""
}

func (s *Server) send(r *http.Request, chat string) answer {
	m, b, wrong := take(r, chat)
	if wrong == tooLarge {
		return refusal(http.StatusRequestEntityTooLarge, 40005, wrong)
	}
	if wrong != "" {
		return refusal(http.StatusBadRequest, 50035, wrong)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, known := s.nonces[b.Nonce]; b.Once && known {
		return answer{200, shown(s.sent[i])}
	}
	m.ID = s.number()
	s.sent = append(s.sent, m)
	if b.Nonce != "" {
		s.nonces[b.Nonce] = len(s.sent) - 1
	}
	s.dispatch("MESSAGE_CREATE", shown(m)) // the bot is told of its own as well
	return answer{200, shown(m)}
}

func shown(m Sent) Message {
	return Message{
		ID: m.ID, Channel: m.Channel, Author: User{ID: BotID, Name: BotName, Bot: true}, Text: m.Text, Time: theTime, Mentions: []User{},
	}
}

func (s *Server) edit(r *http.Request, chat, id string) answer {
	m, _, wrong := take(r, chat)
	if wrong != "" {
		return refusal(http.StatusBadRequest, 50035, wrong)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.sent {
		if was := &s.sent[i]; was.ID == id && was.Channel == chat {
			was.Text, was.Rows = m.Text, m.Rows
			was.Edits++
			return answer{200, shown(*was)}
		}
	}
	return refusal(http.StatusNotFound, 10008, "Unknown Message")
}

// messages gives what people wrote after a message, newest first as Discord does.
func (s *Server) messages(r *http.Request, chat string) answer {
	after, limit := r.URL.Query().Get("after"), r.URL.Query().Get("limit")
	most, _ := strconv.Atoi(limit) // none is fifty
	if most == 0 {
		most = 50
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []any{}
	for _, one := range s.written[chat] {
		if m, is := one.(Message); is && m.ID > after && len(all) < most {
			all = append([]any{m}, all...)
		}
	}
	return answer{200, all}
}

// AddFile puts a file where messages can name it.
func (s *Server) AddFile(name string, data []byte) Attachment {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.number()
	at := "/attachments/" + id + "/" + path.Base(name)
	s.files[at] = data
	return Attachment{ID: id, Name: name, Size: int64(len(data)), URL: s.URL + at}
}

func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	data, there := s.files[r.URL.Path]
	s.calls[RouteFile]++
	f := s.fault(RouteFile)
	s.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != "": // the token has no business there
		http.Error(w, "", http.StatusTeapot)
	case f != Fault{}:
		s.fail(w, r, f, func() answer { return answer{200, nil} })
	case !there:
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data) // whoever asked may be gone
	}
}
