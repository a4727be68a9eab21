package whatsapptest

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// version is the one of the API that is spoken.
const version = "/v23.0/"

// route is what a call is for; nil: there is no such call.
func (s *Server) route(r *http.Request) (name string, do func() answer) {
	path, is := strings.CutPrefix(r.URL.Path, version)
	switch {
	case strings.HasPrefix(r.URL.Path, "/files/"):
		return RouteFile, nil
	case !is:
		return "none", nil
	case r.Method == http.MethodGet && path == Account:
		return RouteMe, func() answer {
			return answer{http.StatusOK, map[string]any{"id": Account, "display_phone_number": Display, "verified_name": "The team"}}
		}
	case r.Method == http.MethodGet:
		return RouteMedia, func() answer { return s.media(path) }
	case r.Method != http.MethodPost || path != Account+"/messages":
		return "none", nil
	}
	raw, err := io.ReadAll(r.Body)
	var in posted
	if err != nil || json.Unmarshal(raw, &in) != nil {
		return "none", nil
	}
	if in.Status == "read" {
		return RouteRead, func() answer { return s.markRead(in) }
	}
	return RouteSend, func() answer { return s.post(in) }
}

// posted is a message as it is published.
type posted struct {
	Product string `json:"messaging_product"`
	Status  string `json:"status"`
	Message string `json:"message_id"`
	Whom    string `json:"recipient_type"`
	To      string `json:"to"`
	Type    string `json:"type"`
	Text    struct {
		Body    string `json:"body"`
		Preview bool   `json:"preview_url"`
	} `json:"text"`
	Interactive struct {
		Type string `json:"type"`
		Body struct {
			Text string `json:"text"`
		} `json:"body"`
		Action struct {
			Buttons []struct {
				Type  string `json:"type"`
				Reply struct {
					ID    string `json:"id"`
					Title string `json:"title"`
				} `json:"reply"`
			} `json:"buttons"`
		} `json:"action"`
	} `json:"interactive"`
	Template struct {
		Name     string `json:"name"`
		Language struct {
			Code string `json:"code"`
		} `json:"language"`
		Parts []struct {
			Type  string `json:"type"`
			Words []struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"parameters"`
		} `json:"components"`
	} `json:"template"`
	Context struct {
		ID string `json:"message_id"`
	} `json:"context"`
	Ours string `json:"biz_opaque_callback_data"`
}

// wrong says what of a message is not as it is published; empty: nothing.
func (p posted) wrong() string {
	between := func(s string, most int) bool {
		n := utf8.RuneCountInString(s)
		return n > 0 && n <= most && utf8.ValidString(s)
	}
	buttons := p.Interactive.Action.Buttons
	switch {
	case p.Product != "whatsapp" || p.Whom != "individual":
		return "messaging_product"
	case p.To == "" || strings.Trim(p.To, "0123456789") != "":
		return "to"
	case len(p.Ours) > 512:
		return "biz_opaque_callback_data"
	case p.Type == "text" && (!between(p.Text.Body, 4096) || p.Text.Preview):
		return "text"
	case p.Type == "interactive" && (!between(p.Interactive.Body.Text, 1024) || len(buttons) == 0 || len(buttons) > 3):
		return "interactive"
	case p.Type == "template" && (p.Template.Name != Template || p.Template.Language.Code != "en_US" || len(p.Template.Parts) != 1):
		return "template"
	case p.Type != "text" && p.Type != "interactive" && p.Type != "template":
		return "type"
	}
	for _, b := range buttons {
		if b.Type != "reply" || !between(b.Reply.ID, 256) || !between(b.Reply.Title, 20) {
			return "buttons"
		}
	}
	return ""
}

// post takes a message of the number.
func (s *Server) post(in posted) answer {
	if wrong := in.wrong(); wrong != "" {
		return refusal(http.StatusBadRequest, 131009, "Parameter value is not valid: "+wrong)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, wrote := s.heard[in.To]
	if in.Type != "template" && (s.late || !wrote || s.now().Sub(at) > 24*time.Hour) {
		return refusal(http.StatusBadRequest, 131047, "Re-engagement message")
	}
	m := Sent{
		ID: "wamid." + s.number(), To: in.To, Type: in.Type, Text: in.Text.Body + in.Interactive.Body.Text, Answers: in.Context.ID,
		Template: in.Template.Name, Ours: in.Ours,
	}
	for _, b := range in.Interactive.Action.Buttons {
		m.Buttons = append(m.Buttons, Button{b.Reply.ID, b.Reply.Title})
	}
	for _, p := range in.Template.Parts {
		for _, w := range p.Words {
			m.Words = append(m.Words, w.Text)
		}
	}
	s.sent = append(s.sent, m)
	return answer{http.StatusOK, map[string]any{
		"messaging_product": "whatsapp", "contacts": []any{map[string]string{"input": in.To, "wa_id": in.To}},
		"messages": []any{map[string]string{"id": m.ID}},
	}}
}

func (s *Server) markRead(in posted) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = append(s.read, in.Message)
	return answer{http.StatusOK, map[string]bool{"success": true}}
}

// media says where a file lies.
func (s *Server) media(id string) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, is := s.files[id]
	if !is {
		return refusal(http.StatusBadRequest, 100, "Object does not exist")
	}
	size := f.Size
	if size == 0 {
		size = int64(len(f.Data))
	}
	return answer{http.StatusOK, map[string]any{
		"url": s.URL + "/files/" + id, "mime_type": f.Kind, "file_size": size, "id": id, "messaging_product": "whatsapp",
	}}
}

func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.files[strings.TrimPrefix(r.URL.Path, "/files/")]
	s.mu.Unlock()
	w.Header().Set("Content-Length", strconv.Itoa(len(f.Data)))
	_, _ = w.Write(f.Data) // whoever asked may be gone
}
