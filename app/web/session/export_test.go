package session

import "time"

// WatchEvery is how often it is looked at what other hub processes ended.
const WatchEvery = watchEvery

// CheckTokensEvery lets a test see in moments what takes half a minute.
func (m *Manager) CheckTokensEvery(d time.Duration) { m.tokenEvery = d }
