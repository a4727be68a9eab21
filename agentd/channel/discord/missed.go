package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"gatehouse/agentd/channel"
)

// page is how many messages Discord gives at once, and maxPages how many times one chat is asked for more.
const (
	page     = 100
	maxPages = 10
)

// missed reads what was written in private chats after what was taken last: the session that would have brought it is over. What the new
// session brings besides is known by its number.
func (r *run) missed(ctx context.Context) error {
	for _, chat := range slices.Sorted(maps.Keys(r.at.Chats)) {
		for range maxPages {
			n, err := r.missedIn(ctx, chat)
			var no *refusal
			if errors.As(err, &no) && (no.status == http.StatusNotFound || no.status == http.StatusForbidden) {
				break // the chat is gone
			}
			if err != nil {
				return err
			}
			if n < page {
				break
			}
		}
	}
	return nil
}

func (r *run) missedIn(ctx context.Context, chat string) (n int, err error) {
	if !isNumber(chat) || !isNumber(r.at.Chats[chat]) {
		return 0, nil
	}
	var all []json.RawMessage
	path := "/channels/" + chat + "/messages?limit=" + strconv.Itoa(page) + "&after=" + r.at.Chats[chat]
	for {
		err := r.api.call(ctx, http.MethodGet, path, nil, &all)
		after, busy := retryAfter(err)
		if busy && after <= maxRest {
			err = channel.Rest(ctx, after)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return 0, err
		}
		break
	}
	slices.SortStableFunc(all, func(a, b json.RawMessage) int { return byAge(idOf(a), idOf(b)) })
	for _, raw := range all {
		m, _ := r.read(frame{Type: "MESSAGE_CREATE", Data: raw})
		at := r.at.ends().took(chat, idOf(raw))
		if err := r.hand(ctx, at, m); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}

func idOf(raw json.RawMessage) string {
	var only struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(raw, &only) // what cannot be read has none
	if !isNumber(only.ID) {
		return ""
	}
	return only.ID
}

func byAge(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
