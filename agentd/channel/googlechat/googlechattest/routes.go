package googlechattest

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
)

// route is what a call is for; nil: there is no such call.
func (s *Server) route(r *http.Request) (name string, do func() answer) {
	path := r.URL.Path
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return "none", nil
	}
	space, is := strings.CutSuffix(path, "/messages")
	space = strings.TrimPrefix(space, "/v1/")
	switch {
	case path == "/token" && r.Method == http.MethodPost:
		return RouteToken, func() answer { return s.token(string(raw)) }
	case path == "/service_accounts/v1/metadata/x509/chat@system.gserviceaccount.com":
		return RouteCerts, func() answer { return answer{http.StatusOK, certificates(s.now())} }
	case path == "/v1/spaces" && r.Method == http.MethodGet:
		return RouteList, func() answer { return answer{http.StatusOK, map[string]any{"spaces": []any{}}} }
	case path == "/v1/spaces:findDirectMessage":
		return RouteFind, func() answer { return s.find(r.URL.Query().Get("name")) }
	case strings.HasPrefix(path, "/v1/media/") && r.URL.Query().Get("alt") == "media":
		return RouteMedia, nil
	case is && r.Method == http.MethodPost:
		return RouteSend, func() answer { return s.post(space, r.URL.Query(), raw) }
	case r.Method == http.MethodPatch && r.URL.Query().Get("updateMask") == "text,cardsV2":
		return RoutePatch, func() answer { return s.patch(strings.TrimPrefix(path, "/v1/"), raw) }
	}
	return "none", nil
}

// token gives a token for what the key of the app has signed.
func (s *Server) token(form string) answer {
	q, err := url.ParseQuery(form)
	if err != nil || q.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		return answer{http.StatusBadRequest, map[string]string{"error": "unsupported_grant_type"}}
	}
	key := func(*jwt.Token) (any, error) { return &pair()[1].PublicKey, nil }
	parser := jwt.NewParser(jwt.WithIssuer(Account), jwt.WithAudience(s.URL+"/token"), jwt.WithExpirationRequired())
	_, err = parser.Parse(q.Get("assertion"), key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || s.revoked {
		return answer{http.StatusBadRequest, map[string]string{"error": "invalid_grant", "error_description": "Invalid JWT Signature."}}
	}
	given := "ya29." + rand.Text()
	s.tokens[given] = true
	return answer{http.StatusOK, map[string]any{"access_token": given, "expires_in": 3599, "token_type": "Bearer"}}
}

// direct is the space of the direct messages with a person.
func direct(id string) string { return "spaces/dm" + id }

func (s *Server) find(name string) answer {
	id, is := strings.CutPrefix(name, "users/")
	if !is || id == Nobody.ID {
		return refusal(http.StatusNotFound, "NOT_FOUND")
	}
	return answer{http.StatusOK, map[string]any{"name": direct(id), "spaceType": "DIRECT_MESSAGE", "singleUserBotDm": true}}
}

// posted is a message as it is published.
type posted struct {
	Text  string `json:"text"`
	Cards []struct {
		ID   string `json:"cardId"`
		Card struct {
			Sections []struct {
				Widgets []struct {
					List struct {
						Buttons []struct {
							Text    string `json:"text"`
							OnClick struct {
								Action struct {
									Function   string              `json:"function"`
									Parameters []map[string]string `json:"parameters"`
								} `json:"action"`
							} `json:"onClick"`
						} `json:"buttons"`
					} `json:"buttonList"`
				} `json:"widgets"`
			} `json:"sections"`
		} `json:"card"`
	} `json:"cardsV2"`
	Thread struct {
		Name string `json:"name"`
	} `json:"thread"`
}

func readPosted(raw []byte) (p posted, buttons []Button, ok bool) {
	if json.Unmarshal(raw, &p) != nil || p.Text == "" || utf8.RuneCountInString(p.Text) > 4096 || len(raw) > 32000 {
		return p, nil, false
	}
	for _, c := range p.Cards {
		for _, section := range c.Card.Sections {
			for _, w := range section.Widgets {
				for _, b := range w.List.Buttons {
					if b.OnClick.Action.Function == "" || len(b.OnClick.Action.Parameters) != 1 {
						return p, nil, false
					}
					buttons = append(buttons, Button{b.Text, b.OnClick.Action.Parameters[0]["value"]})
				}
			}
		}
	}
	return p, buttons, true
}

// post takes a message of the app, once for each request id.
func (s *Server) post(space string, q url.Values, raw []byte) answer {
	in, buttons, ok := readPosted(raw)
	if !ok || !strings.HasPrefix(space, "spaces/") || q.Get("messageReplyOption") == "" {
		return refusal(http.StatusBadRequest, "INVALID_ARGUMENT")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i, is := s.requests[space+q.Get("requestId")]
	if !is || q.Get("requestId") == "" {
		n := s.number()
		m := Sent{Name: space + "/messages/m" + n + ".m" + n, Space: space, Thread: in.Thread.Name, Text: in.Text, Buttons: buttons}
		if m.Thread == "" {
			m.Thread = space + "/threads/t" + n
		}
		i = len(s.sent)
		s.sent = append(s.sent, m)
		s.requests[space+q.Get("requestId")] = i
	}
	m := s.sent[i]
	return answer{http.StatusOK, map[string]any{"name": m.Name, "text": m.Text, "thread": map[string]string{"name": m.Thread}}}
}

func (s *Server) patch(name string, raw []byte) answer {
	in, buttons, ok := readPosted(raw)
	if !ok {
		return refusal(http.StatusBadRequest, "INVALID_ARGUMENT")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.sent {
		if m := &s.sent[i]; m.Name == name {
			m.Text, m.Buttons = in.Text, buttons
			m.Edits++
			return answer{http.StatusOK, map[string]any{"name": m.Name}}
		}
	}
	return refusal(http.StatusNotFound, "NOT_FOUND")
}

func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	data, is := s.files[strings.TrimPrefix(r.URL.Path, "/v1/media/")]
	s.mu.Unlock()
	if !is {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = w.Write(data) // whoever asked may be gone
}
