package telegramtest

import (
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"strings"
	"unicode/utf16"
)

// methods are those of the Bot API that the server knows.
var methods map[string]func(s *Server, r *http.Request, c call) answer

func init() { // a poll reads the table of faults, which stands beside that of methods
	methods = map[string]func(s *Server, r *http.Request, c call) answer{
		"getMe":               (*Server).getMe,
		"getUpdates":          (*Server).poll,
		"setWebhook":          (*Server).setWebhook,
		"deleteWebhook":       (*Server).deleteWebhook,
		"getWebhookInfo":      (*Server).webhookInfo,
		"sendMessage":         (*Server).sendMessage,
		"sendDocument":        (*Server).sendFile,
		"sendPhoto":           (*Server).sendFile,
		"editMessageText":     (*Server).editMessageText,
		"answerCallbackQuery": (*Server).answerCallbackQuery,
		"sendChatAction":      (*Server).sendChatAction,
		"getFile":             (*Server).getFile,
	}
}

func (s *Server) getMe(*http.Request, call) answer {
	return answer{OK: true, Result: User{ID: BotID, Bot: true, First: "Team", Name: BotName}}
}

func (s *Server) setWebhook(_ *http.Request, c call) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook, s.secret = c.values["url"], c.values["secret_token"]
	s.wake()
	return answer{OK: true, Result: true}
}

func (s *Server) deleteWebhook(*http.Request, call) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook, s.secret = "", ""
	s.wake()
	return answer{OK: true, Result: true}
}

func (s *Server) webhookInfo(*http.Request, call) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return answer{OK: true, Result: map[string]any{"url": s.hook, "pending_update_count": len(s.updates)}}
}

// maxUnits is how long a message may be.
const maxUnits = 4096

// sendMessage checks what Telegram checks: the chat, the length in UTF-16 units, and what buttons say.
func (s *Server) sendMessage(_ *http.Request, c call) answer {
	m, wrong := s.message(c)
	if wrong != "" {
		return refusal(http.StatusBadRequest, "Bad Request: "+wrong)
	}
	if m.Text == "" {
		return refusal(http.StatusBadRequest, "Bad Request: message text is empty")
	}
	return s.keep(m)
}

func (s *Server) message(c call) (m Sent, wrong string) {
	m = Sent{Chat: c.int("chat_id"), Text: strings.TrimSpace(c.values["text"] + c.values["caption"])}
	var reply struct {
		ID int64 `json:"message_id"`
	}
	var board struct {
		Rows [][]Button `json:"inline_keyboard"`
	}
	var preview struct {
		Off bool `json:"is_disabled"`
	}
	for name, into := range map[string]any{"reply_parameters": &reply, "reply_markup": &board, "link_preview_options": &preview} {
		if raw := c.values[name]; raw != "" && json.Unmarshal([]byte(raw), into) != nil {
			return m, "can't parse " + name + " JSON object"
		}
	}
	m.ReplyTo, m.Buttons, m.NoPreview = reply.ID, board.Rows, preview.Off
	switch {
	case m.Chat == 0:
		return m, "chat not found"
	case len(utf16.Encode([]rune(m.Text))) > maxUnits:
		return m, "message is too long"
	}
	for _, row := range m.Buttons {
		for _, b := range row {
			if n := len(b.Data); n < 1 || n > 64 || b.Text == "" {
				return m, "BUTTON_DATA_INVALID"
			}
		}
	}
	return m, ""
}

// keep keeps a message that the bot has sent, and gives it back as Telegram does.
func (s *Server) keep(m Sent) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages[m.Chat]++
	m.ID = s.messages[m.Chat]
	s.sent = append(s.sent, m)
	return answer{OK: true, Result: s.shown(m)}
}

