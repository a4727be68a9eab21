package team

import (
	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// What can be wrong with how conversations are kept.
var (
	errQueue    = fault.Bad(map[string]string{"queue": "Choose one of the ways."})
	errDebounce = fault.Bad(map[string]string{"debounce_ms": "This is a whole number of milliseconds from 0 to 10,000."})
	errIdle     = fault.Bad(map[string]string{
		"idle_hours": "Type a whole number of hours from 1 to 8,760, or leave the field empty: then a conversation never ends by itself.",
	})
)

// Chats sets what becomes of messages that come while the team is at work, and when a conversation is over.
func Chats(set wire.Chats) Edit {
	return func(c *wire.Config) error {
		if set.Burst() == wire.DefaultDebounce {
			set.Debounce = nil // what is usual has one form, so that equal settings compare equal
		}
		c.Chats = set
		return nil
	}
}

// checkChats refuses what no server could keep.
func checkChats(c wire.Chats) error {
	switch {
	case !c.Queue.Known():
		return errQueue
	case c.Debounce != nil && (*c.Debounce < 0 || *c.Debounce > wire.MaxDebounce):
		return errDebounce
	case c.IdleHours < 0 || c.IdleHours > wire.MaxIdleHours:
		return errIdle
	}
	return nil
}
