package googlechattest

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"gatehouse/agentd/wire"
)

// Person is somebody with an account.
type Person struct{ ID, Name string }

// Nobody has not opened a chat with the app.
var Nobody = Person{ID: "100000000000000000009", Name: "Nobody"}

// Room is a space of several people.
const Room = "spaces/AAAAroom"

// Bring has events be brought to an address, once each: Google tells people that the app does not answer, and does not come again.
func (s *Server) Bring(to func(wire.ChannelDelivery) wire.ChannelAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = to
}

// Claims are what a token of Google says that is made at a time.
func Claims(now time.Time) jwt.MapClaims {
	return jwt.MapClaims{
		"iss": "chat@system.gserviceaccount.com", "aud": Project, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
}

// Sign signs claims as Google does, or with the key of somebody else, or under the name of another key.
func Sign(c jwt.MapClaims, foreign bool, kid string) string {
	t := jwt.NewWithClaims(jwt.SigningMethodRS256, c)
	t.Header["kid"] = keyID
	if kid != "" {
		t.Header["kid"] = kid
	}
	key := pair()[0]
	if foreign {
		key = pair()[1]
	}
	signed, err := t.SignedString(key)
	if err != nil {
		panic(err) // claims of plain values always sign
	}
	return signed
}

// Delivery is an event as Google brings it.
func Delivery(body []byte, token string) wire.ChannelDelivery {
	return wire.ChannelDelivery{
		Method: "POST", Body: body, Headers: map[string]string{"content-type": "application/json", "authorization": "Bearer " + token},
	}
}

// Event is the body of an event that somebody caused in a space.
func Event(kind string, who Person, space string, at time.Time, fields map[string]any) []byte {
	of := "DIRECT_MESSAGE"
	if space == Room {
		of = "SPACE"
	}
	e := map[string]any{
		"type": kind, "eventTime": at.UTC().Format(time.RFC3339Nano),
		"user":  map[string]string{"name": "users/" + who.ID, "displayName": who.Name, "type": "HUMAN"},
		"space": map[string]any{"name": space, "spaceType": of},
	}
	maps.Copy(e, fields)
	raw, err := json.Marshal(e)
	if err != nil {
		panic(err) // plain values always marshal
	}
	return raw
}

// bring brings an event, and gives the answer to it.
func (s *Server) bring(body []byte) wire.ChannelAnswer {
	s.mu.Lock()
	to := s.to
	s.mu.Unlock()
	return to(Delivery(body, Sign(Claims(s.now()), false, "")))
}

// Message is one of somebody in a space, with further fields.
func (s *Server) Message(space, text string, fields map[string]any) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.number()
	m := map[string]any{
		"name": space + "/messages/u" + n + ".u" + n, "text": text, "thread": map[string]string{"name": space + "/threads/u" + n},
	}
	maps.Copy(m, fields)
	return m
}

// Says has somebody write to the app, in their direct messages.
func (s *Server) Says(who Person, text string) wire.ChannelAnswer {
	return s.Sends(who, direct(who.ID), text, nil)
}

// Sends has somebody send something in a space.
func (s *Server) Sends(who Person, space, text string, fields map[string]any) wire.ChannelAnswer {
	return s.bring(Event("MESSAGE", who, space, s.now(), map[string]any{"message": s.Message(space, text, fields)}))
}

// Presses has somebody press a button beneath a message.
func (s *Server) Presses(who Person, on Sent, b Button) wire.ChannelAnswer {
	return s.bring(Event("CARD_CLICKED", who, on.Space, s.now(), map[string]any{
		"message": map[string]any{"name": on.Name, "thread": map[string]string{"name": on.Thread}},
		"common":  map[string]any{"invokedFunction": "press", "parameters": map[string]string{"data": b.Data}},
	}))
}

// Keeps keeps a file that somebody attaches, and gives the field that names it.
func (s *Server) Keeps(name, kind string, data []byte) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref := "res" + s.number() + "/a=b"
	s.files[ref] = data
	return map[string]any{
		"contentName": name, "contentType": kind, "source": "UPLOADED_CONTENT", "attachmentDataRef": map[string]string{"resourceName": ref},
	}
}

// With is what the app has sent to somebody in private.
func (s *Server) With(who Person) (all []Sent) {
	for _, m := range s.Sent() {
		if m.Space == direct(who.ID) {
			all = append(all, m)
		}
	}
	return all
}
