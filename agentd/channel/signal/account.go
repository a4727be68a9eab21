package signal

import (
	"context"
	"encoding/base64"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/google/uuid"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// Account is the channel of one account of Signal.
type Account struct {
	set   wire.ChatSettings
	env   channel.Env
	quiet channel.Quiet // in which Signal takes no messages

	mu     sync.Mutex
	unread map[string][]int64 // by address: messages that were handed on, of which nobody was told that they were read
}

// Kind is that of accounts. They have no secret.
func Kind() channel.Kind {
	return channel.Kind{Address: Address, NoSecret: true, Make: func(s channel.Settings, e channel.Env) (channel.Channel, error) {
		if !isAccount(s.Chat.Account) || s.Chat.Way != wire.ChatPoll {
			return nil, errAccount
		}
		return &Account{set: s.Chat, env: e, unread: map[string][]int64{}}, nil
	}}
}

var errAccount = &wire.RPCError{
	Code: "bad_request", Text: "This is no number of a Signal account: one begins with + and the code of its country. Nothing was saved.",
}

var number = regexp.MustCompile(`^\+[1-9][0-9]{5,14}$`)

// isAccount says whether this names an account of signal-cli: by its number, or by its id if it has none.
func isAccount(s string) bool { return number.MatchString(s) || isID(s) }

// isID says whether this is the id of an account as Signal writes it.
func isID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s
}

var errAddress = errors.New("not the id of an account")

// groupMark stands before the id of a group, which is nobody's account.
const groupMark = "-"

// Address gives the id of a person's account, or that of a group.
func Address(s string) (string, error) {
	s = strings.TrimSpace(s)
	if group, is := strings.CutPrefix(s, groupMark); is {
		raw, err := base64.StdEncoding.DecodeString(group)
		if err != nil || len(raw) != 16 && len(raw) != 32 {
			return "", errAddress
		}
		return s, nil
	}
	if s = strings.ToLower(s); !isID(s) {
		return "", errAddress
	}
	return s, nil
}

// Name implements channel.Channel.
func (*Account) Name() string { return wire.ChannelSignal }

// Limits of Signal. What is longer goes out as a file, which not every program shows as a text.
const (
	maxText  = 2000
	maxFile  = 20 << 20 // bytes of a file that is fetched
	maxFiles = 32
	maxSent  = 40 << 20 // bytes of the files of one answer; Signal takes a hundred megabytes of each
)

// Capabilities implements channel.Channel.
func (*Account) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Edits: true, Allows: true, MaxText: maxText, MaxFile: maxFile, MaxFiles: maxFiles, SendBytes: maxSent, SendFiles: wire.MaxFiles,
	}
}

// Check implements channel.Channel: it asks which signal-cli runs, whether it has the account, and whether Signal still takes it.
func (a *Account) Check(ctx context.Context) (reads, sends string) {
	api := a.open()
	_, err := api.known(ctx)
	if err == nil {
		err = api.works(ctx)
	}
	if err != nil {
		text := troubleOf(ctx, err).Text
		return text, text
	}
	return "", ""
}

// maxUnread is of how many messages of one person, and of how many people, it is kept that nobody was told of their being read.
const maxUnread = 200

// handed notes a private message that was handed on.
func (a *Account) handed(address string, at int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all, known := a.unread[address]
	if len(all) < maxUnread && (known || len(a.unread) < maxUnread) {
		a.unread[address] = append(all, at)
	}
}

func (a *Account) read(address string) []int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.unread[address]
	delete(a.unread, address)
	return all
}

// Typing implements channel.Typer. It is asked for people who may write and wait for an answer, who learn by it that they were read as
// well; nobody else does.
func (a *Account) Typing(ctx context.Context, to string) {
	api := a.open()
	var err error
	if all := a.read(to); len(all) > 0 {
		err = api.call(ctx, "sendReceipt", map[string]any{"recipient": to, "targetTimestamp": all, "type": "read"}, nil)
	}
	err = errors.Join(err, api.call(ctx, "sendTyping", where(to), nil))
	if err != nil {
		a.env.Log.DebugContext(ctx, "typing not shown", "channel", a.Name(), "error", troubleOf(ctx, err).Text)
	}
}

// where says to signal-cli where something goes.
func where(to string) map[string]any {
	if group, is := strings.CutPrefix(to, groupMark); is {
		return map[string]any{"groupId": group}
	}
	return map[string]any{"recipient": []string{to}}
}
