package telegramtest

import (
	"encoding/json"
	"time"

	"gatehouse/agentd/wire"
)

// Bring has updates be brought to where the webhook leads, as long as one is set, until they are taken, as Telegram does.
func (s *Server) Bring(to func(url string, d wire.ChannelDelivery) wire.ChannelAnswer) {
	go func() {
		for {
			s.mu.Lock()
			came, url, secret := s.came, s.hook, s.secret
			var next []byte
			if url != "" && len(s.updates) > 0 {
				next, _ = json.Marshal(s.updates[0]) // always marshals
			}
			s.mu.Unlock()
			if next == nil {
				select {
				case <-s.gone:
					return
				case <-came:
				}
				continue
			}
			if to(url, Delivery(next, secret)).Status == 200 {
				s.mu.Lock()
				s.updates = s.updates[1:]
				s.mu.Unlock()
				continue
			}
			select { // Telegram waits longer
			case <-s.gone:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
}

// Delivery is an update as Telegram brings it.
func Delivery(update []byte, secret string) wire.ChannelDelivery {
	return wire.ChannelDelivery{Method: "POST", Body: update, Headers: map[string]string{
		"content-type": "application/json", "x-telegram-bot-api-secret-token": secret,
	}}
}

// Hook is the webhook that is set, and its secret.
func (s *Server) Hook() (url, secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hook, s.secret
}
