package slack

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"gatehouse/agentd/channel"
)

// page is how many messages Slack gives at once, maxPages how many times one chat is asked for more, and maxRest how long Slack may ask to
// wait in between.
const (
	page     = 200
	maxPages = 10
	maxRest  = time.Minute
)

// missed reads what was written in private chats after what was taken last: Slack brings something three times within some minutes, and
// never again. What it does bring besides is known by its name.
func (r *run) missed(ctx context.Context) error {
	for _, chat := range slices.Sorted(maps.Keys(r.at.Chats)) {
		if err := r.missedIn(ctx, chat); err != nil {
			return err
		}
	}
	return nil
}

// missedIn is missed for one chat.
func (r *run) missedIn(ctx context.Context, chat string) error {
	if !chatID.MatchString(chat) || !stamp.MatchString(r.at.Chats[chat]) {
		return nil
	}
	all, err := r.since(ctx, chat, r.at.Chats[chat])
	var no *refusal
	if errors.As(err, &no) && no.code == "channel_not_found" {
		return nil // the chat is gone
	}
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b message) int {
		switch {
		case channel.Newer(a.At, b.At):
			return 1
		case channel.Newer(b.At, a.At):
			return -1
		}
		return 0
	})
	for _, w := range all {
		w.Channel, w.Where = chat, whereIM
		m := r.written(ctx, w)
		if err := r.hand(ctx, r.at.took(chat, w.At), m); err != nil {
			return err
		}
	}
	return nil
}

// since asks for the messages of a chat after one, newest first as Slack gives them.
func (r *run) since(ctx context.Context, chat, after string) (all []message, err error) {
	form := url.Values{"channel": {chat}, "oldest": {after}, "limit": {strconv.Itoa(page)}}
	for range maxPages {
		var got struct {
			Messages []message `json:"messages"`
			More     bool      `json:"has_more"`
			Meta     struct {
				Next string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		err := r.api.call(ctx, "conversations.history", form, &got)
		after, busy := retryAfter(err)
		if busy && after <= maxRest {
			if err := channel.Rest(ctx, after); err != nil {
				return nil, err
			}
			err = r.api.call(ctx, "conversations.history", form, &got)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, got.Messages...)
		if !got.More || got.Meta.Next == "" {
			break
		}
		form.Set("cursor", got.Meta.Next)
	}
	return slices.DeleteFunc(all, func(w message) bool { return !stamp.MatchString(w.At) || !channel.Newer(w.At, form.Get("oldest")) }), nil
}
