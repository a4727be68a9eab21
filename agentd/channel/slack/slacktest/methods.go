package slacktest

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// chat is the private channel of a person. The lock is held.
func (s *Server) chat(person string) string {
	if s.chats[person] == "" {
		s.chats[person] = "D0" + strings.TrimPrefix(person, "U")
	}
	return s.chats[person]
}

// Chat is the private channel of a person.
func (s *Server) Chat(person User) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chat(person.ID)
}

func (s *Server) userInfo(id string) answer {
	if !strings.HasPrefix(id, "U") {
		return refusal("user_not_found")
	}
	return fine(map[string]any{"user": map[string]any{
		"id": id, "name": strings.ToLower(id), "real_name": "Real " + id, "profile": map[string]any{"display_name": "shown"},
	}})
}

// history gives what was written after a message, newest first and page by page as Slack does. The lock is held.
func (s *Server) history(form url.Values) answer {
	limit, _ := strconv.Atoi(form.Get("limit")) // none is a hundred
	skip, _ := strconv.Atoi(form.Get("cursor")) // none is the first page
	if limit == 0 {
		limit = 100
	}
	var all []Message
	for _, m := range s.written[form.Get("channel")] {
		if m.At > form.Get("oldest") {
			m.Channel, m.Where = "", ""
			all = append(all, m)
		}
	}
	slices.Reverse(all)
	all = all[min(skip, len(all)):]
	body := map[string]any{"messages": all[:min(limit, len(all))], "has_more": len(all) > limit}
	if len(all) > limit {
		body["response_metadata"] = map[string]string{"next_cursor": strconv.Itoa(skip + limit)}
	}
	return fine(body)
}

// block is a part of a message.
type block struct {
	Type     string `json:"type"`
	Text     *text  `json:"text"`
	Elements []struct {
		Type string `json:"type"`
		ID   string `json:"action_id"`
		Text text   `json:"text"`
		Data string `json:"value"`
	} `json:"elements"`
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Limits of Slack.
const (
	maxText    = 40_000
	maxSection = 3000
	maxButtons = 25
	maxLabel   = 75
	maxData    = 2000
)

// take checks what Slack checks: lengths, and what blocks say.
func take(form url.Values) (m Sent, wrong string) {
	m = Sent{Channel: form.Get("channel"), Text: form.Get("text"), Thread: form.Get("thread_ts")}
	m.Quiet = form.Get("unfurl_links") == "false" && form.Get("unfurl_media") == "false" && form.Get("link_names") == "false" &&
		form.Get("parse") == "none"
	var blocks []block
	if raw := form.Get("blocks"); raw != "" && json.Unmarshal([]byte(raw), &blocks) != nil {
		return m, "invalid_blocks_format"
	}
	if m.Text == "" && len(blocks) == 0 {
		return m, "no_text"
	}
	if utf8.RuneCountInString(m.Text) > maxText {
		return m, "msg_too_long"
	}
	for _, b := range blocks {
		switch {
		case b.Type == "section" && b.Text != nil && b.Text.Type == "plain_text" && b.Text.Text != "":
			if utf8.RuneCountInString(b.Text.Text) > maxSection {
				return m, "invalid_blocks"
			}
			m.Sections = append(m.Sections, b.Text.Text)
		case b.Type == "actions" && len(b.Elements) > 0 && len(b.Elements) <= maxButtons:
			for _, e := range b.Elements {
				if e.Type != "button" || e.ID == "" || e.Text.Type != "plain_text" || len(e.Text.Text) > maxLabel || len(e.Data) > maxData {
					return m, "invalid_blocks"
				}
				m.Buttons = append(m.Buttons, Button{e.Text.Text, e.Data})
			}
		default:
			return m, "invalid_blocks"
		}
	}
	return m, ""
}

// post takes a message. The lock is held.
func (s *Server) post(form url.Values) answer {
	m, wrong := take(form)
	if wrong != "" {
		return refusal(wrong)
	}
	if !strings.HasPrefix(m.Channel, "D") && !strings.HasPrefix(m.Channel, "C") {
		return refusal("channel_not_found")
	}
	m.At = s.now()
	s.sent = append(s.sent, m)
	own := Message{
		Type: "message", Where: "im", Channel: m.Channel, User: BotUser, Bot: botID, Text: m.Text, At: m.At, Thread: m.Thread,
	}
	s.written[m.Channel] = append(s.written[m.Channel], own)
	if strings.HasPrefix(m.Channel, "D") {
		s.brings("events_api", event(own)) // the app is told of its own as well
	}
	return fine(map[string]any{"channel": m.Channel, "ts": m.At})
}

// update changes a message. The lock is held.
func (s *Server) update(form url.Values) answer {
	m, wrong := take(form)
	if wrong != "" {
		return refusal(wrong)
	}
	for i := range s.sent {
		if was := &s.sent[i]; was.At == form.Get("ts") && was.Channel == m.Channel {
			was.Text, was.Sections, was.Buttons = m.Text, m.Sections, m.Buttons
			was.Edits++
			return fine(map[string]any{"channel": m.Channel, "ts": was.At})
		}
	}
	return refusal("message_not_found")
}
