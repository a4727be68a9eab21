package whatsapptest

import (
	"encoding/json"
	"maps"
	"strconv"
	"time"

	"gatehouse/agentd/wire"
)

// Person is somebody with a phone.
type Person struct{ Phone, Name string }

// Bring has what is written be brought to an address until it is taken, as Meta does.
func (s *Server) Bring(to func(wire.ChannelDelivery) wire.ChannelAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = to
	s.wake()
}

// wake has what waits be brought. The lock is held.
func (s *Server) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// bring brings what waits, one after the other, until the server stops.
func (s *Server) bring() {
	for {
		s.mu.Lock()
		to := s.to
		var next []byte
		if len(s.waiting) > 0 && to != nil {
			next = s.waiting[0]
		}
		s.mu.Unlock()
		if next == nil {
			select {
			case <-s.gone:
				return
			case <-s.more:
			}
			continue
		}
		if to(s.Delivery(next)).Status == 200 {
			s.mu.Lock()
			s.waiting = s.waiting[1:]
			s.mu.Unlock()
			continue
		}
		select { // Meta waits longer
		case <-s.gone:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Delivery is a body as Meta brings it.
func (s *Server) Delivery(body []byte) wire.ChannelDelivery {
	return wire.ChannelDelivery{
		Method: "POST", Body: body,
		Headers: map[string]string{"content-type": "application/json", "x-hub-signature-256": s.Sign(body)},
	}
}

// Greeting is the question with which Meta looks whether an address is whose it should be.
func Greeting(token, challenge string) wire.ChannelDelivery {
	return wire.ChannelDelivery{Method: "GET", Query: "hub.mode=subscribe&hub.challenge=" + challenge + "&hub.verify_token=" + token}
}

// Message is the body of a message of somebody to the number: of what, with its fields. Its id is given.
func Message(id string, who Person, at time.Time, kind string, fields map[string]any) []byte {
	m := map[string]any{"id": id, "from": who.Phone, "timestamp": strconv.FormatInt(at.Unix(), 10), "type": kind}
	maps.Copy(m, fields)
	return body(map[string]any{
		"contacts": []any{map[string]any{"wa_id": who.Phone, "profile": map[string]string{"name": who.Name}}}, "messages": []any{m},
	})
}

func body(value map[string]any) []byte {
	value["messaging_product"] = "whatsapp"
	value["metadata"] = map[string]string{"display_phone_number": "15550100100", "phone_number_id": Account}
	raw, err := json.Marshal(map[string]any{
		"object": "whatsapp_business_account",
		"entry":  []any{map[string]any{"id": "102290129340398", "changes": []any{map[string]any{"field": "messages", "value": value}}}},
	})
	if err != nil {
		panic(err) // plain values always marshal
	}
	return raw
}

// Sends has somebody send something, and gives its id.
func (s *Server) Sends(who Person, kind string, fields map[string]any) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = "wamid." + s.number()
	s.heard[who.Phone] = s.now()
	s.waiting = append(s.waiting, Message(id, who, s.now(), kind, fields))
	s.wake()
	return id
}

// Says has somebody write a text.
func (s *Server) Says(who Person, text string) (id string) {
	return s.Sends(who, "text", map[string]any{"text": map[string]string{"body": text}})
}

// Presses has somebody press a button beneath a message.
func (s *Server) Presses(who Person, on Sent, b Button) (id string) {
	return s.Sends(who, "interactive", map[string]any{
		"context":     map[string]string{"from": "15550100100", "id": on.ID},
		"interactive": map[string]any{"type": "button_reply", "button_reply": map[string]string{"id": b.ID, "title": b.Title}},
	})
}

// Keeps keeps a file that somebody sends, and gives the number by which a message names it.
func (s *Server) Keeps(f File) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = s.number()
	s.files[id] = f
	return id
}

// Reports has it be reported what became of a message: sent, delivered, read, or failed with a code.
func (s *Server) Reports(on Sent, state string, code int) {
	m := map[string]any{
		"id": on.ID, "status": state, "timestamp": strconv.FormatInt(s.now().Unix(), 10), "recipient_id": on.To,
		"biz_opaque_callback_data": on.Ours,
	}
	if code != 0 {
		m["errors"] = []any{map[string]any{"code": code, "title": "Message failed to send"}}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, body(map[string]any{"statuses": []any{m}}))
	s.wake()
}
