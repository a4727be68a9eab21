package signal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/tool"
)

// Words for people about what does not work. What signal-cli itself says is not shown: it may repeat what others sent.
var (
	errNotThere = &channel.Trouble{
		Text: "signal-cli does not run on the server, or not where it is expected. Start it as the page about Signal says. It is tried again.",
	}
	errOld = &channel.Trouble{
		Text: "The signal-cli on the server is too old. Install version 0.13.12 or a later one.", Hard: true,
	}
	errNoAccount = &channel.Trouble{
		Text: "The signal-cli on the server does not have this account. Link or register it there, or set the channel up with the one " +
			"that it has.", Hard: true,
	}
	errUnlinked = &channel.Trouble{
		Text: "Signal does not accept the account on the server anymore: it was unlinked, or registered elsewhere. Link it again.", Hard: true,
	}
	errNoSignal = &channel.Trouble{Text: "signal-cli cannot reach Signal. It is tried again."}
	errBusy     = &channel.Trouble{Text: "Signal asks to wait. It is tried again later."}
	errEnded    = &channel.Trouble{Text: "signal-cli gave no answer that can be read. It is tried again."}
	errClosed   = &channel.Trouble{Text: "The connection to signal-cli ended. It is tried again."}
	errSilent   = &channel.Trouble{Text: "signal-cli has fallen silent. It is connected to again."}
)

// troubleOf says in words why signal-cli does not do what was asked.
func troubleOf(ctx context.Context, err error) *channel.Trouble {
	var known *channel.Trouble
	var no *refusal
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errNotGiven):
		return errNotThere
	case !errors.As(err, &no):
		if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
			return errSilent
		}
		return errEnded
	case no.status == http.StatusNotFound: // something else answers there
		return errNotThere
	case no.gone:
		return errUnlinked
	case no.code == codeParams:
		return errNoAccount
	case no.code == codeRate, no.kind == kindRate:
		return errBusy
	}
	return errEnded
}

// Kinds of messages that were not sent, as signal-cli names them.
const (
	kindRate         = "RATE_LIMIT_FAILURE"
	kindIdentity     = "IDENTITY_FAILURE"
	kindUnregistered = "UNREGISTERED_FAILURE"
	kindKeys         = "INVALID_PRE_KEY_FAILURE"
)

// restAfter is how long is waited where Signal does not say how long.
const restAfter = time.Minute

// refusedFor says what came of a message that Signal has not taken; nil: nobody knows.
func refusedFor(ctx context.Context, err error) error {
	var known *channel.Trouble
	var no *refusal
	switch {
	case errors.Is(err, errNotGiven), errors.As(err, &known) && known.Hard:
		return tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	case !errors.As(err, &no) || no.status >= 500:
		return nil
	case no.kind != "":
		return byKind(no)
	case no.status != http.StatusOK, no.gone, no.code == codeParams:
		return tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	switch no.code {
	case codeRate:
		return byKind(&refusal{kind: kindRate})
	case codeUntrusted:
		return byKind(&refusal{kind: kindIdentity})
	case codeUser, codeNoMethod:
		return tool.Refuse("signal-cli refused the message: the account may have left the group, or may not write there. Nothing was sent.")
	}
	return nil
}

// byKind says what came of a message that signal-cli says was not sent.
func byKind(no *refusal) error {
	after := no.after
	if after <= 0 {
		after = restAfter
	}
	switch no.kind {
	case kindRate:
		if no.proof {
			return &channel.Later{Text: "Signal wants it shown that a person writes (a captcha), or asks to wait.", After: after}
		}
		return &channel.Later{Text: fmt.Sprintf("Signal asks to wait %s.", after), After: after}
	case kindIdentity:
		return tool.Refuse("The safety number of this person has changed. Compare it with them, and confirm it on the server with " +
			"signal-cli trust. Nothing was sent.")
	case kindUnregistered:
		return tool.Refuse("This person is not at Signal anymore. Nothing was sent.")
	case kindKeys:
		return tool.Refuse("Signal has no usable key of this person. They should open Signal and write. Nothing was sent.")
	}
	return nil // also where the network failed: Signal may have the message
}
