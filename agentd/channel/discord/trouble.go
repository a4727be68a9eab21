package discord

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

// Words for people about what does not work. What Discord itself says is from outside, and not shown.
var (
	errNoToken = &channel.Trouble{Text: "There is no token for the bot. Set the channel up again.", Hard: true}
	errToken   = &channel.Trouble{
		Text: "Discord does not accept the token of the bot. Reset it in the Developer Portal under Bot, and set the channel up with " +
			"the new one.", Hard: true,
	}
	errOther = &channel.Trouble{
		Text: "The token is for another bot than the one that you signed for. Set the channel up again.", Hard: true,
	}
	errIntents = &channel.Trouble{
		Text: "Discord does not let the bot read messages. Look at the bot in the Developer Portal; Discord may have limited it.",
		Hard: true,
	}
	errTooOften = &channel.Trouble{
		Text: "The bot has connected too often today, and Discord asks to wait. Another program may use its token as well. " +
			"It is tried again later.", Hard: true,
	}
	errUnreachable = &channel.Trouble{Text: "Discord cannot be reached. It is tried again."}
	errUntrusted   = &channel.Trouble{
		Text: "Discord cannot show that it is the one it should be (its certificate). Nothing was sent to it.", Hard: true,
	}
	errBusy   = &channel.Trouble{Text: "Discord asks to wait. It is tried again later."}
	errEnded  = &channel.Trouble{Text: "Discord gave no answer that can be read. It is tried again."}
	errClosed = &channel.Trouble{Text: "The connection to Discord ended. It is tried again."}
	errSilent = &channel.Trouble{Text: "Discord has fallen silent. It is connected to anew."}
)

// Codes with which Discord ends a connection.
const (
	closeToken      websocket.StatusCode = 4004
	closeSequence   websocket.StatusCode = 4007
	closeTimedOut   websocket.StatusCode = 4009
	closeWrongShard websocket.StatusCode = 4010
	closeSharding   websocket.StatusCode = 4011
	closeNotKnown   websocket.StatusCode = 4013
	closeNotLet     websocket.StatusCode = 4014
)

// troubleOf says in words why Discord does not do what was asked.
func troubleOf(ctx context.Context, err error) *channel.Trouble {
	var known *channel.Trouble
	var proof *tls.CertificateVerificationError
	var no *refusal
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &proof):
		return errUntrusted
	case errors.As(err, &no) && no.status == http.StatusUnauthorized:
		return errToken
	case errors.As(err, &no) && no.status == http.StatusTooManyRequests:
		return errBusy
	case errors.As(err, &no):
		return errEnded
	}
	switch websocket.CloseStatus(err) {
	case closeToken:
		return errToken
	case closeNotLet, closeNotKnown, closeSharding, closeWrongShard:
		return errIntents
	case -1:
	default:
		return errClosed
	}
	if errors.Is(err, errNotGiven) || ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return errUnreachable
	}
	return errEnded
}

// retryAfter is how long Discord asks to wait.
func retryAfter(err error) (time.Duration, bool) {
	var no *refusal
	if !errors.As(err, &no) || no.status != http.StatusTooManyRequests {
		return 0, false
	}
	return no.after, true
}

// Discord's own codes of refusals.
const codeCannotSend = 50007

// refusedFor says what came of a message that Discord has not taken; nil: nobody knows.
func refusedFor(ctx context.Context, err error) error {
	var known *channel.Trouble
	var no *refusal
	switch {
	case errors.Is(err, errNotGiven), errors.As(err, &known) && known.Hard:
		return tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	case !errors.As(err, &no) || no.status >= 500:
		return nil
	case no.status == http.StatusTooManyRequests:
		return &channel.Later{Text: fmt.Sprintf("Discord asks to wait %s.", no.after), After: no.after}
	case no.status == http.StatusUnauthorized:
		return tool.Refuse("%s Nothing was sent.", errToken.Text)
	case no.code == codeCannotSend:
		return tool.Refuse("Discord does not let the bot write to this person: they have to share a server with it and take " +
			"messages from there, or have blocked it. Nothing was sent.")
	case no.status == http.StatusForbidden, no.status == http.StatusNotFound:
		return tool.Refuse("Discord does not let the bot write there: the place is gone, or the bot has no right to. Nothing was sent.")
	case no.status >= 400:
		return tool.Refuse("Discord refused the message. Nothing was sent.")
	}
	return nil
}
