package wire

import "regexp"

// HooksPath is where the hub takes what messengers bring: the part before Channel.Hook.
const HooksPath = "/h/"

// Bounds of what a messenger brings, and of the answer.
const (
	MaxChannelBody   = 512 << 10 // bytes
	MaxChannelQuery  = 2 << 10
	MaxChannelAnswer = 16 << 10
)

var channelHook = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// ChannelHooked says whether a text can be the last part of such an address: 32 random bytes.
func ChannelHooked(s string) bool { return channelHook.MatchString(s) }

// ChannelHeaders are the headers that say who brings what, in lower case. No other leaves the place where it came.
var ChannelHeaders = []string{
	"authorization", "content-type", "x-hub-signature-256", "x-slack-request-timestamp", "x-slack-signature",
	"x-telegram-bot-api-secret-token",
}

// ChannelDelivery is what a messenger has brought, as it came.
type ChannelDelivery struct {
	Hook    string            `json:"hook"`
	Method  string            `json:"method"` // GET or POST
	Query   string            `json:"query,omitempty"`
	Headers map[string]string `json:"headers"` // those of ChannelHeaders, by their lower-case names
	Body    []byte            `json:"body,omitempty"`
}

// ChannelAnswer is what the messenger is told.
type ChannelAnswer struct {
	Status     int    `json:"status"`         // of HTTP
	Type       string `json:"type,omitempty"` // ChannelText or ChannelJSON
	Body       []byte `json:"body,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"` // seconds
}

// The types of answers. The hub hands on no other: the answer stands at its own address.
const (
	ChannelText = "text/plain; charset=utf-8"
	ChannelJSON = "application/json"
)
