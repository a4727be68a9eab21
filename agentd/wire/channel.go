package wire

import "time"

// The methods about messaging channels, since version 6: ways other than the portal to write to the team. Params → result. What lets
// more come in is signed (ChannelDo.Signed).
const (
	MethodChannelsList  Method = "channels.list"  // ChannelsParams → ChannelsResult
	MethodChannelChange Method = "channel.change" // ChannelChange → Channel as it stands then; a repeat gives what is there
	MethodChannelTest   Method = "channel.test"   // ChannelTest → ChannelTested
)

// The channels, whose names are those of their kinds as well.
const (
	ChannelEmail    = "email"
	ChannelTelegram = "telegram"
	ChannelDiscord  = "discord"
	ChannelSignal   = "signal"
	ChannelSlack    = "slack"
)

// IsMessaging says whether a message that came by this channel came by a messaging channel.
func IsMessaging(channel string) bool {
	switch channel {
	case ChannelEmail, ChannelTelegram, ChannelDiscord, ChannelSignal, ChannelSlack:
		return true
	}
	return false
}

// ChannelSecretName is the name under which the vault keeps the password of a channel.
func ChannelSecretName(channel string) string { return "channel." + channel }

// ChannelPolicy says from whom a channel takes messages.
type ChannelPolicy string

// The policies.
const (
	ChannelPairing   ChannelPolicy = "pairing"   // unknown senders get a code, which the owner confirms
	ChannelAllowlist ChannelPolicy = "allowlist" // people whom the owner has added; others get no answer
	ChannelOpen      ChannelPolicy = "open"      // everybody; Anyone says so once more
	ChannelDisabled  ChannelPolicy = "disabled"  // nobody
)

// ChannelAnyone is what a person writes to open a channel to everybody.
const ChannelAnyone = "*"

// Bounds of channels.
const (
	MaxChannelWaiting = 3 // people who wait to be confirmed
	ChannelCodeLife   = time.Hour
	MaxChannelPeople  = 200
	MaxChannelOpen    = 20 // runs of one channel that have not ended
	MaxChannelHour    = 30 // messages of one person within an hour
)

// MailTLS is how a connection to a mail server is protected.
type MailTLS string

// The ways. MailPlain is for servers on the machine itself.
const (
	MailImplicit MailTLS = "tls"
	MailStartTLS MailTLS = "starttls"
	MailPlain    MailTLS = "none"
)

// MailServer is where a mail server is.
type MailServer struct {
	Host string  `json:"host"`
	Port int     `json:"port"`
	TLS  MailTLS `json:"tls"`
}

// MailSettings are the settings of a mailbox.
type MailSettings struct {
	Provider string     `json:"provider"` // id of MailProviders; empty: another one
	Address  string     `json:"address"`  // the mailbox's own
	User     string     `json:"user"`     // signs in; usually the address
	IMAP     MailServer `json:"imap"`
	SMTP     MailServer `json:"smtp"`
	// AuthServ names the server whose Authentication-Results say who a sender is. Empty: no sender is known for sure.
	AuthServ string `json:"auth_serv"`
}

// ChatSettings are the settings of a messenger. Its token is the password of the channel.
type ChatSettings struct {
	Way ChatWay `json:"way,omitempty"`
	// Account names the account that the token is for, as the messenger does in the token itself. It is signed, the token is not: one of
	// another account is not used.
	Account string     `json:"account,omitempty"`
	Groups  ChatGroups `json:"groups,omitempty"`
}

// ChatGroups says what of a group a messenger's channel reads.
type ChatGroups string

// The choices. What is said in a group is no approval, whoever says it.
const (
	ChatGroupsOff   ChatGroups = ""        // nothing
	ChatGroupsNamed ChatGroups = "mention" // what names the account or answers it, from people who may write in private
)

// ChatWay is how the messages of a messenger come to the server.
type ChatWay string

// The ways.
const (
	ChatPoll ChatWay = ""        // the server asks for them
	ChatHook ChatWay = "webhook" // the messenger brings them
)

// ChannelApprovals says which requests for approval the paired owner gets by a channel.
type ChannelApprovals string

// The choices. What the owner may decide there, agentd says for each request.
const (
	ApprovalsOff ChannelApprovals = ""    // none
	ApprovalsOwn ChannelApprovals = "own" // those of work that came by this channel from the owner
	ApprovalsAll ChannelApprovals = "all" // every one of the server
)

// ChannelState is where a channel stands.
type ChannelState string

// The states.
const (
	ChannelActive  ChannelState = "active"
	ChannelPaused  ChannelState = "paused"  // nothing is read or sent
	ChannelRemoved ChannelState = "removed" // set up no more
)

// Channel is one channel as pages show it.
type Channel struct {
	Name    string          `json:"name"`
	State   ChannelState    `json:"state"`
	Agent   string          `json:"agent"` // who answers
	Policy  ChannelPolicy   `json:"policy"`
	Mail    MailSettings    `json:"mail"`
	Chat    ChatSettings    `json:"chat,omitzero"`
	Level   int             `json:"level"` // its runs stand no higher
	Live    ChannelLive     `json:"live"`
	Counts  ChannelCounts   `json:"counts"`
	People  []ChannelPerson `json:"people"` // who waits first, then by address; codes that are over are not among them
	Version int64           `json:"version"`
	By      DecidedBy       `json:"by"`
	Created time.Time       `json:"created_at"`
	Updated time.Time       `json:"updated_at"`

	Approvals ChannelApprovals `json:"approvals,omitempty"`

	Strangers StrangerSettings `json:"strangers,omitzero"`
	Wrote     StrangerCounts   `json:"wrote,omitzero"` // strangers
}

