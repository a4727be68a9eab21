package channel

import "maps"

// Places are how far the messages of private chats were taken: the last one of each, for providers that name messages by numbers or times
// which grow.
type Places map[string]string

// maxPlaces is of how many chats the place is kept. Those that were silent longest go first.
const maxPlaces = 100

// Took are the places after a message of a chat. Those before stay as they are.
func (p Places) Took(chat, message string) Places {
	if !Newer(message, p[chat]) {
		return p
	}
	all := maps.Clone(p)
	if all == nil {
		all = Places{}
	}
	all[chat] = message
	for len(all) > maxPlaces {
		oldest := chat
		for one, at := range all {
			if Newer(all[oldest], at) {
				oldest = one
			}
		}
		delete(all, oldest)
	}
	return all
}

// Newer says whether one message was written after another.
func Newer(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}
