package slack

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/tool"
)

// Words for people about what does not work. What Slack itself says is from outside, and not shown.
var (
	errNoToken = &channel.Trouble{Text: "The two tokens for Slack are not there. Set the channel up again with both.", Hard: true}
	errToken   = &channel.Trouble{
		Text: "Slack does not accept a token: it was taken back, or the app was removed. Copy both from api.slack.com/apps, and set the " +
			"channel up with them.", Hard: true,
	}
	errOther = &channel.Trouble{
		Text: "A token is for another app than the one that you signed for. Set the channel up again with both tokens of one app.", Hard: true,
	}
	errScope = &channel.Trouble{
		Text: "The app lacks a right at Slack. Compare it with the manifest on the page about Slack, and install it in the workspace again.",
		Hard: true,
	}
	errSocketOff = &channel.Trouble{
		Text: "Socket Mode of the app is turned off. Turn it on at api.slack.com/apps under Socket Mode.", Hard: true,
	}
	errUnreachable = &channel.Trouble{Text: "Slack cannot be reached. It is tried again."}
	errUntrusted   = &channel.Trouble{
		Text: "Slack cannot show that it is the one it should be (its certificate). Nothing was sent to it.", Hard: true,
	}
	errBusy   = &channel.Trouble{Text: "Slack asks to wait. It is tried again later."}
	errEnded  = &channel.Trouble{Text: "Slack gave no answer that can be read. It is tried again."}
	errClosed = &channel.Trouble{Text: "The connection to Slack ended. It is tried again."}
	errSilent = &channel.Trouble{Text: "Slack has fallen silent. It is connected to again."}
)

// known are Slack's words for what a person has to see to.
var known = map[string]*channel.Trouble{
	"invalid_auth": errToken, "not_authed": errToken, "account_inactive": errToken, "token_revoked": errToken, "token_expired": errToken,
	"org_login_required": errToken, "app_uninstalled": errToken, "bot_not_found": errOther,
	"missing_scope": errScope, "no_permission": errScope, "not_allowed_token_type": errScope, "access_denied": errScope,
	"forbidden_team": errScope, "user_removed_from_team": errToken, "team_disabled": errToken,
}

// troubleOf says in words why Slack does not do what was asked.
func troubleOf(ctx context.Context, err error) *channel.Trouble {
	var said *channel.Trouble
	var proof *tls.CertificateVerificationError
	var no *refusal
	switch {
	case errors.As(err, &said):
		return said
	case errors.As(err, &proof):
		return errUntrusted
	case errors.As(err, &no) && known[no.code] != nil:
		return known[no.code]
	case errors.As(err, &no) && no.code == codeBusy:
		return errBusy
	case errors.As(err, &no):
		return errEnded
	case websocket.CloseStatus(err) != -1:
		return errClosed
	case errors.Is(err, errNotGiven), ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		return errUnreachable
	}
	return errEnded
}

// retryAfter is how long Slack asks to wait.
func retryAfter(err error) (time.Duration, bool) {
	var no *refusal
	if !errors.As(err, &no) || no.code != codeBusy {
		return 0, false
	}
	return no.after, true
}

// Slack's words for people and places that cannot be written to, and for what leaves open whether it has a message.
var (
	nobody = map[string]bool{
		"user_not_found": true, "users_not_found": true, "user_disabled": true, "user_not_visible": true, "cannot_dm_bot": true,
		"messages_tab_disabled": true, "cannot_message_user": true,
	}
	noPlace = map[string]bool{
		"channel_not_found": true, "not_in_channel": true, "is_archived": true, "restricted_action": true, "is_inactive": true,
		"restricted_action_read_only_channel": true, "restricted_action_thread_only_channel": true,
	}
	open = map[string]bool{
		"fatal_error": true, "internal_error": true, "service_unavailable": true, "request_timeout": true, "team_added_to_org": true, "": true,
	}
)

// refusedFor says what came of a message that Slack has not taken; nil: nobody knows.
func refusedFor(ctx context.Context, err error) error {
	var said *channel.Trouble
	var no *refusal
	switch {
	case errors.Is(err, errNotGiven), errors.As(err, &said) && said.Hard:
		return tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	case !errors.As(err, &no) || no.status >= http.StatusInternalServerError:
		return nil
	case no.code == codeBusy:
		return &channel.Later{Text: fmt.Sprintf("Slack asks to wait %s.", no.after), After: no.after}
	case known[no.code] != nil:
		return tool.Refuse("%s Nothing was sent.", known[no.code].Text)
	case nobody[no.code]:
		return tool.Refuse("Slack does not let the app write to this person: they are gone, or messages to the app are turned off under " +
			"App Home. Nothing was sent.")
	case noPlace[no.code]:
		return tool.Refuse("Slack does not let the app write there: the channel is gone, or the app is not in it. Nothing was sent.")
	case no.status == http.StatusOK && open[no.code]:
		return nil
	}
	return tool.Refuse("Slack refused the message. Nothing was sent.")
}