func (s *Server) shown(m Sent) Message {
	kind := "private"
	if m.Chat < 0 {
		kind = "supergroup"
	}
	me := User{ID: BotID, Bot: true, First: "Team", Name: BotName}
	return Message{ID: m.ID, From: &me, Chat: Chat{ID: m.Chat, Type: kind}, Date: 1780000000, Text: m.Text}
}

func (s *Server) sendFile(_ *http.Request, c call) answer {
	m, wrong := s.message(c)
	if wrong != "" {
		return refusal(http.StatusBadRequest, "Bad Request: "+wrong)
	}
	for _, f := range c.files {
		m.File, m.Data = f.name, f.data
	}
	if m.File == "" {
		return refusal(http.StatusBadRequest, "Bad Request: there is no document in the request")
	}
	return s.keep(m)
}

func (s *Server) editMessageText(_ *http.Request, c call) answer {
	m, wrong := s.message(c)
	if wrong != "" {
		return refusal(http.StatusBadRequest, "Bad Request: "+wrong)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.sent {
		was := &s.sent[i]
		if was.Chat != m.Chat || was.ID != c.int("message_id") {
			continue
		}
		if was.Text == m.Text && len(was.Buttons) == 0 && len(m.Buttons) == 0 {
			return refusal(http.StatusBadRequest, "Bad Request: message is not modified: specified new message content and reply markup "+
				"are exactly the same as a current content and reply markup of the message")
		}
		was.Text, was.Buttons = m.Text, m.Buttons
		was.Edits++
		return answer{OK: true, Result: s.shown(*was)}
	}
	return refusal(http.StatusBadRequest, "Bad Request: message to edit not found")
}

func (s *Server) answerCallbackQuery(_ *http.Request, c call) answer {
	if c.values["callback_query_id"] == "" {
		return refusal(http.StatusBadRequest, "Bad Request: query is too old and response timeout expired or query ID is invalid")
	}
	return answer{OK: true, Result: true}
}

func (s *Server) sendChatAction(_ *http.Request, c call) answer {
	if c.int("chat_id") == 0 || c.values["action"] == "" {
		return refusal(http.StatusBadRequest, "Bad Request: chat not found")
	}
	return answer{OK: true, Result: true}
}

// maxDownload is how large a file a bot may fetch, as documented.
const maxDownload = 20 << 20

func (s *Server) getFile(_ *http.Request, c call) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, there := s.files[c.values["file_id"]]
	switch {
	case !there:
		return refusal(http.StatusBadRequest, "Bad Request: invalid file_id")
	case f.size() > maxDownload:
		return refusal(http.StatusBadRequest, "Bad Request: file is too big")
	}
	return answer{OK: true, Result: map[string]any{
		"file_id": c.values["file_id"], "file_unique_id": c.values["file_id"], "file_size": f.size(), "file_path": f.Path,
	}}
}

func (f File) size() int64 {
	if f.Size > 0 {
		return f.Size
	}
	return int64(len(f.Data))
}

// download gives a file under the path that getFile has named.
func (s *Server) download(w http.ResponseWriter, r *http.Request, rest string) {
	token, name, _ := strings.Cut(rest, "/")
	s.mu.Lock()
	var found *File
	for _, f := range s.files {
		if token == s.token && f.Path == name {
			found = &f
		}
	}
	s.calls["download"]++
	var fault *Fault
	if all := s.faults["download"]; len(all) > 0 {
		fault, s.faults["download"] = &all[0], all[1:]
	}
	s.mu.Unlock()
	switch {
	case fault != nil:
		s.fail(w, r, *fault, func() answer { return answer{OK: true} })
	case found == nil:
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Length", strconv.Itoa(len(found.Data)))
		_, _ = w.Write(found.Data) // whoever asked may be gone
	}
}

// AddFile puts a file where messages can name it, and gives its id.
func (s *Server) AddFile(name string, f File) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = "file-" + strconv.Itoa(len(s.files)+1)
	f.Path = path.Join("documents", id+"-"+path.Base(name))
	s.files[id] = f
	return id
}
