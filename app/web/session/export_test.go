package session

import "time"

// CheckTokensEvery lets a test see in moments what takes half a minute.
func (m *Manager) CheckTokensEvery(d time.Duration) { m.tokenEvery = d }