// ChannelLive is how the connection of a channel stands.
type ChannelLive struct {
	Connected bool      `json:"connected"`
	Account   string    `json:"account,omitempty"` // as which it is signed in, where its settings do not say so
	Since     time.Time `json:"since"`             // of Connected; zero: it was never tried
	LastError string    `json:"last_error"`        // in words for people; kept after it is over
	ErrorAt   time.Time `json:"error_at"`
	RetryAt   time.Time `json:"retry_at"`        // zero: it is connected, or paused
	Fails     int       `json:"fails,omitempty"` // tries since it was connected last
	Hard      bool      `json:"hard,omitempty"`  // a person has to do something: it is tried rarely
}

// ChannelCounts is what came and went in the last 30 days.
type ChannelCounts struct {
	Received int `json:"received"` // an agent worked on it
	Refused  int `json:"refused"`  // and what was not answered on purpose
	Sent     int `json:"sent"`
	Failed   int `json:"failed"`
	Unknown  int `json:"unknown"` // nobody knows whether it was sent
	Waiting  int `json:"waiting"` // not sent yet
}

// PersonState is where a person on a channel stands.
type PersonState string

// The states.
const (
	PersonWaiting PersonState = "waiting"
	PersonPaired  PersonState = "paired"
	PersonBlocked PersonState = "blocked"
)

// ChannelPerson is a person on a channel.
type ChannelPerson struct {
	ID      string      `json:"id"`
	Address string      `json:"address"`
	Name    string      `json:"name,omitempty"` // what they call themselves there, which anybody can
	State   PersonState `json:"state"`
	Owner   bool        `json:"owner"` // the owner: what they write counts as the owner's own where it is known to be theirs
	Code    string      `json:"code,omitempty"`
	Until   time.Time   `json:"until,omitzero"` // of the code
	Since   time.Time   `json:"since"`
}

// ChannelsParams asks for the channels, by name.
type ChannelsParams struct{}

// ChannelsResult are the channels of a server.
type ChannelsResult struct {
	Items []Channel `json:"items"`
}

// ChangeChannel is a change of a channel by a person; body: ChannelAct.
const ChangeChannel ChangeKind = "channel"

// ChannelDo is what a person does with a channel.
type ChannelDo string

// What is done with channels.
const (
	ChannelDoPut     ChannelDo = "put"    // set up, or change
	ChannelDoResume  ChannelDo = "resume" // after a pause
	ChannelDoPause   ChannelDo = "pause"
	ChannelDoRemove  ChannelDo = "remove"
	ChannelDoConfirm ChannelDo = "confirm" // a person who waits
	ChannelDoAllow   ChannelDo = "allow"   // an address that has not written yet
	ChannelDoBlock   ChannelDo = "block"
	ChannelDoUnlink  ChannelDo = "unlink"
)

// Signed says whether a person signs for it.
func (d ChannelDo) Signed() bool {
	switch d {
	case ChannelDoPut, ChannelDoResume, ChannelDoConfirm, ChannelDoAllow:
		return true
	case ChannelDoWrite, ChannelDoErase: // it leaves in the business's name; nobody brings back what it destroys
		return true
	}
	return false
}

// ChannelAct is what is signed: everything that decides what happens. The password is not: whoever could put another one in its place
// could keep the channel from working, and no more.
type ChannelAct struct {
	ID      string        `json:"id"` // UUIDv7: names the act, which happens once
	Do      ChannelDo     `json:"do"`
	Channel string        `json:"channel"`
	Agent   string        `json:"agent"`
	Policy  ChannelPolicy `json:"policy"`
	Anyone  string        `json:"anyone"` // ChannelAnyone with ChannelOpen
	Mail    MailSettings  `json:"mail"`
	Person  string        `json:"person"`  // id of one who waits, is paired or is blocked
	Address string        `json:"address"` // confirm and allow
	Owner   bool          `json:"owner"`   // confirm and allow: the address is the owner's own
	Version int64         `json:"version"` // of the channel as the person saw it: another one is refused. 0 for a new one

	// Later hubs alone send these; an act without them is signed as before they were.
	Chat      ChatSettings     `json:"chat,omitzero"`
	Approvals ChannelApprovals `json:"approvals,omitempty"`
	Strangers StrangerSettings `json:"strangers,omitzero"` // with ChannelOpen
	Text      string           `json:"text,omitempty"`     // write
}

// ChannelChange asks for an act. A password travels in Box, sealed for MethodChannelChange and ChannelSecretName.
type ChannelChange struct {
	Act       ChannelAct `json:"act"`
	Signature *Signature `json:"signature"`
	Nonce     string     `json:"nonce,omitempty"`
	Box       SecretBox  `json:"box,omitempty"`
	By        DecidedBy  `json:"by"`
}

// ChannelTest asks whether a channel works now, and with To for a message that shows it.
type ChannelTest struct {
	Channel string    `json:"channel"`
	To      string    `json:"to,omitempty"` // one of the business's own addresses
	By      DecidedBy `json:"by"`
}

// ChannelTested is what was found, in words for people; an empty text is none.
type ChannelTested struct {
	Reads string `json:"reads"` // why nothing can be read
	Sends string `json:"sends"` // why nothing can be sent
	Sent  string `json:"sent"`  // what became of the message: sent, failed, denied, unknown, waiting; empty: none was asked for
	Why   string `json:"why"`   // of a message that was not sent
}
